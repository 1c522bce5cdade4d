package io.hudilite.transaction.rollback

import io.hudilite.storage.{FileInfo, Storage, Undo}
import io.hudilite.timeline.WriteFolders
import io.hudilite.transaction.lock.{Owner, Process}

import java.nio.charset.StandardCharsets

import com.fasterxml.jackson.databind.ObjectMapper

import scala.util.control.NonFatal

/** The file that says which hudilite process began an instant.
  *
  * It lies outside the instant's marker folder: one file there that is no marker, and Apache Hudi believes none of them.
  * Only instants with such a file are ever rolled back: any other pending instant belongs to another writer.
  */
object OwnerFile {

  private val mapper = new ObjectMapper()

  /** Says that the process `self` works on the instant; `false` when another one does. After an error nothing is said. */
  def write(storage: Storage, basePath: String, instant: String, self: Process = Process.current): Boolean = {
    val table = storage.place(basePath)
    self.begins(table, instant)
    try {
      val written = storage.createNew(path(basePath, instant), bytes(self)) || isOf(storage, basePath, instant, self)
      if (!written) self.ends(table, instant)
      written
    } catch {
      case e: Throwable =>
        self.ends(table, instant)
        throw Undo.after(e)(if (isOf(storage, basePath, instant, self)) delete(storage, basePath, instant))
    }
  }

  private[rollback] def bytes(self: Process): Array[Byte] = {
    import self.owner
    mapper.writeValueAsBytes(mapper.createObjectNode().put("host", owner.host).put("pid", owner.pid)
        .put("started", owner.started).put("ticks", owner.ticks).put("process", owner.process))
  }

  private def isOf(storage: Storage, basePath: String, instant: String, self: Process): Boolean =
    read(storage, basePath, instant).exists(self.isOwn)

  def read(storage: Storage, basePath: String, instant: String): Option[Owner] =
    storage.read(path(basePath, instant)).map(parse)

  /** The owner files, each under the name of its instant, in the order of the instants, and then the claims. */
  def files(storage: Storage, basePath: String): Seq[FileInfo] =
    among(storage.list(folder(basePath)))

  /** Those out of all files of the folder, in the order of [[files]]. */
  private[transaction] def among(listed: Seq[FileInfo]): Seq[FileInfo] =
    listed.filter(f => f.name.forall(Character.isDigit) || Claim.isClaim(f.name)).sortBy(_.name)

  def delete(storage: Storage, basePath: String, instant: String): Unit = {
    storage.delete(path(basePath, instant))
    ()
  }

  // An owner file cut short by a crash is from a host that nobody is: the heartbeat decides.
  private def parse(content: Array[Byte]): Owner =
    try {
      val json = mapper.readTree(new String(content, StandardCharsets.UTF_8))
      Owner(json.path("host").asText, json.path("pid").asLong, json.path("started").asLong, json.path("ticks").asLong,
        json.path("process").asText)
    } catch { case NonFatal(_) => Owner("", 0L, 0L, 0L, "") }

  private def folder(basePath: String): String = WriteFolders.owners(basePath)

  private def path(basePath: String, instant: String): String = s"${folder(basePath)}/$instant"
}

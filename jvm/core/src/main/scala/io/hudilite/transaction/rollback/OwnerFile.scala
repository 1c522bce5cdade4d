package io.hudilite.transaction.rollback

import io.hudilite.storage.{FileInfo, Storage, Undo}
import io.hudilite.timeline.WriteFolders
import io.hudilite.transaction.lock.{Owner, Process}

import java.nio.charset.StandardCharsets

import com.fasterxml.jackson.databind.ObjectMapper

import scala.util.control.NonFatal

/** Owner file of an instant, which names the hudilite process that began it.
  *
  * The file lies outside the instant's marker folder, since Apache Hudi ignores all markers of a folder that has any
  * other file. Any pending instant without an owner file belongs to another program, and [[ForeignWrites]] has the
  * policies for those.
  */
object OwnerFile {

  private val mapper = new ObjectMapper()

  /** Makes the owner file of the process `self`; `false` when another process owns the instant. After an error there is
    * no file.
    */
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
    val json = mapper.createObjectNode().put("host", owner.host).put("pid", owner.pid)
      .put("started", owner.started).put("ticks", owner.ticks).put("process", owner.process)
    owner.lockFolder.foreach(json.put("lockFolder", _))
    mapper.writeValueAsBytes(json)
  }

  private def isOf(storage: Storage, basePath: String, instant: String, self: Process): Boolean =
    read(storage, basePath, instant).exists(self.isOwn)

  def read(storage: Storage, basePath: String, instant: String): Option[Owner] =
    storage.read(path(basePath, instant)).map(parse)

  /** Owner files, each with its instant for a name, in the order of the instants, and then claims. */
  def files(storage: Storage, basePath: String): Seq[FileInfo] =
    among(storage.list(folder(basePath)))

  /** Owner files and claims out of all files of the folder, in the order of [[files]]. */
  private[transaction] def among(listed: Seq[FileInfo]): Seq[FileInfo] =
    listed.filter(f => f.name.forall(Character.isDigit) || Claim.isClaim(f.name)).sortBy(_.name)

  def delete(storage: Storage, basePath: String, instant: String): Unit = {
    storage.delete(path(basePath, instant))
    ()
  }

  // An owner file that a crash cut short gets a host that no process has, so that the heartbeat decides.
  private def parse(content: Array[Byte]): Owner =
    try {
      val json = mapper.readTree(new String(content, StandardCharsets.UTF_8))
      Owner(json.path("host").asText, json.path("pid").asLong, json.path("started").asLong, json.path("ticks").asLong,
        json.path("process").asText, Option(json.get("lockFolder")).map(_.asText))
    } catch { case NonFatal(_) => Owner("", 0L, 0L, 0L, "") }

  private def folder(basePath: String): String = WriteFolders.owners(basePath)

  private def path(basePath: String, instant: String): String = s"${folder(basePath)}/$instant"
}

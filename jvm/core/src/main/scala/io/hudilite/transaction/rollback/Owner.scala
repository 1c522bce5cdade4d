package io.hudilite.transaction.rollback

import io.hudilite.storage.{FileInfo, Place, Storage, Undo}
import io.hudilite.timeline.WriteFolders
import io.hudilite.transaction.lock.MachineProcess

import java.nio.charset.StandardCharsets
import java.util.UUID
import java.util.concurrent.ConcurrentHashMap

import com.fasterxml.jackson.databind.ObjectMapper

import scala.util.control.NonFatal

/** The process that a pending instant belongs to.
  *
  * @param host
  *   with `pid`, `started` and `ticks` as of [[MachineProcess]]
  * @param process
  *   random id of the process, which tells our own instants at once
  */
final case class Owner(host: String, pid: Long, started: Long, ticks: Long, process: String) {

  /** The running system: what a lock on one of its files excludes. Containers of one machine have different hosts. */
  def machine: String = host.split('/').toSeq match {
    case Seq(_, boot, _*) => boot
    case _ => host
  }
}

/** The file that says which hudilite process began an instant.
  *
  * It lies outside the instant's marker folder: one file there that is no marker, and Apache Hudi believes none of them.
  * Only instants with such a file are ever rolled back: any other pending instant belongs to another writer.
  */
object Owner {

  private val mapper = new ObjectMapper()

  /** (process, place of the table, instant) that processes of this JVM work on, or have given up without knowing how they
    * ended.
    */
  private val live = ConcurrentHashMap.newKeySet[(String, String, String)]()

  lazy val current: Owner = {
    val self = MachineProcess.current
    Owner(self.host, self.pid, self.started, self.ticks, UUID.randomUUID().toString)
  }

  /** Says that the process `self` works on the instant; `false` when another one does. After an error nothing is said. */
  def write(storage: Storage, basePath: String, instant: String, self: Owner = current): Boolean = {
    live.add(key(storage, basePath, instant, self))
    try {
      val written = storage.createNew(path(basePath, instant), bytes(self)) || isOf(storage, basePath, instant, self)
      if (!written) release(storage, basePath, instant, self)
      written
    } catch {
      case e: Throwable =>
        release(storage, basePath, instant, self)
        throw Undo.after(e)(if (isOf(storage, basePath, instant, self)) delete(storage, basePath, instant))
    }
  }

  private[rollback] def bytes(self: Owner): Array[Byte] = mapper.writeValueAsBytes(
    mapper.createObjectNode().put("host", self.host).put("pid", self.pid).put("started", self.started)
      .put("ticks", self.ticks).put("process", self.process))

  /** The process is at work on the table, as the file of this name is to say. */
  private[rollback] def announce(storage: Storage, basePath: String, name: String, self: Owner): Unit = {
    live.add(key(storage, basePath, name, self))
    ()
  }

  private def isOf(storage: Storage, basePath: String, instant: String, self: Owner): Boolean =
    read(storage, basePath, instant).exists(_.process == self.process)

  private def key(storage: Storage, basePath: String, instant: String, self: Owner): (String, String, String) =
    (self.process, storage.place(basePath).key, instant)

  def read(storage: Storage, basePath: String, instant: String): Option[Owner] =
    storage.read(path(basePath, instant)).map(parse)

  /** The owner files, each under the name of its instant, in the order of the instants, and then the claims. */
  def files(storage: Storage, basePath: String): Seq[FileInfo] =
    among(storage.list(folder(basePath)))

  /** The same out of all files of the folder. */
  private[transaction] def among(listed: Seq[FileInfo]): Seq[FileInfo] =
    listed.filter(f => f.name.forall(Character.isDigit) || Claim.isClaim(f.name)).sortBy(_.name)

  def delete(storage: Storage, basePath: String, instant: String): Unit = {
    storage.delete(path(basePath, instant))
    ()
  }

  /** The process is done with the instant. */
  def release(storage: Storage, basePath: String, instant: String, self: Owner = current): Unit = {
    live.remove(key(storage, basePath, instant, self))
    ()
  }

  /** Whether the owner may still be at work, as far as that can be told without its heartbeat. */
  def isAlive(owner: Owner, self: Owner, table: Place, instant: String): Option[Boolean] =
    if (owner.process == self.process) Some(live.contains((self.process, table.key, instant)))
    else MachineProcess(owner.host, owner.pid, owner.started, owner.ticks).isRunning(self.host)

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

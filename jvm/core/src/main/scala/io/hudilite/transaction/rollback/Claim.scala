package io.hudilite.transaction.rollback

import io.hudilite.storage.{Interrupts, Storage, Undo}
import io.hudilite.timeline.WriteFolders
import io.hudilite.transaction.lock.Process

import java.util.UUID

import org.slf4j.LoggerFactory

/** A file beside the owner files by which a process says that it is at work on the table, before it has an instant or
  * without one: a first write, the begin of any write, a service. No other process makes a file of its name, so that it
  * needs no storage that lets one of many win a name. It is written again as a heartbeat is.
  */
private[transaction] final class Claim private (storage: Storage, basePath: String, val name: String, self: Process,
    heartbeat: Heartbeat) {

  private var ended = false

  /** Takes the claim back. */
  def end(): Unit = if (!ended) {
    self.ends(storage.place(basePath), name)
    heartbeat.stop()
    ended = true
  }

  /** As [[end]] when the claimed work is done, which must not fail any more: the process takes away what stays when it is
    * at work on the table again, and others do when it is gone.
    */
  def release(): Unit =
    try Interrupts.heldBack(end())
    catch {
      case failure: Throwable =>
        try Interrupts.after(failure)(end())
        catch { case again: Throwable => Claim.log.warn(s"The claim $name on $basePath stays for now.", again) }
    }
}

private[transaction] object Claim {

  private val Prefix = "claim-"

  private val log = LoggerFactory.getLogger("io.hudilite.transaction.Claim")

  def isClaim(name: String): Boolean = name.startsWith(Prefix)

  /** After an error nothing is claimed. */
  def take(storage: Storage, basePath: String, self: Process): Claim = {
    val name = Prefix + UUID.randomUUID()
    self.begins(storage.place(basePath), name)
    try {
      val path = s"${WriteFolders.owners(basePath)}/$name"
      new Claim(storage, basePath, name, self, Heartbeat.start(storage, path, OwnerFile.bytes(self)))
    } catch {
      case e: Throwable =>
        self.ends(storage.place(basePath), name)
        throw Undo.after(e)(OwnerFile.delete(storage, basePath, name))
    }
  }
}

package io.hudilite.transaction.rollback

import io.hudilite.storage.{Interrupts, Storage, Undo}
import io.hudilite.timeline.WriteFolders
import io.hudilite.transaction.lock.Process

import java.util.UUID

import org.slf4j.LoggerFactory

/** A claim of a process on a table, as a file beside the owner files, while it has no instant: at a first write, at the
  * begin of any write, or for a service. No other process makes a file of this name, so the storage need not let one of
  * many win a name. The file is written again and again, as a heartbeat is.
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

  /** Takes the claim back as [[end]] does, when the claimed work is done and must not fail any more. A file that cannot
    * be deleted goes when this process works on the table again, or when others find that it is gone.
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

  /** Makes a claim. After an error nothing is claimed. */
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

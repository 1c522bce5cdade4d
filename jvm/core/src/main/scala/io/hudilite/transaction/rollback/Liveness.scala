package io.hudilite.transaction.rollback

import io.hudilite.storage.{FileInfo, Storage}
import io.hudilite.transaction.lock.{Owner, Process}

/** Tells whether the writers of pending instants may be at work. In doubt they may: who is wrongly taken for dead loses
  * its write, who is wrongly taken for alive costs a wait.
  *
  * @param self
  *   the process that asks
  * @param mayWrite
  *   the storage may be asked for its time, which takes a file; else this machine's clock stands in
  */
private[transaction] final class Liveness(storage: Storage, basePath: String, self: Process, mayWrite: Boolean = true) {

  private val place = storage.place(basePath)
  private lazy val now = if (mayWrite) StorageTime.now(storage, basePath) else storage.clock.millis()

  /** The process that an owner file names may be at work. Where the operating system cannot tell, its heartbeat does, and
    * the owner file itself before the first beat: it is dead when neither is younger than `Heartbeat.ExpiryMs` by the
    * clock of the storage.
    */
  def mayBeAlive(owner: Owner, file: FileInfo): Boolean =
    self.tellsAlive(owner, place, file.name).getOrElse {
      val sign = Heartbeat.lastBeat(storage, basePath, file.name).fold(file.modifiedMs)(math.max(_, file.modifiedMs))
      !isOld(sign)
    }

  /** How long ago a file was modified, in milliseconds. */
  def since(modifiedMs: Long): Long = now - modifiedMs

  /** More than [[Heartbeat.ExpiryMs]] ago. */
  def isOld(modifiedMs: Long): Boolean = since(modifiedMs) > Heartbeat.ExpiryMs
}

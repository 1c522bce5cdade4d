package io.hudilite.transaction.rollback

import io.hudilite.storage.{FileInfo, Storage, StorageTime}
import io.hudilite.timeline.WriteFolders
import io.hudilite.transaction.lock.{Owner, Process}

/** Tells writers of pending instants that may be at work from those that are dead. In doubt a writer counts as alive:
  * one wrongly taken for dead loses its write, one wrongly taken for alive costs a wait.
  *
  * @param self
  *   process that asks
  * @param mayWrite
  *   true when the storage may be asked for its time, which takes a file; otherwise this machine's clock stands in
  */
private[transaction] final class Liveness(storage: Storage, basePath: String, self: Process, mayWrite: Boolean = true) {

  private val place = storage.place(basePath)
  private lazy val now =
    if (mayWrite) StorageTime.now(storage, WriteFolders.owners(basePath)) else storage.clock.millis()

  /** True when the process that an owner file names may be at work. Where the operating system cannot tell, the age of
    * its heartbeat does, and before the first beat that of the owner file. The process is dead when neither is younger
    * than `Heartbeat.ExpiryMs` by the clock of the storage.
    */
  def mayBeAlive(owner: Owner, file: FileInfo): Boolean =
    self.tellsAlive(owner, place, file.name).getOrElse {
      val sign = Heartbeat.lastBeat(storage, basePath, file.name).fold(file.modifiedMs)(math.max(_, file.modifiedMs))
      !isOld(sign)
    }

  /** Age of a file by its last modification, in milliseconds. */
  def since(modifiedMs: Long): Long = now - modifiedMs

  /** True when the age is above [[Heartbeat.ExpiryMs]]. */
  def isOld(modifiedMs: Long): Boolean = since(modifiedMs) > Heartbeat.ExpiryMs
}

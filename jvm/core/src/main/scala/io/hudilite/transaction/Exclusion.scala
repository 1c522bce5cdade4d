package io.hudilite.transaction

import io.hudilite.error.CommitConflict
import io.hudilite.storage.Storage
import io.hudilite.transaction.rollback.{Liveness, Owner}

/** Where the table lock does not reach another writer, one of the two gives way (docs/format.md#concurrency).
  *
  * A writer first puts its owner file there and then looks for others': of two that begin at one time at least one sees
  * the other.
  *
  * @param self
  *   the process that writes
  */
private[transaction] final class Exclusion(storage: Storage, basePath: String, self: Owner) {

  private val isLocal = storage.place(basePath).local.isDefined

  /** Raises `WRITER_NOT_EXCLUDED` while another process that may be alive has a write and no lock reaches it.
    *
    * @param ours
    *   the instant of the write that asks
    */
  def check(ours: String): Unit = {
    val liveness = new Liveness(storage, basePath, self)
    for {
      file <- Owner.files(storage, basePath) if file.name != ours
      owner <- Owner.read(storage, basePath, file.name)
      if owner.process != self.process && !isLockedOut(owner) && liveness.mayBeAlive(owner, file)
    } throw CommitConflict("WRITER_NOT_EXCLUDED", "path" -> basePath, "instant" -> file.name,
      "process" -> (if (owner.host.isEmpty) "an unknown process" else s"process ${owner.pid} of ${owner.host}"))
  }

  // The lock file works between processes of one running system.
  private def isLockedOut(owner: Owner): Boolean = isLocal && owner.machine == self.machine
}

package io.hudilite.transaction

import io.hudilite.config.CommitConf
import io.hudilite.storage.{Place, Storage}
import io.hudilite.timeline.TimelineStore
import io.hudilite.transaction.lock.Process
import io.hudilite.transaction.rollback.{ForeignWrites, PendingWrites, Recovery}

/** Settings of a transaction: how it waits, what it refuses, and what keeps it apart from other writers.
  *
  * @param lockWaitMs
  *   how long to wait for the table lock, at the begin and again at the commit
  * @param metadata
  *   which metadata tables may be removed; a table with another one is refused
  * @param foreignWrites
  *   what to do about pending writes of other programs
  * @param process
  *   the process that writes
  * @param sweepsAtOnce
  *   what killed writers were about to name is looked for now; else only when this process has not looked for a while
  * @param claimWaitMs
  *   how long another process's claim on the table has to go when the write is about to commit
  * @param hooks
  *   run before a write completes
  */
final case class TransactionOptions(lockWaitMs: Long = 60000L,
    metadata: MetadataTablePolicy.Policy = MetadataTablePolicy.KeepIndexes,
    foreignWrites: ForeignWrites.Policy = ForeignWrites.Expired, process: Process = Process.current,
    sweepsAtOnce: Boolean = false, claimWaitMs: Long = 1000L,
    hooks: Seq[CommitHook] = CommitHook.standard) {

  /** Runs `body` while holding the lock of the table. */
  private[hudilite] def locked[T](table: Place)(body: => T): T =
    process.locks.withTableLock(table, lockWaitMs)(body)

  private[hudilite] def exclusion(storage: Storage, basePath: String): Exclusion =
    new Exclusion(storage, basePath, process)

  private[hudilite] def pendingWrites(store: TimelineStore): PendingWrites =
    new PendingWrites(store, foreignWrites, process)

  private[hudilite] def recovery(store: TimelineStore): Recovery = new Recovery(store, foreignWrites, process)
}

object TransactionOptions {

  def of(conf: CommitConf): TransactionOptions = TransactionOptions(conf.lockWaitMs,
    MetadataTablePolicy.policy(conf.metadata), ForeignWrites.policy(conf.foreignWrites))
}

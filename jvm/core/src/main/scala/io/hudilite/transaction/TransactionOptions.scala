package io.hudilite.transaction

import io.hudilite.config.CommitConf
import io.hudilite.timeline.TimelineStore
import io.hudilite.transaction.rollback.{ForeignWrites, Owner, PendingWrites, Recovery}

/** How a transaction waits and what it refuses.
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
  */
final case class TransactionOptions(lockWaitMs: Long = 60000L,
    metadata: MetadataTablePolicy.Policy = MetadataTablePolicy.KeepIndexes,
    foreignWrites: ForeignWrites.Policy = ForeignWrites.Expired, process: Owner = Owner.current,
    sweepsAtOnce: Boolean = false, claimWaitMs: Long = 1000L) {

  private[hudilite] def pendingWrites(store: TimelineStore): PendingWrites =
    new PendingWrites(store, foreignWrites, process)

  private[hudilite] def recovery(store: TimelineStore): Recovery = new Recovery(store, foreignWrites, process)
}

object TransactionOptions {

  def of(conf: CommitConf): TransactionOptions = TransactionOptions(conf.lockWaitMs,
    MetadataTablePolicy.policy(conf.metadata), ForeignWrites.policy(conf.foreignWrites))
}

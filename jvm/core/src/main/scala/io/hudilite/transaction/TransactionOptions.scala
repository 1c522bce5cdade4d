package io.hudilite.transaction

import io.hudilite.transaction.rollback.{ForeignWrites, Owner}

/** How a transaction waits and what it refuses.
  *
  * @param lockWaitMs
  *   how long to wait for the table lock, at the begin and again at the commit
  * @param keepMetadataTable
  *   refuse to write to a table whose metadata table would have to be removed
  * @param foreignWrites
  *   what to do about pending writes of other programs
  * @param process
  *   the process that writes
  */
final case class TransactionOptions(lockWaitMs: Long = 60000L, keepMetadataTable: Boolean = false,
    foreignWrites: ForeignWrites.Policy = ForeignWrites.Expired, process: Owner = Owner.current)

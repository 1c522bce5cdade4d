package io.hudilite.transaction

import io.hudilite.config.{CommitConf, IndexesConf, TableConfig}
import io.hudilite.storage.Storage
import io.hudilite.timeline.TimelineStore
import io.hudilite.transaction.lock.{Process, StorageLock, StorageLockSettings}
import io.hudilite.transaction.rollback.{ForeignWrites, PendingWrites, Recovery}
import io.hudilite.upkeep.{DriverKeyJobs, KeyJobs, KeyWork, ToldKeys}

/** Settings of a transaction: its waits, its refusals, and its exclusion of other writers.
  *
  * @param lockWaitMs
  *   longest wait for the table lock, at the begin and again at the commit
  * @param metadata
  *   metadata tables that may be removed; a table with another one is refused
  * @param keepsMetadata
  *   `hoodie.metadata.enable`: true to make a metadata table where there is none, false to remove one; one that is there is
  *   kept up otherwise
  * @param metadataDeltas
  *   writes of the metadata table after which it is compacted
  * @param indexes
  *   partitions of the metadata table that are asked for
  * @param foreignWrites
  *   treatment of pending writes of other programs
  * @param process
  *   process that writes
  * @param sweepsAtOnce
  *   true to look for temporary files of killed writers now; otherwise a process looks once in a while
  * @param claimWaitMs
  *   longest wait, before the commit, for another process's claim on the table to go
  * @param hooks
  *   steps before a write completes
  * @param lockFile
  *   lock file that keeps programs on several machines apart
  * @param amongOthers
  *   true when a new table may be made in a folder with other files
  * @param keyJobs
  *   write the record index of the metadata table
  * @param copies
  *   token of a write that ends a bootstrap
  */
final case class TransactionOptions(lockWaitMs: Long = 60000L,
    metadata: MetadataTablePolicy.Policy = MetadataTablePolicy.KeepIndexes,
    foreignWrites: ForeignWrites.Policy = ForeignWrites.Expired, process: Process = Process.current,
    sweepsAtOnce: Boolean = false, claimWaitMs: Long = 1000L,
    hooks: Seq[CommitHook] = CommitHook.standard, amongOthers: Boolean = false, keepsMetadata: Option[Boolean] = None,
    metadataDeltas: Int = 10, indexes: IndexesConf = IndexesConf(),
    lockFile: Option[StorageLockSettings] = None, keyJobs: KeyJobs = DriverKeyJobs,
    copies: Option[String] = None) {

  /** Runs `body` while holding the lock of the table. */
  private[hudilite] def locked[T](storage: Storage, basePath: String)(body: => T): T =
    process.locks.withTableLock(storage.place(basePath), lockWaitMs) {
      storageLock(storage, basePath).fold(body)(_.held(lockWaitMs)(body))
    }

  private def storageLock(storage: Storage, basePath: String): Option[StorageLock] =
    lockFile.map(new StorageLock(storage, basePath, _))

  /** Raises `InvalidInput` where the storage cannot keep the lock file that is asked for. */
  private[transaction] def checkLock(storage: Storage, basePath: String): Unit =
    storageLock(storage, basePath).foreach(_.check())

  /** Raises `CommitConflict` when the lock file that the thread holds was taken away. */
  private[transaction] def checkHeld(storage: Storage, basePath: String): Unit =
    storageLock(storage, basePath).foreach(_.checkHeld())

  /** Names of the locks' files in the table's `.hoodie` folder. */
  private[transaction] def lockNames: Seq[String] =
    process.locks.fileNames ++ lockFile.filter(_.folder.isEmpty).map(_ => StorageLock.Name)

  private[transaction] def keyWork(told: Option[ToldKeys]): KeyWork =
    KeyWork(told, keyJobs, indexes.partitionKeys.least)

  private[hudilite] def exclusion(storage: Storage, basePath: String): Exclusion =
    new Exclusion(storage, basePath, process)

  private[hudilite] def pendingWrites(store: TimelineStore): PendingWrites =
    new PendingWrites(store, foreignWrites, process)

  private[hudilite] def recovery(store: TimelineStore, current: Option[TableConfig] = None): Recovery =
    new Recovery(store, foreignWrites, process, current)
}

object TransactionOptions {

  def of(conf: CommitConf): TransactionOptions = TransactionOptions(conf.lockWaitMs,
    MetadataTablePolicy.policy(conf.metadata), ForeignWrites.policy(conf.foreignWrites, conf.lockFile.isDefined),
    lockFile = conf.lockFile.map(lock => StorageLockSettings(lock.folder, lock.expiryMs, lock.vouched)),
    process = conf.lockFile.fold(Process.current)(lock => Process.current.under(lock.folder.getOrElse(".hoodie"))),
    amongOthers = conf.amongOthers, keepsMetadata = conf.keepsMetadata, metadataDeltas = conf.metadataDeltas,
    indexes = conf.indexes, copies = conf.copies)
}

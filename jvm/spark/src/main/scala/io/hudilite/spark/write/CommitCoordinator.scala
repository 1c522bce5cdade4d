package io.hudilite.spark.write

import io.hudilite.config.{TableProperties, WriteOptions}
import io.hudilite.filegroup.FileSlice
import io.hudilite.table.Table
import io.hudilite.timeline.{Action, CommitMetadata, Timeline, WriteStat}
import io.hudilite.transaction.{Transaction, TransactionOptions}
import io.hudilite.transaction.rollback.ForeignWrites

import org.apache.spark.sql.connector.write.WriterCommitMessage

/** What one task wrote.
  *
  * @param partitions
  *   partition paths that its rows named, whether or not anything was written to them
  */
final case class WrittenFiles(stats: Seq[WriteStat], partitions: Seq[String] = Nil) extends WriterCommitMessage

/** The driver's side of one write: begins a transaction as the job starts, publishes the files or takes them back.
  *
  * Spark calls one instance in the order begin, then commit or abort.
  */
private[write] final class CommitCoordinator(target: WriteTarget, operation: WriteOperation, replaces: Replaces) {

  private var started: Option[Started] = None

  private val options = TransactionOptions(WriteOptions.LockWaitMs(target.options),
    WriteOptions.MetadataStrict(target.options), ForeignWrites.policy(WriteOptions.FailedWritesPolicy(target.options)))

  /** Creates the table if need be and requests an instant; the result goes to the tasks. */
  def begin(): WriteJob = {
    val pathExisted = target.existing.isDefined || target.storage.exists(target.basePath)
    val table = target.existing.getOrElse(create())
    val action =
      if (replaces != Replaces.Nothing) Action.ReplaceCommit
      else if (target.isMergeOnRead) Action.DeltaCommit
      else Action.Commit
    val transaction = Transaction.begin(table, action, operation.metadataName, options)
    started = Some(Started(table, transaction, target.existing.isEmpty, pathExisted))
    target.job(transaction.instant)
  }

  private def create(): Table = {
    TableProperties.create(target.storage, target.basePath, target.withSchemaDeclared.config)
    Table.open(target.storage, target.basePath)
  }

  def commit(messages: Seq[WrittenFiles]): Unit = {
    val run = started.getOrElse(throw new IllegalStateException("the write was committed before it began"))
    val stats = messages.flatMap(_.stats)
    val named = (messages.flatMap(_.partitions) ++ stats.map(_.partitionPath)).toSet
    run.transaction.commit(stats, replaced(run.table, named), Map(CommitMetadata.SchemaKey -> target.schemaJson))
    target.afterCommit(target, run.table)
  }

  /** Takes back everything that the write did, also a table that it created. A write whose outcome is unknown stays. */
  def abort(): Unit = started.foreach { run =>
    run.transaction.rollback()
    if (run.created && run.transaction.isRolledBack && isUnused(run.table.refresh().timeline))
      target.storage.delete(if (run.pathExisted) s"${target.basePath}/.hoodie" else target.basePath)
  }

  private def isUnused(timeline: Timeline): Boolean = timeline.writes.isEmpty && timeline.pending.isEmpty

  private def replaced(table: Table, named: Set[String]): Map[String, Seq[String]] = {
    def ids(slices: Map[String, Seq[FileSlice]]): Map[String, Seq[String]] =
      slices.collect { case (partition, found) if found.nonEmpty => partition -> found.map(_.fileId) }
    replaces match {
      case Replaces.Nothing => Map.empty
      case Replaces.WholeTable => ids(table.allSlices())
      case Replaces.WrittenPartitions => ids(table.files.slices(named.toSeq))
      case m: Replaces.Matching => ids(table.files.find(m.selection))
    }
  }
}

/** A write that has begun. */
private[write] final case class Started(table: Table, transaction: Transaction, created: Boolean, pathExisted: Boolean)

package io.hudilite.spark.write

import io.hudilite.spark.row.{RunningTask, TaskAttempt}
import io.hudilite.spark.write.attempt.{CommittedWrite, LateGroups, Rebase, TasksOfBuckets, WriteAttempt, WriteIntent}
import io.hudilite.spark.write.job.{WriteGroups, WriteJob}
import io.hudilite.spark.write.table.WriteOperation
import io.hudilite.spark.write.task.{FileGroupWriter, WriteMetrics, WrittenFiles}

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.connector.metric.{CustomMetric, CustomTaskMetric}
import org.apache.spark.sql.connector.write._
import org.apache.spark.unsafe.types.UTF8String

/** A write that looks nothing up: rows that reach the writers as new rows.
  *
  * @param groups
  *   small files that take the rows; `None` = every row goes to a new file
  */
final case class AppendWrite(intent: WriteIntent, groups: Option[LateGroups]) {

  /** The write with the way to its next attempt, and with what it takes for sure of its keys. */
  def asked(rebase: Option[Rebase], insertsMissing: Boolean): AppendWrite =
    copy(intent = intent.copy(rebase = rebase, insertsMissing = insertsMissing))
}

/** Builds the write of an append whose rows hudilite's rule laid out; what it replaces was decided there too.
  *
  * @param follow
  *   runs after the commit, and must not throw
  */
private[spark] final class AppendWriteBuilder(append: AppendWrite, session: SparkSession, follow: () => Unit)
    extends WriteBuilder with SupportsTruncate with SupportsDynamicOverwrite {
  override def truncate(): WriteBuilder = this
  override def overwriteDynamicPartitions(): WriteBuilder = this
  override def build(): Write = new AppendFileWrite(append, session, follow)
}

/** A write of hudilite's, as it stands in a command of Spark's: one attempt. */
private[spark] trait TableWrite extends Write {

  private[write] def attempt: WriteAttempt

  def basePath: String = attempt.basePath

  /** The write, once readers see it. */
  def committed: Option[CommittedWrite] = attempt.committed

  /** The command of its next attempt, where this one is to be followed by one. */
  def next: Option[LogicalPlan] = attempt.next
}

private final class AppendFileWrite(append: AppendWrite, session: SparkSession, follow: () => Unit)
    extends TableWrite {

  private[write] override val attempt: WriteAttempt = new WriteAttempt(append.intent, append.groups, session)

  override def description(): String = s"hudilite ${append.intent.operation.name}"

  override def supportedCustomMetrics(): Array[CustomMetric] = WriteMetrics.all

  override def toBatch: BatchWrite = new BatchWrite {
    override def createBatchWriterFactory(info: PhysicalWriteInfo): DataWriterFactory =
      attempt.begin(AppendWriterFactory(_, append.intent.operation, append.groups.map(_.groups)))

    // Spark's coordinator lets one attempt of a task commit; the files of the others are strays by their markers.
    override def useCommitCoordinator(): Boolean = true
    override def commit(messages: Array[WriterCommitMessage]): Unit = {
      val written = messages.toSeq.map(_.asInstanceOf[WrittenFiles])
      append.groups.foreach(of => TasksOfBuckets.check(written, of.groups, basePath))
      attempt.commit(written)
      follow()
    }
    override def abort(messages: Array[WriterCommitMessage]): Unit = attempt.abort()
  }
}

private final case class AppendWriterFactory(job: WriteJob, operation: WriteOperation, groups: Option[WriteGroups])
    extends DataWriterFactory {
  override def createWriter(partitionId: Int, taskId: Long): DataWriter[InternalRow] =
    if (operation == WriteOperation.DeletePartition) new PartitionNamesWriter(job)
    else new AppendWriter(job, groups, upserts = operation == WriteOperation.Upsert,
      RunningTask.attempt(partitionId, taskId))
}

/** Rows of the table's columns, then the record key or the stand-in for one to come, then the partition path, and what they were sorted by. Those of a
  * file group come together and in the order of their keys, as do those of a partition that begin new files.
  *
  * @param upserts
  *   true when a row of a bucket replaces the rows of its key
  */
private final class AppendWriter(job: WriteJob, groups: Option[WriteGroups], upserts: Boolean, attempt: TaskAttempt)
    extends DataWriter[InternalRow] {

  private val keyOrdinal = job.rowSchema.size
  private val files = new FileGroupWriter(job, attempt)

  override def write(row: InternalRow): Unit = {
    val key = row.getUTF8String(keyOrdinal)
    val partition = row.getUTF8String(keyOrdinal + 1)
    groups match {
      case Some(g) =>
        val slot = g.slot(null, partition, key)
        files.toSlot(g, slot, partition)
        if (slot >= 0 && upserts && g.buckets.isDefined) files.upsert(key, row) else files.insert(keyOf(key), row)
      case None =>
        files.toNewFiles(partition)
        files.insert(keyOf(key), row)
    }
  }

  private def keyOf(key: UTF8String): UTF8String = if (job.keys.generated) files.nextKey() else key

  override def currentMetricsValues(): Array[CustomTaskMetric] = files.metrics.values
  override def commit(): WriterCommitMessage = WrittenFiles(files.commit())
  override def abort(): Unit = files.abort()
  override def close(): Unit = ()
}

/** Only notes which partitions the rows are in. */
private final class PartitionNamesWriter(job: WriteJob) extends DataWriter[InternalRow] {
  private val partitions = new java.util.HashSet[UTF8String]
  private val ordinal = job.rowSchema.size + 1

  override def write(row: InternalRow): Unit = {
    val partition = row.getUTF8String(ordinal)
    if (!partitions.contains(partition)) partitions.add(partition.copy())
  }

  override def commit(): WriterCommitMessage =
    WrittenFiles(Nil, partitions.toArray(new Array[UTF8String](0)).map(_.toString).toSeq)
  override def abort(): Unit = ()
  override def close(): Unit = ()
}

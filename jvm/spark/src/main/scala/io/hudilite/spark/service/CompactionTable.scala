package io.hudilite.spark.service

import io.hudilite.filegroup.FileSlice
import io.hudilite.service.compact.CompactionKind
import io.hudilite.spark.logfile.read.LogJob
import io.hudilite.spark.row.TaskAttempt
import io.hudilite.spark.write.WriteJob
import io.hudilite.timeline.WriteStat

import java.util.{Collections, Set => JSet}

import org.apache.spark.TaskContext
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.connector.catalog.{SupportsRead, Table, TableCapability}
import org.apache.spark.sql.connector.read._
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.util.CaseInsensitiveStringMap
import org.apache.spark.util.LongAccumulator

/** What the tasks of one compaction need.
  *
  * @param done
  *   counts the file slices that are compacted
  */
private[service] final case class CompactionJob(
    kind: CompactionKind, write: WriteJob, logs: LogJob, done: LongAccumulator)

/** One compaction as a table for Spark to scan: each slice is an input partition whose task merges it and answers with
  * the stats of the files that it wrote. So a compaction has Spark's scheduling, retries, metrics and cancelling.
  *
  * An attempt that is repeated writes a file of another name; the losers are removed as the compaction commits.
  */
private[service] final class CompactionTable(job: CompactionJob, slices: Seq[FileSlice]) extends Table
    with SupportsRead {

  override def name(): String = s"hudilite compaction ${job.write.instant} of ${job.write.basePath}"

  override def schema(): StructType = StatRows.schema

  override def capabilities(): JSet[TableCapability] = Collections.singleton(TableCapability.BATCH_READ)

  override def newScanBuilder(options: CaseInsensitiveStringMap): ScanBuilder = new ScanBuilder {
    override def build(): Scan = new CompactionScan(name(), job, slices)
  }
}

private final class CompactionScan(name: String, job: CompactionJob, slices: Seq[FileSlice]) extends Scan with Batch {
  override def readSchema(): StructType = StatRows.schema
  override def description(): String = name
  override def toBatch: Batch = this
  override def planInputPartitions(): Array[InputPartition] = slices.map(SlicePartition(_): InputPartition).toArray
  override def createReaderFactory(): PartitionReaderFactory = CompactionReaderFactory(job)
}

private final case class SlicePartition(slice: FileSlice) extends InputPartition

private final case class CompactionReaderFactory(job: CompactionJob) extends PartitionReaderFactory {
  override def createReader(partition: InputPartition): PartitionReader[InternalRow] =
    new CompactionReader(job, partition.asInstanceOf[SlicePartition].slice)
}

/** Merges its slice when the first row is asked for. */
private final class CompactionReader(job: CompactionJob, slice: FileSlice) extends PartitionReader[InternalRow] {

  private lazy val written: Iterator[WriteStat] = compact().iterator
  private var row: Option[InternalRow] = None

  override def next(): Boolean = {
    row = if (written.hasNext) Some(StatRows.toRow(written.next())) else None
    row.isDefined
  }

  private def compact(): Seq[WriteStat] = {
    val task = TaskContext.get()
    val attempt = TaskAttempt(task.partitionId(), task.stageId(), task.taskAttemptId())
    val stats = job.kind match {
      case CompactionKind.Base => Seq(new SliceCompactor(job.write, job.logs, attempt).compact(slice))
      case CompactionKind.Log => new LogFolder(job.write, job.logs, attempt).fold(slice)
    }
    job.done.add(1L)
    stats
  }

  override def get(): InternalRow = row.getOrElse(throw new IllegalStateException("a row is read before next()"))

  override def close(): Unit = ()
}

package io.hudilite.spark.scan.task

import io.hudilite.spark.basefile.read.{FileRange, FileRead, ReaderContexts, SplitReader}
import io.hudilite.spark.basefile.skeleton.BaseFileRows
import io.hudilite.spark.row.SharedConf
import io.hudilite.spark.slice.deliver.{MergeCounts, SliceReader}
import io.hudilite.stats.FileStatistics

import org.apache.hadoop.conf.Configuration
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.UnsafeProjection
import org.apache.spark.sql.connector.metric.CustomTaskMetric
import org.apache.spark.sql.connector.read.{InputPartition, PartitionReader, PartitionReaderFactory}
import org.apache.spark.sql.hudilite.InputFiles
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.vectorized.ColumnarBatch

import scala.collection.JavaConverters._

/** Makes the readers inside tasks. */
final case class ScanReaderFactory(job: ScanTask, conf: SharedConf)
    extends PartitionReaderFactory {

  override def supportColumnarReads(partition: InputPartition): Boolean = job.files.settings.columnar

  override def createColumnarReader(partition: InputPartition): PartitionReader[ColumnarBatch] = {
    val own = columns(partition)
    new TaskReader[ColumnarBatch](own, conf.value, splits(partition),
      (contexts, split, file) =>
        own.ofBatches(BaseFileRows.batches(own.inBaseFiles, contexts, split), own.inBaseFiles, file), identity)
  }

  override def createReader(partition: InputPartition): PartitionReader[InternalRow] = {
    val own = columns(partition)
    def rows(batches: SplitReader[ColumnarBatch]) = new BatchRowReader(job.files.columns, batches)
    new TaskReader[InternalRow](own, conf.value, splits(partition),
      if (own.inBaseFiles.settings.vectorized) (contexts, split, file) =>
        rows(own.ofBatches(BaseFileRows.batches(own.inBaseFiles, contexts, split), own.inBaseFiles, file))
      else (contexts, split, file) => own.ofRows(BaseFileRows.rows(own.inBaseFiles, contexts, split), file),
      rows)
  }

  private def columns(partition: InputPartition): ScanColumns =
    new ScanColumns(job.copy(files = narrowed(partition)), scanPartition(partition).folders)

  private def splits(partition: InputPartition): Seq[ScanSplit] = scanPartition(partition).splits

  /** Filters that came up after this factory was made travel with the partitions. */
  private def narrowed(partition: InputPartition): FileRead = scanPartition(partition).narrowing.fold(job.files)(late =>
    job.files.copy(filters = late.filters, keys = late.keys, keysToCheck = late.keysToCheck))

  private def scanPartition(partition: InputPartition): ScanPartition = partition match {
    case p: ScanPartition => p
    case BucketPartition(parts, _) => parts
    case other => throw new IllegalStateException(s"not a partition of this scan: $other")
  }
}

/** Reads the splits of one task one after the other and counts.
  *
  * @param open
  *   reads base files without log files
  * @param shape
  *   turns merged batches into what is to be delivered
  */
private final class TaskReader[T](
    columns: ScanColumns, conf: Configuration, splits: Seq[ScanSplit],
    open: (ReaderContexts, FileRange, FileFacts) => SplitReader[T],
    shape: SplitReader[ColumnarBatch] => SplitReader[T])
    extends PartitionReader[T] {

  private val job = columns.job
  private val contexts = new ReaderContexts(conf, job.files.settings.caseSensitive)
  private val remaining = new CheckedSplits(job.files, FileStatistics.at(job.files.basePath, conf), splits)
  private var current: Option[SplitReader[T]] = None
  private var rows = 0L
  private var opened = 0L
  private val merges = new MergeCounts
  private val factsOf = new FileFacts.Source(conf, job.files.basePath)
  private lazy val slices = new SliceReader(columns.inSlices,
    job.merge.getOrElse(throw new IllegalStateException("log files without a rule to merge them")), contexts, merges)

  override def next(): Boolean = {
    // hot path
    var found = false
    var more = !isFull
    while (!found && more) current match {
      case Some(reader) if reader.next() =>
        found = true
        rows += reader.size
      case _ => more = advance()
    }
    found
  }

  private def isFull: Boolean = job.limit.exists(rows >= _)

  /** Opens the next split that can hold rows; `false` when there is none left. */
  private def advance(): Boolean = {
    close()
    if (!remaining.hasNext) false
    else {
      remaining.next() match {
        case FileSplit(range) => openFile(range)
        case SliceSplit(slice, beforeRange) =>
          opened += slice.base.size
          val file = tell(factsOf.of(slice))
          current = Some(shape(columns.ofBatches(slices.open(slice, beforeRange), columns.inSlices, file)))
      }
      true
    }
  }

  private def openFile(split: FileRange): Unit = {
    if (split.start == 0) opened += 1
    val file = tell(factsOf.of(split))
    current = Some(open(contexts, split, file))
  }

  private def tell(file: FileFacts): FileFacts = {
    InputFiles.set(file.inputName, file.blockStart, file.blockLength)
    file
  }

  override def get(): T =
    current.map(_.get()).getOrElse(throw new IllegalStateException("no row: next() was not called"))

  override def currentMetricsValues(): Array[CustomTaskMetric] = Array(ScanMetric(ScanMetrics.RowsRead, rows),
    ScanMetric(ScanMetrics.FilesOpened, opened), ScanMetric(ScanMetrics.PrunedByRange, remaining.outOfRange),
    ScanMetric(ScanMetrics.PrunedByBloom, remaining.notInBloom), ScanMetric(ScanMetrics.LogFilesRead, merges.logFiles),
    ScanMetric(ScanMetrics.LogRecords, merges.logRecords), ScanMetric(ScanMetrics.RowsReplaced, merges.rowsReplaced))

  override def close(): Unit = {
    current.foreach(_.close())
    current = None
    InputFiles.unset()
  }
}

/** Rows out of batches, where Spark wants rows: too many columns for generated code, or generated code switched off. */
private final class BatchRowReader(columns: StructType, batches: SplitReader[ColumnarBatch])
    extends SplitReader[InternalRow] {

  private val projection = UnsafeProjection.create(columns)
  private var rows: Iterator[InternalRow] = Iterator.empty
  private var row: InternalRow = _

  override def next(): Boolean = {
    // hot path
    while (!rows.hasNext && batches.next()) rows = batches.get().rowIterator().asScala
    val found = rows.hasNext
    if (found) row = projection(rows.next())
    found
  }

  override def get(): InternalRow = row

  override def size: Int = 1

  override def close(): Unit = batches.close()
}

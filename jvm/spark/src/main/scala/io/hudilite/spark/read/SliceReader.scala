package io.hudilite.spark.read

import io.hudilite.filegroup.{BaseFile, FileSlice}
import io.hudilite.record.MetaFields
import io.hudilite.spark.log.{LogBlocks, LogRows, MergedLog}
import io.hudilite.spark.row.ReaderContexts
import org.apache.spark.sql.execution.datasources.parquet.ParquetFileFormat
import org.apache.spark.sql.types.{LongType, StringType, StructField, StructType}
import org.apache.spark.sql.vectorized.ColumnarBatch

/** Opens the slices of a task that have log files, one after the other.
  *
  * Rows that the log replaces are found by their place in the base file where every block says it, and by their key
  * otherwise: hudilite's own base files are in the order of the keys, others are looked up in a hash map of the log, or
  * are sorted when that does not fit into memory.
  */
private[read] final class SliceReader(job: ScanJob, merge: SliceMerge, contexts: ReaderContexts, counts: MergeCounts) {

  import SliceReader._

  private val conf = contexts.conf

  private val logColumns: StructType = {
    val delivered = job.columns.fields.filterNot(_.name == ScanJob.FileId)
    StructType(delivered ++ timeColumn.filterNot(f => delivered.exists(_.name == f.name)))
  }

  private lazy val logRows = LogRows(merge.log, logColumns)

  def open(slice: FileSlice): SplitReader[ColumnarBatch] = {
    val blocks = LogBlocks.of(merge.log, slice, conf)
    counts.logFiles += slice.logs.size
    slice.base match {
      case Some(base) if blocks.selected.isEmpty => batches(job, base)
      case Some(base) => byPosition(base, blocks).getOrElse(byKey(base, blocks))
      case None => merged(slice.fileId, None, baseColumns(Some(KeyColumn)), new LogOnlyMatcher(log(blocks)))
    }
  }

  private def log(blocks: LogBlocks): MergedLog = MergedLog.of(logRows, blocks, conf)

  private def byPosition(base: BaseFile, blocks: LogBlocks): Option[SplitReader[ColumnarBatch]] =
    if (!job.settings.vectorized) None
    else MergedLog.byPosition(logRows, blocks, conf).map { log =>
      if (readsEveryRow) opened(base, baseColumns(None), new CountingMatcher(log))
      else {
        val columns = baseColumns(Some(StructField(RowIndex, LongType)))
        opened(base, columns, new PositionMatcher(log, columns.fieldIndex(RowIndex)))
      }
    }

  private def readsEveryRow: Boolean = !job.settings.pushFilters || (pushed.isEmpty && job.keys.isEmpty)

  private def byKey(base: BaseFile, blocks: LogBlocks): SplitReader[ColumnarBatch] = {
    val columns = baseColumns(Some(KeyColumn))
    val key = columns.fieldIndex(MetaFields.RecordKey)
    if (baseFile(baseJob(columns), base).sortedByKey) opened(base, columns, new KeyMatcher(log(blocks), key))
    else HashedMatcher.of(log(blocks), key) match {
      case Some(matcher) => opened(base, columns, matcher)
      case None =>
        val sorted = new SortedRows(batches(baseJob(columns), base), columns, key)
        closing(sorted) {
          merged(base.fileId, Some(new RowBatches(sorted, columns, job.settings.batchSize)), columns,
            new KeyMatcher(log(blocks), key))
        }
    }
  }

  private def opened(base: BaseFile, columns: StructType, matcher: LogMatcher): SplitReader[ColumnarBatch] =
    closing(matcher)(merged(base.fileId, Some(batches(baseJob(columns), base)), columns, matcher))

  private def merged(fileId: String, base: Option[SplitReader[ColumnarBatch]], columns: StructType,
      matcher: LogMatcher): MergedBatches =
    new MergedBatches(job, fileId, base, columns,
      merge.log.orderingColumns.map(f => columns.fieldIndex(f.name)).toArray,
      logColumns, matcher, counts)

  private def batches(job: ScanJob, base: BaseFile): SplitReader[ColumnarBatch] = {
    val file = baseFile(job, base)
    if (job.settings.vectorized) new BatchReader(job, file, base.fileId)
    else new RowBatches(new RowReader(job, file, base.fileId), job.columns, job.settings.batchSize)
  }

  private def baseFile(job: ScanJob, base: BaseFile): BaseFileReader =
    new BaseFileReader(job, contexts, FileSplit(base.relativePath, base.fileId, base.length, 0, base.length))

  private def timeColumn: Option[StructField] = job.commitTimes.map(_ => StructField(MetaFields.CommitTime, StringType))

  /** The columns to deliver, then those that only the merge looks at. */
  private def baseColumns(place: Option[StructField]): StructType = {
    val hidden = place ++ merge.log.orderingColumns ++ timeColumn
    StructType(job.columns.fields ++ hidden.filterNot(f => job.columns.fieldNames.contains(f.name)))
  }

  // Where ordering values are compared an old row must be seen to win, whatever else a filter says about it.
  private lazy val pushed: Seq[ScanFilter] =
    if (merge.log.comparesOrdering) ScanFilter.conjuncts(job.filters).filter(_.columns.subsetOf(merge.keyColumns))
    else job.filters ++ job.commitTimes.map(BaseFileReader.textIn(MetaFields.CommitTime, _))

  private def baseJob(columns: StructType): ScanJob =
    job.copy(columns = columns, filters = pushed, keysToCheck = false, commitTimes = None, limit = None)
}

private object SliceReader {

  val KeyColumn: StructField = StructField(MetaFields.RecordKey, StringType)

  /** Under this name Spark's readers deliver the place of a row in its file. */
  val RowIndex: String = ParquetFileFormat.ROW_INDEX_TEMPORARY_COLUMN_NAME

  private def closing[T](resource: AutoCloseable)(open: => T): T =
    try open
    catch {
      case e: Throwable =>
        resource.close()
        throw e
    }
}

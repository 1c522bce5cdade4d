package io.hudilite.spark.slice.deliver

import io.hudilite.filegroup.{BaseFile, FileSlice}
import io.hudilite.merge.MergeRule
import io.hudilite.record.MetaFields
import io.hudilite.schema.ColumnNames
import io.hudilite.spark.basefile.read.{
  BaseFileReader,
  FileRange,
  FileRead,
  ReaderContexts,
  RowReader,
  ScanFilter,
  SplitReader
}
import io.hudilite.spark.basefile.skeleton.BaseFileRows
import io.hudilite.spark.logfile.read.{LogBlocks, LogJob, LogRowLayout, MergedLog}
import io.hudilite.stats.{BoundsWanted, FileStatistics}

import org.apache.spark.sql.types.{StringType, StructField, StructType}
import org.apache.spark.sql.vectorized.ColumnarBatch

/** Opens the slices of a task that have log files, one after the other.
  *
  * Rows that the log replaces are found by their place in the base file where every block says it, and by their key
  * otherwise: hudilite's own base files are in the order of the keys, others are looked up in a hash map of the log, or
  * are sorted when that does not fit into memory.
  */
private[spark] final class SliceReader(job: FileRead, merge: SliceMerge, contexts: ReaderContexts,
    counts: MergeCounts) {

  import SliceReader._

  private val conf = contexts.conf

  private val logColumns: StructType =
    StructType(job.columns.fields ++ timeColumn.filterNot(f => job.columns.fieldNames.contains(f.name)))

  private lazy val logRows = LogRowLayout(merge.log, logColumns)

  /** The rows of a slice.
    *
    * @param beforeRange
    *   of an incremental query: the slice with what was there before the range, of which records with only some columns
    *   take the others
    */
  def open(slice: FileSlice, beforeRange: Option[FileSlice]): SplitReader[ColumnarBatch] = {
    val blocks = LogBlocks.of(merge.log, slice, conf)
    beforeRange.filter(_ => takesColumns(blocks)) match {
      case Some(all) => merged(all, LogBlocks.of(merge.log.ofAllWrites, all, conf))
      case None => merged(slice, blocks)
    }
  }

  /** Rows of the base file give columns to records, or take some from them. */
  private def takesColumns(blocks: LogBlocks): Boolean = merge.log.rule.completesAll || blocks.havePartial

  private def merged(slice: FileSlice, blocks: LogBlocks): SplitReader[ColumnarBatch] = {
    counts.logFiles += slice.logs.size
    slice.base match {
      case Some(base) if blocks.selected.isEmpty => batches(job, base)
      case Some(base) =>
        val bounds = boundsOf(base)
        byPosition(base, blocks, bounds).getOrElse(byKey(base, blocks, bounds))
      case None =>
        val log = MergedLog.of(logRows, blocks, conf)
        new BaseSide(Some(KeyColumn), log, blocks).merged(None, new LogOnlyMatcher(log))
    }
  }

  private def boundsOf(base: BaseFile): Option[IndexedSeq[Any]] =
    if (!merge.log.rule.compares || base.source.isDefined || merge.log.namesIn(base.instant) != ColumnNames.Same) None
    else {
      val wanted = BoundsWanted(columns = merge.log.orderingColumns.map(_.name))
      OrderingBounds.of(FileStatistics.at(job.basePath, conf).ofFile(base, wanted), merge.log.orderingColumns)
    }

  private def byPosition(
      base: BaseFile, blocks: LogBlocks, bounds: Option[IndexedSeq[Any]]): Option[SplitReader[ColumnarBatch]] =
    if (!job.settings.vectorized) None
    else MergedLog.byPosition(logRows, blocks, conf, bounds).map { log =>
      val counted = new BaseSide(None, log, blocks)
      if (counted.readsEveryRow(base)) counted.opened(base, new CountingMatcher(log))
      else {
        val side = new BaseSide(Some(RowReader.RowIndex), log, blocks)
        side.opened(base, new PositionMatcher(log, side.columns.fieldIndex(RowReader.RowIndex.name)))
      }
    }

  private def byKey(
      base: BaseFile, blocks: LogBlocks, bounds: Option[IndexedSeq[Any]]): SplitReader[ColumnarBatch] = {
    val log = MergedLog.of(logRows, blocks, conf, bounds)
    val side = new BaseSide(Some(KeyColumn), log, blocks)
    val key = side.columns.fieldIndex(MetaFields.RecordKey)
    if (baseFile(job, base).sortedByKey) side.opened(base, new KeyMatcher(log, key))
    else HashedMatcher.of(log, key) match {
      case Some(matcher) => side.opened(base, matcher)
      case None =>
        val sorted = new SortedRows(batches(side.scan, base), side.columns, key)
        closing(sorted) {
          side.merged(Some(new RowBatches(sorted, side.columns, job.settings.batchSize)),
            new KeyMatcher(MergedLog.of(logRows, blocks, conf), key))
        }
    }
  }

  private def batches(job: FileRead, base: BaseFile): SplitReader[ColumnarBatch] = {
    val file = FileRange.of(base)
    if (job.settings.vectorized) BaseFileRows.batches(job, contexts, file)
    else new RowBatches(BaseFileRows.rows(job, contexts, file), job.columns, job.settings.batchSize)
  }

  private def baseFile(job: FileRead, base: BaseFile): BaseFileReader =
    new BaseFileReader(job, contexts, FileRange.of(base))

  private def timeColumn: Option[StructField] = job.commitTimes.map(_ => StructField(MetaFields.CommitTime, StringType))

  /** How a base file is read to be merged with a log.
    *
    * @param place
    *   the column that tells which record of the log is for a row; where all rows of the file are read and counted, none
    */
  private final class BaseSide(place: Option[StructField], log: MergedLog, blocks: LogBlocks) {

    private val rule: MergeRule = if (log.winOverBase) log.rule.ofWinners else log.rule
    private val compared: Seq[StructField] = if (rule.compares) merge.log.orderingColumns else Nil

    /** The columns to deliver, then those that only the merge looks at. */
    val columns: StructType = {
      val hidden = place ++ compared ++ timeColumn
      StructType(job.columns.fields ++ hidden.filterNot(f => job.columns.fieldNames.contains(f.name)))
    }

    // Where ordering values are compared an old row must be seen to win, whatever else a filter says about it; and where
    // a record has only some columns, the row has the others.
    private val pushed: Seq[ScanFilter] =
      if (compared.nonEmpty || takesColumns(blocks))
        ScanFilter.conjuncts(job.filters).filter(_.columns.subsetOf(merge.keyColumns))
      else
        job.filters ++ job.commitTimes.map(BaseFileReader.textIn(MetaFields.CommitTime, _))

    val scan: FileRead =
      job.copy(columns = columns, filters = if (place.isEmpty) Nil else pushed, keysToCheck = false, commitTimes = None)

    /** The filters can leave out no row group, and are not worth that rows are numbered for the pages that they could. */
    def readsEveryRow(base: BaseFile): Boolean = !job.settings.pushFilters ||
      (job.keys.isEmpty &&
        (pushed.isEmpty ||
          (base.source.isEmpty && FilteredNulls.nowhereAlone(baseFile(job, base).footer, pushed))))

    def opened(base: BaseFile, matcher: LogMatcher): SplitReader[ColumnarBatch] =
      closing(matcher)(merged(Some(batches(scan, base)), matcher))

    def merged(base: Option[SplitReader[ColumnarBatch]], matcher: LogMatcher): MergedBatches =
      new MergedBatches(job, base, columns, rule, compared.map(_.name), logColumns, matcher, counts)
  }
}

private object SliceReader {

  val KeyColumn: StructField = StructField(MetaFields.RecordKey, StringType)

  private def closing[T](resource: AutoCloseable)(open: => T): T =
    try open
    catch {
      case e: Throwable =>
        resource.close()
        throw e
    }
}

/** A merge of base and log files, besides the scan.
  *
  * @param keyColumns
  *   columns in which all versions of a record agree
  */
final case class SliceMerge(log: LogJob, keyColumns: Set[Seq[String]])

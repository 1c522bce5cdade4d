package io.hudilite.spark.slice.deliver

import io.hudilite.merge.MergeRule
import io.hudilite.record.MetaFields
import io.hudilite.spark.basefile.read.{FileRead, SelectedVector, SplitReader}

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.vectorized.{ColumnVector, ColumnarBatch}
import org.apache.spark.unsafe.types.UTF8String

/** Counts of merged slices, for the metrics of a scan. */
private[spark] final class MergeCounts {
  var logFiles = 0L
  var logRecords = 0L
  var rowsReplaced = 0L
}

/** Batches of a slice with log files: those of the base file as the log changes them, and in between batches of the
  * rows that only the log has.
  *
  * A base batch keeps its vectors. A row that the log has anew is written over the old one where the vectors can hold
  * it, and otherwise delivered with the log's own; rows that are gone are passed over by a selection on top.
  *
  * @param base
  *   the base file's batches of `baseColumns`, which begin with the columns to deliver; none for a slice without one
  * @param rule
  *   compares nothing when it is known that each record of the log wins over any row
  * @param ordering
  *   the ordering columns that the rule compares
  * @param logColumns
  *   columns of the log's rows: those to deliver, and the commit time when rows are filtered by it
  */
private[slice] final class MergedBatches(
    job: FileRead, base: Option[SplitReader[ColumnarBatch]], baseColumns: StructType,
    rule: MergeRule, ordering: Seq[String], logColumns: StructType, private[deliver] val matcher: LogMatcher,
    counts: MergeCounts)
    extends SplitReader[ColumnarBatch] with ReaderSink {

  private val loop = new MergeLoop(base, baseColumns, rule, ordering, logColumns, matcher, this)
  private val commitTimes = job.commitTimes.map(_.map(UTF8String.fromString))
  private val baseTimeColumn = commitTimes.fold(-1)(_ => baseColumns.fieldIndex(MetaFields.CommitTime))
  private val logTimeColumn = commitTimes.fold(-1)(_ => logColumns.fieldIndex(MetaFields.CommitTime))

  private val logRows = new RowBatch(logColumns, job.settings.batchSize)
  private val logBatch = new ColumnarBatch(logRows.vectors.take(job.columns.length).map(v => v: ColumnVector))

  private val selection = new Array[Int](job.settings.batchSize)
  private var source: ColumnarBatch = _
  private var whole: ColumnarBatch = _
  private var selected: ColumnarBatch = _
  private var inPlace: Option[RowOverwriter] = None
  private var keptRows = 0
  private var selectedRows = 0 // of those kept that are in the selection; the others are the first of the batch
  private var current: ColumnarBatch = _
  private var finished = false
  private var counted = 0L

  override def next(): Boolean = {
    // hot path: once per batch
    if (current eq logBatch) logRows.clear()
    current = null
    while (current == null && !finished) step()
    counts.logRecords += matcher.records - counted
    counted = matcher.records
    current != null
  }

  private def step(): Unit =
    if (isFull) deliverLog()
    else if (!loop.step()) {
      finished = true
      if (logRows.rows > 0) deliverLog()
    }

  override def isFull: Boolean = logRows.isFull

  override def start(batch: ColumnarBatch): Unit = {
    if (batch ne source) {
      source = batch
      val columns = job.columns.fields.indices.map(i => batch.column(i)).toArray
      whole = new ColumnarBatch(columns)
      selected = new ColumnarBatch(columns.map(v => new SelectedVector(v, selection): ColumnVector))
      inPlace = if (commitTimes.isEmpty) RowOverwriter.of(columns.toSeq.zip(job.columns.fieldNames).map {
        case (vector, name) => (vector, logColumns.fieldIndex(name))
      })
      else None // a row and the one that it replaces are not in the range alike
    }
    keptRows = 0
    selectedRows = 0
  }

  override def kept(old: BatchRow): Unit = untouched(old.at, old.at + 1)

  override def deleted(old: BatchRow): Unit = counts.rowsReplaced += 1

  override def replaced(old: BatchRow, row: InternalRow): Unit = {
    counts.rowsReplaced += 1
    if (overwrites(old.at, row)) untouched(old.at, old.at + 1) else inserted(row)
  }

  /** Writes the values over the row, if the batch can hold them. */
  private def overwrites(at: Int, values: InternalRow): Boolean = {
    val possible = inPlace.isDefined && inPlace.get.canHold(values)
    if (possible) inPlace.get.overwrite(at, values)
    possible
  }

  override def untouched(from: Int, until: Int): Unit =
    if (baseTimeColumn >= 0) keepInRange(from, until)
    else if (keptRows == from) keptRows = until // nothing is passed over yet, and the selection not looked at
    else select(from, until)

  private def keepInRange(from: Int, until: Int): Unit = {
    var at = from
    while (at < until) { // hot path
      if (isInRange(at)) select(at, at + 1)
      at += 1
    }
  }

  private def select(from: Int, until: Int): Unit = {
    selectFirst()
    var at = from
    while (at < until) { // hot path
      selection(keptRows) = at
      keptRows += 1
      at += 1
    }
    selectedRows = keptRows
  }

  private def selectFirst(): Unit = while (selectedRows < keptRows) { // hot path
    selection(selectedRows) = selectedRows
    selectedRows += 1
  }

  private def isInRange(at: Int): Boolean = {
    val column = source.column(baseTimeColumn)
    !column.isNullAt(at) && commitTimes.exists(_.contains(column.getUTF8String(at)))
  }

  override def inserted(row: InternalRow): Unit = {
    val inRange = logTimeColumn < 0 ||
      (!row.isNullAt(logTimeColumn) && commitTimes.exists(_.contains(row.getUTF8String(logTimeColumn))))
    if (inRange) logRows.append(row)
  }

  override def end(): Unit = if (keptRows > 0) {
    if (keptRows == source.numRows) current = whole
    else {
      selectFirst()
      current = selected
    }
    current.setNumRows(keptRows)
  }

  private def deliverLog(): Unit = {
    logBatch.setNumRows(logRows.rows)
    current = logBatch
  }

  override def get(): ColumnarBatch = current

  override def size: Int = current.numRows

  override def close(): Unit = {
    loop.close()
    logRows.close()
  }
}

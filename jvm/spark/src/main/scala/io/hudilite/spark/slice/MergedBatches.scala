package io.hudilite.spark.slice

import io.hudilite.merge.{MergeRule, Outcome, Version}
import io.hudilite.record.MetaFields
import io.hudilite.spark.basefile.read.{FileRead, SelectedVector, SplitReader}

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.vectorized.{ColumnVector, ColumnarBatch}
import org.apache.spark.unsafe.types.UTF8String

/** Counts of merging slices, for the metrics of a scan. */
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
  *   where `baseColumns` has the ordering columns that the rule compares
  * @param logColumns
  *   columns of the log's rows: those to deliver, and the commit time when rows are filtered by it
  */
private[slice] final class MergedBatches(
    job: FileRead, base: Option[SplitReader[ColumnarBatch]], baseColumns: StructType,
    rule: MergeRule, ordering: Array[Int], logColumns: StructType, private[slice] val matcher: LogMatcher,
    counts: MergeCounts)
    extends SplitReader[ColumnarBatch] {

  private val orderingTypes = ordering.map(baseColumns(_).dataType)
  private lazy val baseOrdinals = logColumns.fieldNames.map(baseColumns.fieldIndex)
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
  private var row = 0
  private var rows = 0
  private var kept = 0
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
    if (logRows.isFull) deliverLog()
    else if (row < rows) {
      mergeRows()
      if (row == rows) deliverBase()
    } else if (base.exists(_.next())) startBatch(base.get.get())
    else if (matcher.nextUnmatched()) emit(matcher.record.row)
    else {
      finished = true
      if (logRows.rows > 0) deliverLog()
    }

  private def startBatch(batch: ColumnarBatch): Unit = {
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
    row = 0
    kept = 0
    selectedRows = 0
    rows = batch.numRows
    matcher.start(batch)
  }

  /** Goes on through the base batch until its end, or until there is no room for another row of the log. */
  private def mergeRows(): Unit =
    while (row < rows && !logRows.isFull) { // hot path
      val at = matcher.seek(row)
      keep(row, at)
      row = at
      if (at < rows) {
        if (!matcher.isMatch) emit(matcher.record.row)
        else {
          decide(at) match {
            case Outcome.Kept | Outcome.Underlaid => keep(at, at + 1)
            case Outcome.Deleted => counts.rowsReplaced += 1
            case Outcome.Replaced => replace(at, matcher.record.row)
            case Outcome.Overlaid => replace(at, matcher.record.over(valueAt(at, _)))
          }
          row = at + 1
        }
        matcher.advance()
      }
    }

  // Only rows that have a record in the log are asked for their ordering values.
  private object baseRow extends Version {
    var at = 0
    override def ordering(field: Int): Any = {
      val ordinal = MergedBatches.this.ordering(field)
      if (source.column(ordinal).isNullAt(at)) null else source.getRow(at).get(ordinal, orderingTypes(field))
    }
  }

  private def decide(at: Int): Outcome = {
    baseRow.at = at
    rule.decide(matcher.record, baseRow)
  }

  /** Value of a column of the log in a row of the base file. */
  private def valueAt(at: Int, column: Int): Any = {
    val ordinal = baseOrdinals(column)
    if (source.column(ordinal).isNullAt(at)) null else source.getRow(at).get(ordinal, logColumns(column).dataType)
  }

  private def replace(at: Int, values: InternalRow): Unit = {
    counts.rowsReplaced += 1
    if (overwrites(at, values)) keep(at, at + 1) else emit(values)
  }

  /** Writes the values over the row, if the batch can hold them. */
  private def overwrites(at: Int, values: InternalRow): Boolean = {
    val possible = inPlace.isDefined && inPlace.get.canHold(values)
    if (possible) inPlace.get.overwrite(at, values)
    possible
  }

  private def keep(from: Int, until: Int): Unit =
    if (baseTimeColumn >= 0) keepInRange(from, until)
    else if (kept == from) kept = until // nothing is passed over yet, and the selection not looked at
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
      selection(kept) = at
      kept += 1
      at += 1
    }
    selectedRows = kept
  }

  private def selectFirst(): Unit = while (selectedRows < kept) { // hot path
    selection(selectedRows) = selectedRows
    selectedRows += 1
  }

  private def isInRange(at: Int): Boolean = {
    val column = source.column(baseTimeColumn)
    !column.isNullAt(at) && commitTimes.exists(_.contains(column.getUTF8String(at)))
  }

  private def emit(values: InternalRow): Unit = if (!matcher.record.isDelete) {
    val inRange = logTimeColumn < 0 ||
      (!values.isNullAt(logTimeColumn) &&
        commitTimes.exists(_.contains(values.getUTF8String(logTimeColumn))))
    if (inRange) logRows.append(values)
  }

  private def deliverBase(): Unit = if (kept > 0) {
    if (kept == rows) current = whole
    else {
      selectFirst()
      current = selected
    }
    current.setNumRows(kept)
  }

  private def deliverLog(): Unit = {
    logBatch.setNumRows(logRows.rows)
    current = logBatch
  }

  override def get(): ColumnarBatch = current

  override def size: Int = current.numRows

  override def close(): Unit = {
    matcher.close()
    base.foreach(_.close())
    logRows.close()
  }
}

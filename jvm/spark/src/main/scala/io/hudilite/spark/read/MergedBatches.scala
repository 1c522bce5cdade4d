package io.hudilite.spark.read

import io.hudilite.record.MetaFields
import io.hudilite.spark.row.SelectedVector
import org.apache.spark.sql.execution.vectorized.ConstantColumnVector
import org.apache.spark.sql.types.{StringType, StructType}
import org.apache.spark.sql.vectorized.{ColumnVector, ColumnarBatch}
import org.apache.spark.unsafe.types.UTF8String

/** What merging slices came to, for the metrics of a scan. */
private[read] final class MergeCounts {
  var logFiles = 0L
  var logRecords = 0L
  var rowsReplaced = 0L
}

/** Batches of a slice with log files: those of the base file without the rows that the log replaces, and in between
  * batches of what the log has instead.
  *
  * A base batch keeps its vectors; rows that are gone are passed over by a selection on top.
  *
  * @param base
  *   the base file's batches of `baseColumns`, which begin with the columns to deliver; none for a slice without one
  * @param ordering
  *   where `baseColumns` has the ordering columns
  * @param logColumns
  *   columns of the log's rows: those to deliver that files hold, and the commit time when rows are filtered by it
  */
private[read] final class MergedBatches(
    job: ScanJob, fileId: String, base: Option[SplitReader[ColumnarBatch]], baseColumns: StructType,
    ordering: Array[Int], logColumns: StructType, matcher: LogMatcher, counts: MergeCounts)
    extends SplitReader[ColumnarBatch] {

  private val orderingTypes = ordering.map(baseColumns(_).dataType)
  private val commitTimes = job.commitTimes.map(_.map(UTF8String.fromString))
  private val baseTimeColumn = commitTimes.fold(-1)(_ => baseColumns.fieldIndex(MetaFields.CommitTime))
  private val logTimeColumn = commitTimes.fold(-1)(_ => logColumns.fieldIndex(MetaFields.CommitTime))

  private val logRows = new RowBatch(logColumns, job.settings.batchSize)
  private val fileIds = new ConstantColumnVector(job.settings.batchSize, StringType)
  fileIds.setUtf8String(UTF8String.fromString(fileId))
  private val logBatch = new ColumnarBatch(job.columns.fieldNames.map { name =>
    if (name == ScanJob.FileId) fileIds else logRows.vectors(logColumns.fieldIndex(name)): ColumnVector
  })

  private val selection = new Array[Int](job.settings.batchSize)
  private var source: ColumnarBatch = _
  private var whole: ColumnarBatch = _
  private var selected: ColumnarBatch = _
  private var row = 0
  private var rows = 0
  private var kept = 0
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
    else if (matcher.nextUnmatched()) emit()
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
    }
    row = 0
    kept = 0
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
        if (!matcher.isMatch) emit()
        else {
          if (wins(at)) {
            counts.rowsReplaced += 1
            emit()
          } else keep(at, at + 1)
          row = at + 1
        }
        matcher.advance()
      }
    }

  // Only rows that have a record in the log are asked for their ordering values.
  private def wins(at: Int): Boolean = matcher.record.alwaysWins || matcher.record.winsOver { i =>
    val column = source.column(ordering(i))
    if (column.isNullAt(at)) null else source.getRow(at).get(ordering(i), orderingTypes(i))
  }

  private def keep(from: Int, until: Int): Unit = {
    // hot path
    var at = from
    while (at < until) {
      if (baseTimeColumn < 0 || isInRange(at)) {
        selection(kept) = at
        kept += 1
      }
      at += 1
    }
  }

  private def isInRange(at: Int): Boolean = {
    val column = source.column(baseTimeColumn)
    !column.isNullAt(at) && commitTimes.exists(_.contains(column.getUTF8String(at)))
  }

  private def emit(): Unit = if (!matcher.record.isDelete) {
    val values = matcher.record.row
    val inRange = logTimeColumn < 0 ||
      (!values.isNullAt(logTimeColumn) &&
        commitTimes.exists(_.contains(values.getUTF8String(logTimeColumn))))
    if (inRange) logRows.append(values)
  }

  private def deliverBase(): Unit = if (kept > 0) {
    current = if (kept == rows) whole else selected
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

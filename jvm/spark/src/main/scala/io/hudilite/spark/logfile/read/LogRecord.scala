package io.hudilite.spark.logfile.read

import org.apache.spark.sql.catalyst.{InternalRow, ProjectingInternalRow}
import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.apache.spark.unsafe.types.UTF8String

/** One record of a log as a merge looks at it; moves from row to row. */
private[spark] final class LogRecord private[spark] (rows: LogRows) {

  private val rule = new LogMergeRule(rows)
  private val view = ProjectingInternalRow(rows.columns, rows.columnOrdinals)
  private var current: UnsafeRow = _

  def moveTo(row: UnsafeRow): Unit = {
    current = row
    view.project(row)
  }

  /** The record with its bookkeeping, to be kept and moved to again. */
  def content: UnsafeRow = current

  /** Notes in the record itself, wherever it is kept, that it has been dealt with. */
  def markDone(): Unit = current.setLong(LogRows.Sequence, LogRecord.Done)

  def isDone(row: UnsafeRow): Boolean = row.getLong(LogRows.Sequence) == LogRecord.Done

  def key: UTF8String = current.getUTF8String(rows.keyOrdinal)

  /** Row of the base file that the record replaces, see `RowPosition`; unknown when it was not asked for. */
  def position: Long = current.getLong(LogRows.Position)

  def isDelete: Boolean = LogRows.has(current, LogRows.Delete)

  /** Columns of the table say that the record deletes its key. */
  def deletesByColumn: Boolean = LogRows.has(current, LogRows.ByColumn)

  /** The wanted columns; of a delete block's record only the key and the ordering columns are not null. */
  def values: InternalRow = view

  /** The wanted columns; null for a delete block's record, which has no values. */
  def row: InternalRow = if (LogRows.has(current, LogRows.KeyOnly)) null else view

  /** The record wins over any row of the base file. */
  def alwaysWins: Boolean = rule.alwaysWins(current)

  /** Whether the record wins over a row of the base file with these values in the ordering columns of the job. */
  def winsOver(baseOrdering: Int => Any): Boolean = rule.winsOver(current, baseOrdering)
}

private object LogRecord {

  // No record of a log has this place in it.
  private val Done = -1L
}

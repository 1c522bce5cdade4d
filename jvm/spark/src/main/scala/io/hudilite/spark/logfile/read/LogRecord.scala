package io.hudilite.spark.logfile.read

import io.hudilite.merge.Version

import org.apache.spark.sql.catalyst.{InternalRow, ProjectingInternalRow}
import org.apache.spark.sql.catalyst.expressions.{GenericInternalRow, UnsafeRow}
import org.apache.spark.unsafe.types.UTF8String

/** The newer side of a merge with rows of a base file: a record of a log, or a row that is written. */
private[spark] trait NewerVersion extends Version {

  /** Its row, null when it has only a key. */
  def row: InternalRow

  /** Its columns on top of an older row, whose values of the columns that it lacks are asked for by their positions in
    * its own row. Nothing in the result belongs to the older row.
    */
  def over(base: Int => Any): InternalRow

  /** An older row that wins, completed by its columns, as of [[over]]; null when that needs none of them. */
  def under(base: Int => Any): InternalRow
}

/** One record of a log as a merge looks at it; moves from row to row. */
private[spark] final class LogRecord private[spark] (rows: LogRowLayout) extends NewerVersion {

  private val view = ProjectingInternalRow(rows.columns, rows.columnOrdinals)
  private var current: UnsafeRow = _

  def moveTo(row: UnsafeRow): LogRecord = {
    current = row
    view.project(row)
    this
  }

  /** The record with its bookkeeping, to be kept and moved to again. */
  def content: UnsafeRow = current

  /** Notes in the record itself, wherever it is kept, that it has been dealt with. */
  def markDone(): Unit = current.setLong(LogRowLayout.Sequence, LogRecord.Done)

  def isDone(row: UnsafeRow): Boolean = row.getLong(LogRowLayout.Sequence) == LogRecord.Done

  def key: UTF8String = current.getUTF8String(rows.keyOrdinal)

  /** Row of the base file that the record replaces, see `RowPosition`; unknown when it was not asked for. */
  def position: Long = current.getLong(LogRowLayout.Position)

  override def isDelete: Boolean = LogRowLayout.has(current, LogRowLayout.Delete)

  override def isUnordered: Boolean = LogRowLayout.has(current, LogRowLayout.Unordered)

  override def ordering(field: Int): Any = {
    val ordinal = rows.orderingOrdinals(field)
    if (current.isNullAt(ordinal)) null else current.get(ordinal, rows.orderingTypes(field))
  }

  /** Columns of the table say that the record deletes its key. */
  def deletesByColumn: Boolean = LogRowLayout.has(current, LogRowLayout.ByColumn)

  /** The wanted columns; of a delete block's record only the key and the ordering columns are not null. */
  def values: InternalRow = view

  /** The wanted columns; null for a delete block's record, which has no values. */
  override def row: InternalRow = if (LogRowLayout.has(current, LogRowLayout.KeyOnly)) null else view

  override def isPartial: Boolean = LogRowLayout.isPartial(current)

  /** Number of the set of columns that the record has, 0 for all of them; see `LogRowLayout.columnSet`. */
  def columnSet: Int = LogRowLayout.columnSet(current)

  override def over(base: Int => Any): InternalRow = {
    val whole = if (isPartial) new GenericInternalRow(Array.tabulate[Any](rows.columns.length)(i =>
        InternalRow.copyValue(if (isPresent(i)) value(i) else base(i))))
    else view
    rows.gaps.fold[InternalRow](whole) { gaps =>
      val filled = gaps.filled(i => if (isPresent(i)) value(i) else base(i), base)
      if (filled == null) whole else new GenericInternalRow(filled)
    }
  }

  override def under(base: Int => Any): InternalRow = {
    val filled = rows.gaps.map(_.filled(base, i => if (isPresent(i)) value(i) else base(i))).orNull
    if (filled == null) null else new GenericInternalRow(filled)
  }

  private def isPresent(column: Int): Boolean =
    rows.present(current)(rows.columnOrdinals(column) - LogRowLayout.BookkeepingColumns)

  private def value(column: Int): Any = {
    val at = rows.columnOrdinals(column)
    if (current.isNullAt(at)) null else current.get(at, rows.columns(column).dataType)
  }
}

private object LogRecord {

  // No record of a log has this place in it.
  private val Done = -1L
}

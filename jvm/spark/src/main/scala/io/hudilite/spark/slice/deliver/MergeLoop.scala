package io.hudilite.spark.slice.deliver

import io.hudilite.spark.slice.OutcomeSink
import io.hudilite.merge.{MergeRule, Outcome, Version}
import io.hudilite.spark.basefile.read.SplitReader

import java.io.Closeable

import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.vectorized.ColumnarBatch

/** The loop over the batches of a base file and the records of a log, on the way to a reader. It leaves base rows in the
  * vectors that Spark's reader filled, and never looks at most of them. `BaseMerge` is the one on the way into the next
  * base file.
  *
  * @param base
  *   the base file's batches of `baseColumns`; none for a slice without one
  * @param rule
  *   compares nothing when it is known that each record of the log wins over any row
  * @param logColumns
  *   columns of the log's rows, all of them among `baseColumns` where records have only some
  */
private[slice] final class MergeLoop(base: Option[SplitReader[ColumnarBatch]], baseColumns: StructType,
    rule: MergeRule, ordering: Seq[String], logColumns: StructType, matcher: LogMatcher, sink: ReaderSink)
    extends Closeable {

  private val old = new BatchRow(baseColumns, ordering.map(baseColumns.fieldIndex).toArray)
  private lazy val baseOrdinals = logColumns.fieldNames.map(baseColumns.fieldIndex)
  private lazy val ofOld: Int => Any = column => old.value(baseOrdinals(column))
  private var row = 0
  private var rows = 0

  /** Goes on until the sink is full or a batch ends, at the latest; false when there is nothing left. */
  def step(): Boolean =
    if (row < rows) {
      mergeRows()
      if (row == rows) sink.end()
      true
    } else if (base.exists(_.next())) {
      start(base.get.get())
      true
    } else {
      val found = matcher.nextUnmatched()
      if (found) insert()
      found
    }

  private def start(batch: ColumnarBatch): Unit = {
    old.batch = batch
    row = 0
    rows = batch.numRows
    sink.start(batch)
    matcher.start(batch)
  }

  /** Goes on through the base batch until its end, or until the sink is full. */
  private def mergeRows(): Unit =
    while (row < rows && !sink.isFull) { // hot path
      val at = matcher.seek(row)
      sink.untouched(row, at)
      row = at
      if (at < rows) {
        if (!matcher.isMatch) insert()
        else {
          old.at = at
          decide()
          row = at + 1
        }
        matcher.advance()
      }
    }

  // Only rows that have a record in the log are asked for their ordering values.
  private def decide(): Unit = rule.decide(matcher.record, old) match { // hot path
    case Outcome.Kept => sink.kept(old)
    case Outcome.Underlaid =>
      val completed = matcher.record.under(ofOld)
      if (completed == null) sink.kept(old) else sink.replaced(old, completed)
    case Outcome.Deleted => sink.deleted(old)
    case Outcome.Replaced => sink.replaced(old, matcher.record.row)
    case Outcome.Overlaid => sink.replaced(old, matcher.record.over(ofOld))
  }

  private def insert(): Unit = if (!matcher.record.isDelete) sink.inserted(matcher.record.row)

  override def close(): Unit = {
    matcher.close()
    base.foreach(_.close())
  }
}

/** Rows of merged slices on their way to a reader. */
private[slice] trait ReaderSink extends OutcomeSink[BatchRow] {

  /** Goes on to the next batch of the base file, which is valid until the next. */
  def start(batch: ColumnarBatch): Unit

  /** Rows `[from, until)` of the batch have no record in the log. */
  def untouched(from: Int, until: Int): Unit

  /** All rows of the batch have been told. */
  def end(): Unit

  /** It is to be emptied before it is told of more rows. */
  def isFull: Boolean
}

/** A row of a base batch; moves from row to row.
  *
  * @param compared
  *   where `columns` has the ordering values that are compared
  */
private[slice] final class BatchRow(columns: StructType, compared: Array[Int]) extends Version {

  private val types = columns.fields.map(_.dataType)
  var batch: ColumnarBatch = _
  var at = 0

  /** Value of a column, null when it is null. */
  def value(column: Int): Any =
    if (batch.column(column).isNullAt(at)) null else batch.getRow(at).get(column, types(column))

  override def ordering(field: Int): Any = value(compared(field))
}

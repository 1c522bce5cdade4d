package io.hudilite.spark.slice.deliver

import io.hudilite.spark.logfile.read.{LogRecord, MergedLog}
import io.hudilite.spark.row.OrderedRows

import java.io.Closeable

import org.apache.spark.sql.vectorized.{ColumnVector, ColumnarBatch}

/** Finds the rows of base batches that log records replace.
  *
  * After `seek` there is a present record unless it answered the number of rows; it either replaces the row found, or
  * has no row in the base file.
  */
private[slice] trait LogMatcher extends Closeable {

  /** Goes on to the next batch of the base file. */
  def start(batch: ColumnarBatch): Unit

  /** First row from `from` on with something to do; the number of rows when there is none in this batch. */
  def seek(from: Int): Int

  /** The present record replaces the row that `seek` found. */
  def isMatch: Boolean

  def record: LogRecord

  /** Leaves the present record. */
  def advance(): Unit

  /** Behind the last batch: moves on to a record that found no row; `false` when there is none left. */
  def nextUnmatched(): Boolean

  /** Log records read, before merging. */
  def records: Long
}

/** Base rows and log records in the same order: both are passed once, and rows between two records are leapt over. */
private[slice] abstract class OrderedMatcher(log: MergedLog) extends OrderedRows with LogMatcher {

  private var present = log.next()
  private var rows = 0
  private var at = 0
  // Records before the present one are done; `nextUnmatched` begins with the present one.
  private var drained = false

  /** Sets what `compare` looks at beside the present record. */
  protected def look(batch: ColumnarBatch): Unit

  override def start(batch: ColumnarBatch): Unit = {
    rows = batch.numRows
    look(batch)
  }

  override def seek(from: Int): Int = {
    at = if (!present || from >= rows || compare(rows - 1) < 0) rows else firstNotBelow(from, rows - 1)
    at
  }

  override def isMatch: Boolean = compare(at) == 0

  override def record: LogRecord = log.record

  override def advance(): Unit = present = log.next()

  override def nextUnmatched(): Boolean = {
    if (drained) advance()
    drained = true
    present
  }

  override def records: Long = log.records

  override def close(): Unit = log.close()
}

/** By record keys; the base rows are in the order of the keys' UTF-8 bytes. */
private[slice] final class KeyMatcher(log: MergedLog, keyColumn: Int) extends OrderedMatcher(log) {
  private var keys: ColumnVector = _
  override protected def look(batch: ColumnarBatch): Unit = keys = batch.column(keyColumn)
  override protected def compare(row: Int): Int = keys.getUTF8String(row).compareTo(log.record.key)
}

/** By the places of rows in the base file, without a look at their keys; filters have left rows of the file out. */
private[slice] final class PositionMatcher(log: MergedLog, indexColumn: Int) extends OrderedMatcher(log) {
  private var index: ColumnVector = _
  override protected def look(batch: ColumnarBatch): Unit = index = batch.column(indexColumn)
  override protected def compare(row: Int): Int =
    java.lang.Long.compare(index.getLong(row), log.record.position)
}

/** By the places of rows in the base file where every row is read: rows are counted, which costs less than to have them numbered. */
private[slice] final class CountingMatcher(log: MergedLog) extends OrderedMatcher(log) {
  private var first = 0L
  private var behind = 0L

  override protected def look(batch: ColumnarBatch): Unit = {
    first = behind
    behind += batch.numRows
  }

  override protected def compare(row: Int): Int = java.lang.Long.compare(first + row, log.record.position)
}

/** No base rows at all: every record stands alone. */
private[slice] final class LogOnlyMatcher(log: MergedLog) extends OrderedMatcher(log) {
  override protected def look(batch: ColumnarBatch): Unit = ()
  override protected def compare(row: Int): Int = -1
}

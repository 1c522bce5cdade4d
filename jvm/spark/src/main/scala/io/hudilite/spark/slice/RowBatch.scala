package io.hudilite.spark.slice

import io.hudilite.spark.basefile.read.SplitReader
import io.hudilite.spark.row.Nullability

import java.io.Closeable

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.execution.hudilite.RowColumns
import org.apache.spark.sql.execution.vectorized.{OnHeapColumnVector, WritableColumnVector}
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.vectorized.ColumnarBatch

/** Rows collected into column vectors, which are used again for the next rows.
  *
  * @param capacity
  *   rows of a batch
  */
private[slice] final class RowBatch(schema: StructType, capacity: Int) extends Closeable {

  private val relaxed = Nullability.relaxed(schema)
  private val columns = new RowColumns(relaxed)
  private var count = 0

  val vectors: Array[WritableColumnVector] =
    OnHeapColumnVector.allocateColumns(capacity, relaxed).map(v => v: WritableColumnVector)

  def rows: Int = count

  def isFull: Boolean = count == capacity

  /** Copies the row behind the others. */
  def append(row: InternalRow): Unit = {
    columns.append(row, vectors)
    count += 1
  }

  /** Forgets all rows. */
  def clear(): Unit = if (count > 0) {
    vectors.foreach(_.reset())
    count = 0
  }

  override def close(): Unit = vectors.foreach(_.close())
}

/** Batches out of rows: of sessions without Spark's vectorized reader, and of rows that had to be sorted. */
private[slice] final class RowBatches(rows: SplitReader[InternalRow], schema: StructType, capacity: Int)
    extends SplitReader[ColumnarBatch] {

  private val collected = new RowBatch(schema, capacity)
  private val batch = new ColumnarBatch(collected.vectors.map(v => v: org.apache.spark.sql.vectorized.ColumnVector))

  override def next(): Boolean = {
    collected.clear()
    while (!collected.isFull && rows.next()) collected.append(rows.get()) // hot path
    batch.setNumRows(collected.rows)
    collected.rows > 0
  }

  override def get(): ColumnarBatch = batch

  override def size: Int = batch.numRows

  override def close(): Unit = {
    collected.close()
    rows.close()
  }
}

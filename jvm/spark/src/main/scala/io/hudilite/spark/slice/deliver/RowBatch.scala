package io.hudilite.spark.slice.deliver

import io.hudilite.spark.basefile.read.{BatchRows, SplitReader}
import io.hudilite.spark.row.Nullability

import java.io.Closeable

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.execution.hudilite.RowColumns
import org.apache.spark.sql.execution.vectorized.{OnHeapColumnVector, WritableColumnVector}
import org.apache.spark.sql.types._
import org.apache.spark.sql.vectorized.ColumnarBatch

/** Rows collected into column vectors, which are used again for the next rows.
  *
  * @param capacity
  *   rows of a batch; fewer, where they are wide
  */
private[slice] final class RowBatch(schema: StructType, capacity: Int) extends Closeable {

  private val relaxed = Nullability.relaxed(schema)
  private val columns = new RowColumns(relaxed)
  private var count = 0

  val vectors: Array[WritableColumnVector] =
    OnHeapColumnVector.allocateColumns(capacity, relaxed).map(v => v: WritableColumnVector)

  // Vectors that grow with the width of the values: of bytes, and of the elements of lists and maps.
  private val (bytes, elements) = vectors.toSeq.flatMap(RowBatch.growing).partition(_.dataType == ByteType)
  private val growingBytes = bytes.toArray
  private val growingElements = elements.toArray

  def rows: Int = count

  def isFull: Boolean = count == capacity || size >= BatchRows.MostBytes

  private def size: Long = {
    var sum = 0L
    var i = 0
    while (i < growingBytes.length) { // hot path
      sum += growingBytes(i).getElementsAppended
      i += 1
    }
    i = 0
    while (i < growingElements.length) {
      sum += growingElements(i).getElementsAppended * java.lang.Long.BYTES.toLong
      i += 1
    }
    sum
  }

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

private object RowBatch {

  private def growing(vector: WritableColumnVector): Seq[WritableColumnVector] = vector.dataType match {
    case _: StringType | BinaryType => Seq(vector.arrayData())
    case struct: StructType => struct.indices.flatMap(i => growing(vector.getChild(i)))
    case _: ArrayType => vector.arrayData() +: growing(vector.arrayData())
    case _: MapType => vector.getChild(0) +: Seq(0, 1).flatMap(i => growing(vector.getChild(i)))
    case _ => Nil
  }
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

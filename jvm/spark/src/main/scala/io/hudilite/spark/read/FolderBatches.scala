package io.hudilite.spark.read

import io.hudilite.spark.basefile.read.SplitReader

import org.apache.spark.sql.execution.vectorized.ConstantColumnVector
import org.apache.spark.sql.types.{DataType, StructType}
import org.apache.spark.sql.vectorized.{ColumnVector, ColumnarBatch}
import org.apache.spark.unsafe.types.UTF8String

/** Batches in which some columns have one value, which the folder of the file says.
  *
  * @param values
  *   by the name of the column, in Spark's internal form
  */
private[read] final class FolderBatches(
    columns: StructType, inner: SplitReader[ColumnarBatch], values: Map[String, Any])
    extends SplitReader[ColumnarBatch] {

  private val places: Array[Int] = columns.fieldNames.indices.filter(i => values.contains(columns(i).name)).toArray

  override def next(): Boolean = inner.next()

  override def get(): ColumnarBatch = {
    val batch = inner.get()
    val vectors = Array.tabulate(batch.numCols)(batch.column)
    places.foreach(i =>
      vectors(i) = ConstantColumn.of(batch.numRows, columns(i).dataType, values(columns(i).name)))
    new ColumnarBatch(vectors, batch.numRows)
  }

  override def size: Int = inner.size
  override def close(): Unit = inner.close()
}

/** A column of one value. */
private[read] object ConstantColumn {

  /** @param value
    *   in Spark's internal form
    */
  def of(rows: Int, dataType: DataType, value: Any): ColumnVector = {
    val vector = new ConstantColumnVector(rows, dataType)
    value match {
      case flag: Boolean => vector.setBoolean(flag)
      case number: Byte => vector.setByte(number)
      case number: Short => vector.setShort(number)
      case number: Int => vector.setInt(number)
      case number: Long => vector.setLong(number)
      case text: UTF8String => vector.setUtf8String(text)
      case null => vector.setNull()
      case other => throw new IllegalStateException(s"no column of one ${other.getClass}")
    }
    vector
  }
}

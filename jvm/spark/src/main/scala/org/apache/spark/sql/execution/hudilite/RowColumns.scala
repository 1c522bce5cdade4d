package org.apache.spark.sql.execution.hudilite

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.execution.RowToColumnConverter
import org.apache.spark.sql.execution.vectorized.WritableColumnVector
import org.apache.spark.sql.types.StructType

/** Appends rows to column vectors. Spark's own converter for it is private to its package. */
final class RowColumns(schema: StructType) {

  private val converter = new RowToColumnConverter(schema)

  def append(row: InternalRow, vectors: Array[WritableColumnVector]): Unit = converter.convert(row, vectors)
}

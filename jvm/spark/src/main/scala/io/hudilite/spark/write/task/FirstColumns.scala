package io.hudilite.spark.write.task

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.UnsafeProjection
import org.apache.spark.sql.types.StructType

/** Rows that begin with some columns, as they can be kept within another row. Spark copies a row into a row with all of
  * its columns, and their number says where its values begin: a reader must count as many null bits.
  */
private[task] final class FirstColumns(columns: StructType) {

  private lazy val projection = UnsafeProjection.create(columns)

  /** The row itself or, valid until the next one, its first columns. */
  def of(row: InternalRow): InternalRow =
    if (row == null || words(row.numFields) == words(columns.length)) row else projection(row)

  private def words(fields: Int): Int = (fields + 63) / 64
}

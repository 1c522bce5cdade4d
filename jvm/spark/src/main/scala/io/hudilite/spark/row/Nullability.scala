package io.hudilite.spark.row

import io.hudilite.error.InvalidInput

import org.apache.spark.sql.hudilite.LastAttempts
import org.apache.spark.sql.types.{ArrayType, DataType, MapType, StructType}

/** Types without their nullability: Hudi tables keep every column nullable. */
object Nullability {

  /** The type with all its parts nullable. */
  def relaxed(dataType: DataType): DataType = dataType match {
    case s: StructType => relaxed(s)
    case ArrayType(element, _) => ArrayType(relaxed(element), containsNull = true)
    case MapType(key, value, _) => MapType(relaxed(key), relaxed(value), valueContainsNull = true)
    case other => other
  }

  def relaxed(schema: StructType): StructType =
    StructType(schema.fields.map(f => f.copy(dataType = relaxed(f.dataType), nullable = true)))

  def sameType(a: DataType, b: DataType): Boolean = relaxed(a) == relaxed(b)

  /** The error for a null where the schema of the table allows none. */
  private[spark] def nullInRequired(column: String): Throwable =
    LastAttempts.failure(InvalidInput("NULL_IN_REQUIRED_COLUMN", "column" -> column))
}

package io.hudilite.spark.row

import io.hudilite.config.DeleteMarker
import io.hudilite.record.MetaFields

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.types.{BooleanType, NullType, StringType, StructType}
import org.apache.spark.unsafe.types.UTF8String

/** Finds rows of a schema that delete their own keys (docs/format.md, merging records).
  *
  * @param among
  *   columns that can say so
  */
final class RowDeletes(schema: StructType, marker: Option[DeleteMarker], among: Set[String]) extends Serializable {

  def this(schema: StructType, marker: Option[DeleteMarker]) = this(schema, marker, schema.fieldNames.toSet)

  private val flag = schema.fields.indexWhere(f =>
    f.name == MetaFields.IsDeleted && f.dataType == BooleanType && among(f.name))
  private val column = marker.filter(m => among(m.field)).fold(-1)(m => schema.fieldNames.indexOf(m.field))
  private val columnType = if (column < 0) NullType else schema(column).dataType
  private val value = marker.fold("")(_.value)
  private val valueBytes = UTF8String.fromString(value)

  def apply(row: InternalRow): Boolean = isFlagged(row) || isMarked(row)

  private def isFlagged(row: InternalRow): Boolean = flag >= 0 && !row.isNullAt(flag) && row.getBoolean(flag)

  private def isMarked(row: InternalRow): Boolean =
    column >= 0 && !row.isNullAt(column) &&
      (columnType match {
        case _: StringType => row.getUTF8String(column) == valueBytes
        case other => row.get(column, other).toString == value
      })
}

package io.hudilite.spark.row

import io.hudilite.config.DeleteMarker
import io.hudilite.record.MetaFields

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{EqualTo, Expression, IsNull, Literal, Or}
import org.apache.spark.sql.types.{
  BooleanType,
  ByteType,
  DataType,
  IntegerType,
  NullType,
  ShortType,
  StringType,
  StructType
}
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
  private val exact = marker.filterNot(_.anyCase).map(m => UTF8String.fromString(m.value)).orNull // hot path

  def apply(row: InternalRow): Boolean = isFlagged(row) || isMarked(row)

  private def isFlagged(row: InternalRow): Boolean = flag >= 0 && !row.isNullAt(flag) && row.getBoolean(flag)

  private def isMarked(row: InternalRow): Boolean =
    column >= 0 && !row.isNullAt(column) &&
      (columnType match {
        case _: StringType if exact != null => row.getUTF8String(column) == exact
        case other => marker.exists(_.isMark(row.get(column, other).toString))
      })
}

/** Finds rows that delete their keys without an ordering value, and so in the order of commits (docs/format.md, merging
  * records). One of the values is missing, or the only one is the int 0, which Hudi has for none.
  *
  * @param ordinals
  *   positions of the columns with the ordering values, of these types
  */
private[spark] final class MissingOrdering(ordinals: Array[Int], types: Array[DataType]) extends Serializable {

  private val zeroIsNone = types.length == 1 && MissingOrdering.isInt(types.head)

  /** True for such a row; the row must delete its key. */
  def apply(row: InternalRow): Boolean = {
    // hot path
    var i = 0
    while (i < ordinals.length && !row.isNullAt(ordinals(i))) i += 1
    i < ordinals.length || zeroIsNone && row.get(ordinals(0), types(0)).asInstanceOf[Number].intValue == 0
  }
}

private[spark] object MissingOrdering {

  // Days are ints to Hudi, too. But deletes in logs have the first of 1970 as a day.
  private def isInt(dataType: DataType): Boolean = dataType match {
    case IntegerType | ShortType | ByteType => true
    case _ => false
  }

  /** True for such a row, as an expression over its ordering values. */
  def of(values: Seq[Expression]): Expression = {
    val missing = values.map(IsNull(_): Expression).reduce(Or(_, _))
    values match {
      case Seq(only) if isInt(only.dataType) => Or(missing, EqualTo(only, Literal.default(only.dataType)))
      case _ => missing
    }
  }
}

package io.hudilite.spark.row

import io.hudilite.config.PartialUpdates

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.types.{BinaryType, DataType, StringType, StructType}
import org.apache.spark.unsafe.types.UTF8String

/** Finds values that leave their column to another version of the record (docs/format.md, merging).
  *
  * @param types
  *   of the columns
  * @param fixed
  *   columns, by their positions, that keep any value
  */
final class ColumnGaps(types: Array[DataType], partial: PartialUpdates, fixed: Set[Int] = Set.empty)
    extends Serializable {

  private val text = partial match {
    case PartialUpdates.FillUnavailable(marker) => UTF8String.fromString(marker)
    case PartialUpdates.IgnoreDefaults => null
  }
  private val bytes = if (text == null) null else text.getBytes

  /** The value, null when it is null, of a column says nothing. */
  def isGap(value: Any, column: Int): Boolean =
    if (text == null) value == null
    else types(column) match {
      case _: StringType => value == text
      case BinaryType => value != null && java.util.Arrays.equals(value.asInstanceOf[Array[Byte]], bytes)
      case _ => false
    }

  /** The top row where it says something, else the one below.
    *
    * @param top
    *   values of its columns by their positions, and so of the row below; none of them belongs to the result
    * @return
    *   null when the top row needs nothing of the one below
    */
  def filled(top: Int => Any, below: Int => Any): Array[Any] = {
    // hot path
    var row: Array[Any] = null
    var i = 0
    while (i < types.length) {
      if (isGap(top(i), i) && !fixed(i)) {
        val other = below(i)
        if (!isGap(other, i)) {
          if (row == null) row = Array.tabulate[Any](types.length)(column => InternalRow.copyValue(top(column)))
          row(i) = InternalRow.copyValue(other)
        }
      }
      i += 1
    }
    row
  }
}

object ColumnGaps {

  def of(columns: StructType, partial: Option[PartialUpdates]): Option[ColumnGaps] =
    partial.map(new ColumnGaps(columns.fields.map(_.dataType), _))
}

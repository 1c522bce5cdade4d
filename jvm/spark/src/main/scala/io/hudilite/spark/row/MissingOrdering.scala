package io.hudilite.spark.row

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{EqualTo, Expression, IsNull, Literal, Or}
import org.apache.spark.sql.types.{ByteType, DataType, IntegerType, ShortType}

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

package io.hudilite.stats

import io.hudilite.metadata.StatValue
import io.hudilite.metadata.StatValue.{Flag, Int64, Text}
import io.hudilite.stats.ColumnFilter._

/** Filters as far as a set of a column's values can judge them: that a value is among those of a row is a column of its own
  * then, which is false or null in each row of a file whose set does not have the value.
  */
private[hudilite] object Membership {

  // Each is asked of each file, and remembered.
  private val MostValues = 100

  /** The filter on such columns.
    *
    * @param isSet
    *   of the column there are sets of values, and nothing else
    */
  def of(filter: ColumnFilter, isSet: FilterColumn => Boolean): ColumnFilter = filter match {
    case Comparison(column, Operator.Equal, value) if isSet(column) => among(column, value)
    case OneOf(column, values) if isSet(column) && values.nonEmpty && values.size <= MostValues =>
      joined(values.map(among(column, _)), AnyOf(_))
    case AllOf(parts) =>
      val told = parts.map(of(_, isSet))
      if (told.forall(_ == Other)) Other else AllOf(told)
    case AnyOf(parts) => joined(parts.map(of(_, isSet)), AnyOf(_))
    case Negation(part) => of(part, isSet) match {
        case Other => Other
        case told => Negation(told)
      }
    case other => if (other.columns.exists(isSet)) Other else other
  }

  private def joined(parts: Seq[ColumnFilter], join: Seq[ColumnFilter] => ColumnFilter): ColumnFilter =
    if (parts.contains(Other)) Other else join(parts)

  private def among(column: FilterColumn, value: StatValue): ColumnFilter = value match {
    case Text(text) => isOne(column, text)
    case Int64(number) => isOne(column, number.toString)
    case _ => Other
  }

  private def isOne(column: FilterColumn, value: String): ColumnFilter =
    Comparison(FilterColumn(column.path :+ value, ColumnKind.Flags), Operator.Equal, Flag(true))

  /** The column and the value, of a column that is made here. */
  def unapply(column: FilterColumn): Option[(String, String)] = column match {
    case FilterColumn(Seq(name, value), ColumnKind.Flags) => Some(name -> value)
    case _ => None
  }

  /** The range of such a column in a file whose set does not have the value. */
  val Absent: ColumnRange = ColumnRange(mayBeNull = true, Some(ValueRange(Some(Flag(false)), Some(Flag(false)))))
}

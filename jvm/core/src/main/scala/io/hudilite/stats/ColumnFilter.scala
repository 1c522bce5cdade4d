package io.hudilite.stats

import io.hudilite.metadata.StatValue

/** A column that a filter looks at.
  *
  * @param path
  *   names of the column and of the fields inside of it, as the query has them
  */
final case class FilterColumn(path: Seq[String], kind: ColumnKind)

/** A filter as far as statistics can judge it. Values have the form of their column's kind. */
sealed trait ColumnFilter {

  def columns: Set[FilterColumn] = this match {
    case ColumnFilter.Comparison(column, _, _) => Set(column)
    case ColumnFilter.OneOf(column, _) => Set(column)
    case ColumnFilter.StartsWith(column, _) => Set(column)
    case ColumnFilter.IsNull(column) => Set(column)
    case ColumnFilter.AllOf(parts) => parts.flatMap(_.columns).toSet
    case ColumnFilter.AnyOf(parts) => parts.flatMap(_.columns).toSet
    case ColumnFilter.Negation(part) => part.columns
    case ColumnFilter.Other => Set.empty
  }

  /** All outcomes for rows of these values.
    *
    * @param ranges
    *   one for each file that a row may have the value from: of versions of a row that are put together column by column,
    *   each may give some
    */
  private[stats] def outcomes(ranges: FilterColumn => Seq[ColumnRange]): Outcomes = this match {
    case ColumnFilter.Comparison(column, operator, value) => over(ranges(column))(_.compared(operator, value))
    case list @ ColumnFilter.OneOf(column, _) => over(ranges(column))(_.isAmong(list.ascending))
    case ColumnFilter.StartsWith(column, prefix) => over(ranges(column))(_.beginsWith(prefix))
    case ColumnFilter.IsNull(column) => ranges(column).map(_.ofNull).foldLeft(Outcomes.None)(_ | _)
    case ColumnFilter.AllOf(parts) => parts.map(_.outcomes(ranges)).reduce(_ and _)
    case ColumnFilter.AnyOf(parts) => parts.map(_.outcomes(ranges)).reduce(_ or _)
    case ColumnFilter.Negation(part) => !part.outcomes(ranges)
    case ColumnFilter.Other => Outcomes.Any
  }

  private def over(ranges: Seq[ColumnRange])(test: ValueRange => Outcomes): Outcomes =
    ranges.map(_.each(test)).foldLeft(Outcomes.None)(_ | _)
}

object ColumnFilter {

  sealed trait Operator
  object Operator {
    case object Equal extends Operator
    case object Less extends Operator
    case object LessOrEqual extends Operator
    case object Greater extends Operator
    case object GreaterOrEqual extends Operator
  }

  final case class Comparison(column: FilterColumn, operator: Operator, value: StatValue) extends ColumnFilter
  final case class OneOf(column: FilterColumn, values: Seq[StatValue]) extends ColumnFilter {
    private[stats] lazy val ascending: IndexedSeq[StatValue] =
      values.sortWith((a, b) => StatValue.compare(a, b).exists(_ < 0)).toIndexedSeq
  }
  final case class StartsWith(column: FilterColumn, prefix: String) extends ColumnFilter
  final case class IsNull(column: FilterColumn) extends ColumnFilter

  /** @param parts
    *   at least one, as in [[AnyOf]]
    */
  final case class AllOf(parts: Seq[ColumnFilter]) extends ColumnFilter
  final case class AnyOf(parts: Seq[ColumnFilter]) extends ColumnFilter
  final case class Negation(part: ColumnFilter) extends ColumnFilter

  /** A filter of which statistics know nothing. */
  case object Other extends ColumnFilter
}

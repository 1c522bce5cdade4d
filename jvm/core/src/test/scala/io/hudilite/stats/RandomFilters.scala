package io.hudilite.stats

import io.hudilite.metadata.StatValue
import io.hudilite.stats.ColumnFilter.Operator
import io.hudilite.stats.RandomRows.{Row, compare}

/** A filter as statistics see it, and its outcome for a row: unknown where that depends on a null. */
final case class TestedFilter(filter: ColumnFilter, outcome: Row => Option[Boolean])

/** Filters at random on [[RandomRows]]. */
final class RandomFilters(rows: RandomRows) {

  private val random = rows.random

  private def one[A](of: A*): A = of(random.nextInt(of.size))

  def next(depth: Int = 2): TestedFilter = if (depth == 0 || random.nextInt(3) == 0) leaf()
  else random.nextInt(5) match {
    case 0 | 1 =>
      val parts = Seq.fill(2)(next(depth - 1))
      TestedFilter(ColumnFilter.AllOf(parts.map(_.filter)), row => both(parts.map(_.outcome(row)), decides = false))
    case 2 | 3 =>
      val parts = Seq.fill(2)(next(depth - 1))
      TestedFilter(ColumnFilter.AnyOf(parts.map(_.filter)), row => both(parts.map(_.outcome(row)), decides = true))
    case _ =>
      val part = next(depth - 1)
      TestedFilter(ColumnFilter.Negation(part.filter), row => part.outcome(row).map(!_))
  }

  private def both(outcomes: Seq[Option[Boolean]], decides: Boolean): Option[Boolean] =
    if (outcomes.contains(Some(decides))) Some(decides)
    else if (outcomes.contains(None)) None
    else Some(!decides)

  private def leaf(): TestedFilter = {
    val column = one(RandomRows.columns: _*)
    def literal(): Any = rows.value(column, random.nextInt(60))
    def asFilter(values: Seq[Any])(made: Seq[StatValue] => ColumnFilter): ColumnFilter = {
      val known = values.map(column.kind.value)
      if (known.forall(_.isDefined)) made(known.flatten) else ColumnFilter.Other
    }
    random.nextInt(8) match {
      case 0 => TestedFilter(ColumnFilter.IsNull(column), row => Some(!row.contains(column)))
      case 1 | 2 =>
        // Lists of joins are long.
        val list = Seq.fill(1 + random.nextInt(if (random.nextInt(4) == 0) 60 else 3))(literal())
        TestedFilter(asFilter(list)(ColumnFilter.OneOf(column, _)),
          _.get(column).map(v => list.exists(compare(v, _) == 0)))
      case 3 if column.kind == ColumnKind.Texts =>
        val text = literal().toString
        val prefix = text.take(text.offsetByCodePoints(0, random.nextInt(text.codePointCount(0, text.length) + 1)))
        TestedFilter(ColumnFilter.StartsWith(column, prefix), _.get(column).map(_.toString.startsWith(prefix)))
      case _ =>
        val value = literal()
        val (operator, holds) = one(operators: _*)
        TestedFilter(asFilter(Seq(value))(v => ColumnFilter.Comparison(column, operator, v.head)),
          _.get(column).map(v => holds(compare(v, value))))
    }
  }

  private val operators = Seq[(Operator, Int => Boolean)](Operator.Equal -> (_ == 0), Operator.Less -> (_ < 0),
    Operator.LessOrEqual -> (_ <= 0), Operator.Greater -> (_ > 0), Operator.GreaterOrEqual -> (_ >= 0))
}

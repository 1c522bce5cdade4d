package io.hudilite.stats

import io.hudilite.metadata.StatValue

/** Where a row stands in the order of a column.
  *
  * @param rank
  *   nulls that come first, what lies before all values, a value, what lies behind them, nulls that come last
  */
private[stats] final case class OrderPlace(rank: Int, value: Option[StatValue] = None)

/** Rows of a file that stand at a place or before it.
  *
  * @param rows
  *   how many they are of all rows of the file
  */
private[stats] final case class OrderPart(place: OrderPlace, rows: Long => Long)

/** The order of rows by a column. -0.0 stands where 0.0 does, and NaN behind all numbers that bounds tell. */
private[hudilite] final case class ValueOrder(column: FilterColumn, ascending: Boolean, nullsFirst: Boolean) {

  import ValueOrder._

  private val nulls = if (nullsFirst) NullsFirst else NullsLast

  private[stats] def compare(a: OrderPlace, b: OrderPlace): Int = (a.value, b.value) match {
    case (Some(x), Some(y)) => compare(x, y)
    case _ => a.rank.compare(b.rank)
  }

  private def compare(a: StatValue, b: StatValue): Int = {
    val found = StatValue.compare(a, b)
      .getOrElse(throw new IllegalArgumentException(s"values of one kind that do not compare: $a and $b"))
    if (ascending) found else -found
  }

  /** No row of the range stands before it; `None` where there is none. */
  private[stats] def first(range: ColumnRange): Option[OrderPlace] = {
    val ofValues = range.values.map(inBytes).map(r => place(if (ascending) r.low else r.high, BeforeValues))
    val ofNulls = if (range.mayBeNull) Some(nulls) else None
    (ofValues ++ ofNulls).reduceOption((a, b) => if (compare(a, b) <= 0) a else b)
  }

  /** Places up to which the rows of a file stand that has this range, in their order. */
  private[stats] def parts(range: ColumnRange): Seq[OrderPart] = {
    val last = range.values.map(inBytes).map(r => place(if (ascending) r.high else r.low, BehindValues))
    (last, range.nulls) match {
      case (None, _) => if (range.mayBeNull) Seq(OrderPart(nulls, identity)) else Nil
      case (Some(values), _) if !range.mayBeNull => Seq(OrderPart(values, identity))
      case (Some(values), Some(count)) =>
        Seq(OrderPart(values, _ - count), OrderPart(nulls, count.min(_))).sortBy(_.place.rank)
      case (Some(values), None) => Seq(OrderPart(Seq(values, nulls).maxBy(_.rank), identity))
    }
  }

  private def inBytes(range: ValueRange): ValueRange = if (range.isJavas) range.inBothOrders else range

  private def place(bound: Option[StatValue], unknown: OrderPlace): OrderPlace =
    bound.fold(unknown)(value => OrderPlace(Value, Some(value)))
}

private[hudilite] object ValueOrder {

  private val NullsFirst = OrderPlace(0)
  private val BeforeValues = OrderPlace(1)
  private val Value = 2
  private val BehindValues = OrderPlace(3)
  private val NullsLast = OrderPlace(4)
}

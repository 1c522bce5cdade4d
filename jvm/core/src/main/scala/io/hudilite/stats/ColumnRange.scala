package io.hudilite.stats

import io.hudilite.metadata.StatValue
import io.hudilite.metadata.StatValue.Text
import io.hudilite.stats.ColumnFilter.Operator

/** Values that the rows of a file may have in a column.
  *
  * @param values
  *   where those lie that are not null; `None` where there are none
  * @param nulls
  *   how many are null, where it is counted
  */
private[hudilite] final case class ColumnRange(mayBeNull: Boolean, values: Option[ValueRange],
    nulls: Option[Long] = None) {

  /** The range around both. */
  def or(other: ColumnRange): ColumnRange = ColumnRange(mayBeNull || other.mayBeNull,
    (for (a <- values; b <- other.values) yield a.or(b)).orElse(values).orElse(other.values),
    for (a <- nulls; b <- other.nulls) yield a + b)

  /** Outcomes of a test that is null for nulls. */
  def each(test: ValueRange => Outcomes): Outcomes =
    values.fold(Outcomes.None)(test).copy(isNull = mayBeNull)

  def ofNull: Outcomes = Outcomes.of(mayBeNull, values.isDefined)
}

private[hudilite] object ColumnRange {

  /** Nothing is known. */
  val Unknown: ColumnRange = ColumnRange(mayBeNull = true, Some(ValueRange(None, None)))

  val OfNulls: ColumnRange = ColumnRange(mayBeNull = true, None)

  /** The range, where the bounds can be read as this kind. */
  def of(kind: ColumnKind, hasNulls: Boolean, min: StoredBound, max: StoredBound): Option[ColumnRange] =
    StoredBounds.range(kind, min, max).map(values => ColumnRange(hasNulls, Some(values)))
}

/** Values of one kind from `low` to `high`, as far as these are known.
  *
  * @param isJavas
  *   texts may have been compared as Java does it, by their UTF-16 units
  */
private[hudilite] final case class ValueRange(low: Option[StatValue], high: Option[StatValue],
    isJavas: Boolean = false) {

  import ValueRange._

  /** The range as far as it holds in the order of Java and in that of the bytes. */
  def inBothOrders: ValueRange = ValueRange(low.filter(isInBoth), high.filter(isInBoth), isJavas = true)

  /** The range around both. */
  def or(other: ValueRange): ValueRange = ValueRange(
    for (a <- low; b <- other.low) yield if (compare(a, b) <= 0) a else b,
    for (a <- high; b <- other.high) yield if (compare(a, b) >= 0) a else b, isJavas || other.isJavas)

  /** Both ends as `ColumnKind.value` takes values, where both are known. */
  def ends: Option[(Any, Any)] =
    for (a <- low; b <- high; least <- plain(a); greatest <- plain(b)) yield least -> greatest

  def compared(operator: Operator, value: StatValue): Outcomes =
    if (!agreesOn(value)) AnyValue
    else {
      val (hasLess, hasMore) = (low.forall(compare(_, value) < 0), high.forall(compare(_, value) > 0))
      val (hasAtMost, hasAtLeast) = (low.forall(compare(_, value) <= 0), high.forall(compare(_, value) >= 0))
      operator match {
        case Operator.Equal => Outcomes.of(hasAtMost && hasAtLeast, hasLess || hasMore)
        case Operator.Less => Outcomes.of(hasLess, hasAtLeast)
        case Operator.LessOrEqual => Outcomes.of(hasAtMost, hasMore)
        case Operator.Greater => Outcomes.of(hasMore, hasAtMost)
        case Operator.GreaterOrEqual => Outcomes.of(hasAtLeast, hasLess)
      }
    }

  /** @param ascending
    *   the values of a list
    */
  def isAmong(ascending: IndexedSeq[StatValue]): Outcomes =
    if (!ascending.forall(agreesOn)) AnyValue
    else {
      val first = low.fold(0)(least => firstNotBelow(ascending, least))
      val isThere = first < ascending.size && high.forall(compare(_, ascending(first)) >= 0)
      val isOne = low.isDefined && low == high
      Outcomes.of(isThere, !(isThere && isOne))
    }

  def beginsWith(prefix: String): Outcomes = {
    val first = Text(prefix)
    def begins(bound: StatValue): Boolean = bound match {
      case Text(text) => text.startsWith(prefix)
      case _ => false
    }
    if (!agreesOn(first)) AnyValue
    else Outcomes.of(
      low.forall(bound => begins(bound) || compare(bound, first) < 0) && high.forall(compare(_, first) >= 0),
      !(low.exists(begins) && high.exists(begins)))
  }

  private def agreesOn(value: StatValue): Boolean = !isJavas || isInBoth(value)
}

private[hudilite] object ValueRange {

  private def plain(value: StatValue): Option[Any] = value match {
    case StatValue.Flag(v) => Some(v)
    case StatValue.Int64(v) => Some(v)
    case StatValue.Float32(v) => Some(v)
    case StatValue.Float64(v) => Some(v)
    case StatValue.Day(v) => Some(v.toLong)
    case StatValue.TimestampMicros(v) => Some(v)
    case StatValue.Decimal(v) => Some(v)
    case Text(v) => Some(v)
    case _ => None
  }

  private val AnyValue = Outcomes.of(isTrue = true, isFalse = true)

  // The two orders differ where a surrogate meets a letter above all surrogates. A text without either compares alike
  // with all texts: where it ends or differs from one, its own letter is below those.
  private val FirstSurrogate = '\ud800'

  private def isInBoth(value: StatValue): Boolean = value match {
    case Text(text) => text.forall(_ < FirstSurrogate)
    case _ => true
  }

  private def compare(a: StatValue, b: StatValue): Int = StatValue.compare(a, b)
    .getOrElse(throw new IllegalArgumentException(s"values of one kind that do not compare: $a and $b"))

  /** How many of them are less. */
  private[stats] def firstNotBelow(ascending: IndexedSeq[StatValue], least: StatValue): Int = {
    // hot path
    var (from, until) = (0, ascending.size)
    while (from < until) {
      val middle = (from + until) >>> 1
      if (compare(ascending(middle), least) < 0) from = middle + 1 else until = middle
    }
    from
  }
}

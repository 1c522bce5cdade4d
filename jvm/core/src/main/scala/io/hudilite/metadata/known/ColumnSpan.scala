package io.hudilite.metadata.known

import io.hudilite.metadata.{ColumnFacts, StatType, StatValue}
import io.hudilite.metadata.StatValue._

/** Gathers the facts on a column of a log file, value by value.
  *
  * @param kind
  *   type of the column
  */
final class ColumnSpan(kind: StatType) {

  private var values = 0L
  private var nulls = 0L
  private var bounds: Option[(StatValue, StatValue)] = None
  private var isTold = true

  /** @param value
    *   `None` where it is null
    */
  def add(value: Option[StatValue]): Unit = {
    values += 1
    value match {
      case None => nulls += 1
      case Some(v) => widen(least(v), greatest(v))
    }
  }

  /** Adds those of a part of the file that tells of itself. */
  def add(part: ColumnFacts): Unit = {
    values += part.values
    part.nulls.fold { isTold = false }(nulls += _)
    if (!part.isEmpty) part.bounds.fold { isTold = false } { case (min, max) => widen(min, max) }
  }

  private def widen(min: StatValue, max: StatValue): Unit = {
    // A value that does not compare with itself is no number.
    val wider = bounds.fold(StatValue.around((min, max), (min, max)))(StatValue.around(_, (min, max)))
    if (wider.isEmpty) isTold = false
    bounds = wider.orElse(bounds)
  }

  // Zeros are of either sign, as in footers.
  private def least(value: StatValue): StatValue = value match {
    case Float32(0f) => Float32(-0f)
    case Float64(0d) => Float64(-0d)
    case other => other
  }

  private def greatest(value: StatValue): StatValue = value match {
    case Float32(0f) => Float32(0f)
    case Float64(0d) => Float64(0d)
    case other => other
  }

  def facts: ColumnFacts = ColumnFacts(values, if (isTold) Some(nulls) else None, 0L, 0L,
    if (isTold) bounds else None, isTold && nulls == values, kind)
}

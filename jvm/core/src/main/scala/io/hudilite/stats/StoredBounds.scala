package io.hudilite.stats

import io.hudilite.metadata.{StatType, StatValue}
import io.hudilite.metadata.StatValue._

import java.math.BigDecimal

/** A bound of a column as a file or a record has it.
  *
  * @param ordinal
  *   the type that is stored, as version 2 of the statistics numbers types; `None` where none is told
  */
private[hudilite] final case class StoredBound(value: StatValue, ordinal: Option[Int])

/** Bounds of stored values as a query of a kind reads them: pure. The type of a column may have grown since the file was
  * written.
  */
private[stats] object StoredBounds {

  // 1900-01-01: from there on the calendar of a file and the zone in which it was written make no difference.
  private val FirstCertainDay = -25567
  private val FirstCertainMicros = FirstCertainDay * 86400000000L

  // Between the years 1 and 9999.
  private val FirstMillis = -62135596800000L
  private val LastMillis = 253402300799999L

  /** The values that a file has between these; `None` where they cannot be read as this kind, or in another order. */
  def range(kind: ColumnKind, min: StoredBound, max: StoredBound): Option[ValueRange] =
    for (low <- ends(kind, min); high <- ends(kind, max))
      yield ValueRange(Some(low._1).filter(isCertain), Some(high._2).filter(isCertain))

  private def isCertain(value: StatValue): Boolean = value match {
    case Day(days) => days >= FirstCertainDay
    case TimestampMicros(micros) => micros >= FirstCertainMicros
    case _ => true
  }

  /** Values between which the bound lies as it is read. */
  private def ends(kind: ColumnKind, bound: StoredBound): Option[(StatValue, StatValue)] = kind match {
    case ColumnKind.Micros => micros(bound, StatType.TimestampMillis, StatType.TimestampMicros)
    case ColumnKind.LocalMicros => micros(bound, StatType.LocalTimestampMillis, StatType.LocalTimestampMicros)
    case ColumnKind.Single => singles(bound.value)
    case ColumnKind.Fraction => fractions(bound.value)
    case _ => plain(kind, bound).map(value => value -> value)
  }

  private def plain(kind: ColumnKind, bound: StoredBound): Option[StatValue] = (kind, bound.value) match {
    case (ColumnKind.Flags, flag: Flag) => Some(flag)
    case (ColumnKind.Whole, Int32(v)) if bound.ordinal.forall(_ == StatType.Int) => Some(Int64(v.toLong))
    case (ColumnKind.Whole, number: Int64) if bound.ordinal.forall(_ == StatType.Long) => Some(number)
    case (ColumnKind.Texts, text: Text) => Some(text)
    case (ColumnKind.Bytes, bytes: Octets) => Some(bytes)
    case (ColumnKind.Days, day: Day) => Some(day)
    case (exact: ColumnKind.Exact, Decimal(v)) => decimal(v, exact)
    case _ => None
  }

  /** The bound, where values of that many digits are read as they are. */
  private def decimal(value: BigDecimal, kind: ColumnKind.Exact): Option[StatValue] = {
    val least = if (value.signum == 0) BigDecimal.ZERO else value.stripTrailingZeros
    if (least.scale <= kind.scale && least.precision - least.scale <= kind.precision - kind.scale) Some(Decimal(value))
    else None
  }

  private def singles(bound: StatValue): Option[(StatValue, StatValue)] = bound match {
    case Float32(v) if !v.isNaN => Some(Float32(v) -> Float32(v))
    case Int32(v) => Some(besides(v.toFloat))
    case Int64(v) => Some(besides(v.toFloat))
    case _ => None
  }

  // A number that is rounded on the way lies between the neighbours of the nearest one.
  private def besides(nearest: Float): (StatValue, StatValue) =
    Float32(Math.nextDown(nearest)) -> Float32(Math.nextUp(nearest))

  private def fractions(bound: StatValue): Option[(StatValue, StatValue)] = bound match {
    case Float64(v) if !v.isNaN => Some(Float64(v) -> Float64(v))
    // Read as the double that is written alike, which lies beside the number.
    case Float32(v) if !v.isNaN => Some(Float64(Math.nextDown(v).toDouble) -> Float64(Math.nextUp(v).toDouble))
    case Int32(v) => Some(Float64(v.toDouble) -> Float64(v.toDouble))
    case Int64(v) => Some(Float64(Math.nextDown(v.toDouble)) -> Float64(Math.nextUp(v.toDouble)))
    case _ => None
  }

  private def micros(bound: StoredBound, inMillis: Int, inMicros: Int): Option[(StatValue, StatValue)] = {
    val found = (bound.value, bound.ordinal) match {
      case (TimestampMicros(v), _) => Some(v -> v)
      case (Int64(v), Some(`inMicros`)) => Some(v -> v)
      case (Int64(v), Some(`inMillis`)) => ofMillis(v).map(m => m -> m)
      // Version 1 tells no unit, so that it may be either.
      case (Int64(v), None) => Some(ofMillis(v).fold(v -> v)(m => v.min(m) -> v.max(m)))
      case _ => None
    }
    found.map { case (low, high) => TimestampMicros(low) -> TimestampMicros(high) }
  }

  private def ofMillis(millis: Long): Option[Long] =
    if (millis < FirstMillis || millis > LastMillis) None else Some(millis * 1000)
}

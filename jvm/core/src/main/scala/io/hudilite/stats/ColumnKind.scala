package io.hudilite.stats

import io.hudilite.metadata.StatValue
import io.hudilite.metadata.StatValue._

import java.math.BigDecimal

/** Type of a column for a query, as far as the order of its values is known here. Values of filters, and bounds that a file
  * has, are compared in the form of the kind.
  */
sealed abstract class ColumnKind extends Product with Serializable {

  import ColumnKind._

  /** A value of a filter: a `Boolean`, `Long`, `Float`, `Double`, `String`, array of bytes or `BigDecimal`; days and
    * microseconds are numbers. `None` for what has no order, such as NaN.
    */
  def value(plain: Any): Option[StatValue] = (this, plain) match {
    case (Flags, v: Boolean) => Some(Flag(v))
    case (Whole, v: Long) => Some(Int64(v))
    case (Single, v: Float) if !v.isNaN => Some(Float32(v))
    case (Fraction, v: Double) if !v.isNaN => Some(Float64(v))
    case (Texts, v: String) => Some(Text(v))
    case (Bytes, v: Array[Byte]) => Some(octets(v))
    case (Days, v: Long) if v.isValidInt => Some(Day(v.toInt))
    case (Micros | LocalMicros, v: Long) => Some(TimestampMicros(v))
    case (_: Exact, v: BigDecimal) => Some(Decimal(v))
    case _ => None
  }
}

object ColumnKind {

  case object Flags extends ColumnKind

  /** Whole numbers of up to 64 bits. */
  case object Whole extends ColumnKind
  case object Single extends ColumnKind
  case object Fraction extends ColumnKind

  /** Texts in the order of their UTF-8 bytes. */
  case object Texts extends ColumnKind

  /** Bytes without sign. */
  case object Bytes extends ColumnKind

  /** Days since 1970-01-01. */
  case object Days extends ColumnKind

  /** Instants in microseconds since 1970-01-01, UTC. */
  case object Micros extends ColumnKind

  /** Microseconds since 1970-01-01 in no time zone. */
  case object LocalMicros extends ColumnKind

  /** Decimals of so many digits, `scale` of them behind the point. */
  final case class Exact(precision: Int, scale: Int) extends ColumnKind
}

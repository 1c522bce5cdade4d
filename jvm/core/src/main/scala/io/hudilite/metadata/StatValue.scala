package io.hudilite.metadata

import java.math.BigDecimal
import java.nio.charset.StandardCharsets.UTF_8
import java.util.Arrays

/** A bound of a column's values as a record holds it. Its meaning is that of the column's type: a number may be an instant. */
sealed trait StatValue extends Product with Serializable

object StatValue {

  final case class Flag(value: Boolean) extends StatValue
  final case class Int32(value: Int) extends StatValue
  final case class Int64(value: Long) extends StatValue
  final case class Float32(value: Float) extends StatValue
  final case class Float64(value: Double) extends StatValue

  /** @param hex
    *   two digits a byte, which compare as the bytes do without a sign
    */
  final case class Octets(hex: String) extends StatValue
  final case class Text(value: String) extends StatValue

  /** Days since 1970-01-01. */
  final case class Day(value: Int) extends StatValue
  final case class Decimal(value: BigDecimal) extends StatValue

  /** Microseconds of the day. */
  final case class TimeMicros(value: Long) extends StatValue

  /** Microseconds since 1970-01-01, UTC. */
  final case class TimestampMicros(value: Long) extends StatValue

  def octets(bytes: Array[Byte]): Octets = Octets(bytes.map(b => f"$b%02x").mkString)

  /** Order of two values of one kind; `None` for others, and where one is no number. */
  def compare(a: StatValue, b: StatValue): Option[Int] = (a, b) match {
    case (Flag(x), Flag(y)) => Some(x.compare(y))
    case (Int32(x), Int32(y)) => Some(x.compare(y))
    case (Int64(x), Int64(y)) => Some(x.compare(y))
    case (Float32(x), Float32(y)) => if (x.isNaN || y.isNaN) None else Some(if (x < y) -1 else if (x > y) 1 else 0)
    case (Float64(x), Float64(y)) => if (x.isNaN || y.isNaN) None else Some(if (x < y) -1 else if (x > y) 1 else 0)
    case (Octets(x), Octets(y)) => Some(x.compareTo(y))
    case (Text(x), Text(y)) => Some(Arrays.compareUnsigned(x.getBytes(UTF_8), y.getBytes(UTF_8)))
    case (Day(x), Day(y)) => Some(x.compare(y))
    case (Decimal(x), Decimal(y)) => Some(x.compareTo(y))
    case (TimeMicros(x), TimeMicros(y)) => Some(x.compare(y))
    case (TimestampMicros(x), TimestampMicros(y)) => Some(x.compare(y))
    case _ => None
  }

  /** Zero, or the first of its kind, which stands for nothing in some records. */
  def isZero(value: StatValue): Boolean = value match {
    case Flag(v) => !v
    case Int32(v) => v == 0
    case Int64(v) => v == 0L
    case Float32(v) => v == 0f
    case Float64(v) => v == 0d
    case Octets(hex) => hex.isEmpty
    case Text(v) => v.isEmpty
    case Day(v) => v == 0
    case Decimal(v) => v.signum == 0
    case TimeMicros(v) => v == 0L
    case TimestampMicros(v) => v == 0L
  }

  /** The two are one value; a record may hold a time in the form of its column or as a plain number. */
  def isSame(ofFile: StatValue, ofRecord: StatValue): Boolean = (ofFile, ofRecord) match {
    case (Int64(a), TimestampMicros(b)) => a == b
    case (Int64(a), TimeMicros(b)) => a == b
    case _ => compare(ofFile, ofRecord).contains(0)
  }

  /** Bounds around both; `None` where they do not compare. */
  def around(a: (StatValue, StatValue), b: (StatValue, StatValue)): Option[(StatValue, StatValue)] = for {
    low <- compare(a._1, b._1)
    high <- compare(a._2, b._2)
  } yield (if (low <= 0) a._1 else b._1, if (high >= 0) a._2 else b._2)

  /** As a report shows it. */
  def text(value: StatValue): String = value match {
    case Flag(v) => v.toString
    case Int32(v) => v.toString
    case Int64(v) => v.toString
    case Float32(v) => v.toString
    case Float64(v) => v.toString
    case Octets(hex) => s"0x$hex"
    case Text(v) => v
    case Day(v) => java.time.LocalDate.ofEpochDay(v.toLong).toString
    case Decimal(v) => v.toPlainString
    case TimeMicros(v) => s"$v microseconds"
    case TimestampMicros(v) => s"$v microseconds"
  }
}

/** The type of a column as version 2 of its statistics names it: by a number, and for decimals by precision and scale. */
final case class StatType(ordinal: Int, additional: Option[String])

object StatType {

  /** Statistics of version 1: the values are as a Java class has them. */
  val V1 = 0
  val Null = 1
  val Boolean = 2
  val Int = 3
  val Long = 4
  val Float = 5
  val Double = 6
  val Text = 7
  val Bytes = 8
  val Fixed = 9
  val Decimal = 10
  val Uuid = 11
  val Date = 12
  val TimeMillis = 13
  val TimeMicros = 14

  // Microseconds and nanoseconds follow milliseconds.
  val TimestampMillis = 15
  val TimestampMicros = 16
  val TimestampNanos = 17
  val LocalTimestampMillis = 18
  val LocalTimestampMicros = 19
  val LocalTimestampNanos = 20

  def plain(ordinal: Int): StatType = StatType(ordinal, None)

  def decimal(precision: Int, scale: Int): StatType = StatType(Decimal, Some(s"$precision,$scale"))

  def precision(of: StatType): Int = digits(of, 0)
  def scale(of: StatType): Int = digits(of, 1)

  private def digits(of: StatType, at: Int): Int = of.additional.flatMap(_.split(',').lift(at)).map(_.trim.toInt)
    .getOrElse(throw new IllegalArgumentException(s"bounds of a decimal of the type ${of.additional.getOrElse("")}"))
}

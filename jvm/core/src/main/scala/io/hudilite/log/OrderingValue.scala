package io.hudilite.log

import io.hudilite.codec.avro.{AvroInput, AvroOutput}

import java.math.{BigDecimal, RoundingMode}

/** The type that the format keeps with a delete's ordering value. Values compare only with others of their kind.
  *
  * @param branch
  *   place in the union of the delete record's schema
  */
sealed abstract class OrderingKind(val branch: Int) extends Product with Serializable

object OrderingKind {
  case object BooleanKind extends OrderingKind(1)
  case object IntKind extends OrderingKind(2)
  case object LongKind extends OrderingKind(3)
  case object FloatKind extends OrderingKind(4)
  case object DoubleKind extends OrderingKind(5)
  case object BytesKind extends OrderingKind(6)
  case object StringKind extends OrderingKind(7)

  /** Days since the epoch, an `Integer`. */
  case object DateKind extends OrderingKind(8)

  /** A `java.math.BigDecimal` of precision 30 and scale 15, whatever the column has. */
  case object DecimalKind extends OrderingKind(9)

  /** Microseconds of the day, a `Long`. */
  case object TimeMicrosKind extends OrderingKind(10)

  /** Microseconds since the epoch, a `Long`. */
  case object TimestampMicrosKind extends OrderingKind(11)

  /** Several ordering fields, a `Seq[OrderingValue]`; table version 9 only. */
  case object ArrayKind extends OrderingKind(12)

  val All: Seq[OrderingKind] = Seq(BooleanKind, IntKind, LongKind, FloatKind, DoubleKind, BytesKind, StringKind,
    DateKind, DecimalKind, TimeMicrosKind, TimestampMicrosKind, ArrayKind)
}

/** The ordering of a delete among other versions of its record. */
sealed trait OrderingValue extends Product with Serializable

object OrderingValue {

  /** No value. */
  case object Absent extends OrderingValue

  /** The int 0, which stands for a delete without an ordering value. It wins over everything before it. */
  case object CommitTime extends OrderingValue

  /** A value of the ordering field; its Java class is the boxed one of `kind`, `Array[Byte]` for bytes. */
  final case class Value(kind: OrderingKind, value: Any) extends OrderingValue

  private val DecimalPrecision = 30
  private val DecimalScale = 15

  /** Ordering by a value, `null` for none. An int column's 0 cannot be told from [[CommitTime]]. */
  def of(kind: OrderingKind, value: Any): OrderingValue = (kind, value) match {
    case (_, null) => Absent
    case (OrderingKind.IntKind, 0) => CommitTime
    case (OrderingKind.DecimalKind, d: BigDecimal) => Value(kind, rescaled(d))
    case _ => Value(kind, value)
  }

  /** The value as the format keeps decimals.
    *
    * @throws java.lang.ArithmeticException
    *   the number has more digits than fit
    */
  private def rescaled(value: BigDecimal): BigDecimal = {
    val scaled = value.setScale(DecimalScale, RoundingMode.UNNECESSARY)
    if (scaled.precision > DecimalPrecision) throw new ArithmeticException(s"$value has too many digits")
    scaled
  }

  private[log] def read(in: AvroInput): OrderingValue = {
    val branch = in.int()
    if (branch == 0) Absent
    else OrderingKind.All.find(_.branch == branch) match {
      case Some(kind) => of(kind, readValue(kind, in))
      case None => throw new IllegalArgumentException(s"an ordering value of the unknown type $branch")
    }
  }

  private def readValue(kind: OrderingKind, in: AvroInput): Any = kind match {
    case OrderingKind.BooleanKind => in.boolean()
    case OrderingKind.IntKind | OrderingKind.DateKind => in.int()
    case OrderingKind.LongKind | OrderingKind.TimeMicrosKind | OrderingKind.TimestampMicrosKind => in.long()
    case OrderingKind.FloatKind => in.float()
    case OrderingKind.DoubleKind => in.double()
    case OrderingKind.BytesKind => in.bytes()
    case OrderingKind.StringKind => in.text()
    case OrderingKind.DecimalKind => new BigDecimal(new java.math.BigInteger(in.bytes()), DecimalScale)
    case OrderingKind.ArrayKind => in.optional(in.items(readItem(in))).orNull
  }

  private def readItem(in: AvroInput): OrderingValue = read(in) match {
    case Value(OrderingKind.ArrayKind, _) => throw new IllegalArgumentException("an ordering value within another")
    case other => other
  }

  private[log] def write(value: OrderingValue, out: AvroOutput): Unit = value match {
    case Absent => out.long(0L)
    case CommitTime =>
      out.long(OrderingKind.IntKind.branch.toLong)
      out.long(0L)
    case Value(kind, inner) =>
      out.long(kind.branch.toLong)
      writeValue(kind, inner, out)
  }

  private def writeValue(kind: OrderingKind, value: Any, out: AvroOutput): Unit = (kind, value) match {
    case (OrderingKind.BooleanKind, v: Boolean) => out.boolean(v)
    case (OrderingKind.IntKind | OrderingKind.DateKind, v: Int) => out.long(v.toLong)
    case (OrderingKind.LongKind | OrderingKind.TimeMicrosKind | OrderingKind.TimestampMicrosKind, v: Long) =>
      out.long(v)
    case (OrderingKind.FloatKind, v: Float) => out.float(v)
    case (OrderingKind.DoubleKind, v: Double) => out.double(v)
    case (OrderingKind.BytesKind, v: Array[Byte]) => out.bytes(v)
    case (OrderingKind.StringKind, v: String) => out.text(v)
    case (OrderingKind.DecimalKind, v: BigDecimal) => out.bytes(rescaled(v).unscaledValue.toByteArray)
    case (OrderingKind.ArrayKind, v: Seq[_]) =>
      out.long(1L)
      out.items(v) {
        case item: OrderingValue => write(item, out)
        case other => throw new IllegalArgumentException(s"$other is no ordering value")
      }
    case _ => throw new IllegalArgumentException(s"a value of $kind cannot be a ${value.getClass.getName}")
  }
}

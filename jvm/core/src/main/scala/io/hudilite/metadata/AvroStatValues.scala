package io.hudilite.metadata

import io.hudilite.metadata.StatValue._

import java.math.{BigDecimal, BigInteger}

import org.apache.avro.{JsonProperties, Schema}
import org.apache.avro.Schema.Type

import scala.collection.JavaConverters._

/** Columns of Avro records in the terms of statistics. */
object AvroStatValues {

  /** The type of a column; `None` where no statistics are kept of it. */
  def kind(column: Schema): Option[StatType] = {
    val of = present(column)
    (logical(of), of.getType) match {
      case (Some("decimal"), Type.BYTES | Type.FIXED) =>
        Some(StatType.decimal(number(of, "precision"), number(of, "scale")))
      case (Some(name), _) if Logical.contains(name) => Some(StatType.plain(Logical(name)))
      case (_, plain) => Plain.get(plain).map(StatType.plain)
    }
  }

  /** A value as `AvroCodecValues` reads it, in the terms of statistics; `None` for one of another type. */
  def value(column: Schema, read: Any): Option[StatValue] = {
    def number(bytes: Array[Byte]): StatValue = kind(column).filter(_.ordinal == StatType.Decimal)
      .fold[StatValue](octets(bytes))(of => Decimal(new BigDecimal(new BigInteger(bytes), StatType.scale(of))))
    read match {
      case v: Boolean => Some(Flag(v))
      case v: Int => Some(if (kind(column).exists(_.ordinal == StatType.Date)) Day(v) else Int32(v))
      case v: Long => Some(Int64(v))
      case v: Float => Some(Float32(v))
      case v: Double => Some(Float64(v))
      case v: String => Some(Text(v))
      case v: Array[Byte] => Some(number(v))
      case _ => None
    }
  }

  /** The column of this dotted name; `None` where the record has none. */
  def find(record: Schema, name: String): Option[Schema] =
    name.split('.').foldLeft(Option(record))((in, field) =>
      in.map(present).filter(_.getType == Type.RECORD).flatMap(r => Option(r.getField(field))).map(_.schema))

  /** The type beside null. */
  def present(column: Schema): Schema =
    if (column.getType != Type.UNION) column
    else {
      val others = column.getTypes.asScala.filter(_.getType != Type.NULL)
      if (others.size == 1) others.head else column
    }

  private def logical(of: Schema): Option[String] = Option(of.getProp("logicalType"))

  private def number(of: Schema, name: String): Int = of.getObjectProp(name) match {
    case n: java.lang.Number => n.intValue
    case null | JsonProperties.NULL_VALUE => 0
    case other => throw new IllegalArgumentException(s"the $name of a decimal is $other")
  }

  private val Logical = Map("uuid" -> StatType.Uuid, "date" -> StatType.Date, "time-millis" -> StatType.TimeMillis,
    "time-micros" -> StatType.TimeMicros, "timestamp-millis" -> StatType.TimestampMillis,
    "timestamp-micros" -> StatType.TimestampMicros, "timestamp-nanos" -> StatType.TimestampNanos,
    "local-timestamp-millis" -> StatType.LocalTimestampMillis,
    "local-timestamp-micros" -> StatType.LocalTimestampMicros,
    "local-timestamp-nanos" -> StatType.LocalTimestampNanos)

  private val Plain = Map(Type.BOOLEAN -> StatType.Boolean, Type.INT -> StatType.Int, Type.LONG -> StatType.Long,
    Type.FLOAT -> StatType.Float, Type.DOUBLE -> StatType.Double, Type.STRING -> StatType.Text,
    Type.BYTES -> StatType.Bytes, Type.FIXED -> StatType.Fixed)
}

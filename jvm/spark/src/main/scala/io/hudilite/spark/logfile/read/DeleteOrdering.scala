package io.hudilite.spark.logfile.read

import io.hudilite.log.{OrderingKind, OrderingValue}

import org.apache.avro.Schema
import org.apache.spark.sql.types._
import org.apache.spark.unsafe.types.UTF8String

import scala.collection.JavaConverters._

/** Ordering values of a delete block in Spark's internal form: pure.
  *
  * @param columns
  *   the ordering columns of the table
  * @param written
  *   schema of the block, which says what a plain number of a time counts
  */
private[read] final class DeleteOrdering(columns: Seq[StructField], written: Option[Schema]) {

  private val inMillis: Seq[Boolean] = columns.map(c => written.exists(DeleteOrdering.isMillis(_, c.name)))

  /** A value for each column; `None` for a delete that wins over whatever came before it. So does one whose values
    * cannot be compared with the column's, as in Hudi.
    */
  def of(ordering: OrderingValue): Option[IndexedSeq[Any]] = ordering match {
    case OrderingValue.Absent | OrderingValue.CommitTime => None
    case OrderingValue.Value(OrderingKind.ArrayKind, items: Seq[_]) if items.size == columns.size => all(items)
    case single if columns.size == 1 => all(Seq(single))
    case _ => None
  }

  private def all(items: Seq[Any]): Option[IndexedSeq[Any]] = {
    val values = items.zip(columns.zip(inMillis)).map {
      case (OrderingValue.Value(kind, value), (column, millis)) => one(kind, value, column.dataType, millis)
      // Inside a list the int 0 is a value.
      case (OrderingValue.CommitTime, (column, millis)) => one(OrderingKind.IntKind, 0, column.dataType, millis)
      case _ => None
    }
    if (values.nonEmpty && values.forall(_.isDefined)) Some(values.flatten.toIndexedSeq) else None
  }

  private def one(kind: OrderingKind, value: Any, wanted: DataType, millis: Boolean): Option[Any] =
    (kind, value, wanted) match {
      case (OrderingKind.IntKind | OrderingKind.LongKind, n: Number, _) => whole(n.longValue, wanted, millis)
      case (OrderingKind.FloatKind, f: Float, FloatType) => Some(f)
      case (OrderingKind.FloatKind | OrderingKind.DoubleKind, n: Number, DoubleType) => Some(n.doubleValue)
      case (OrderingKind.BooleanKind, b: Boolean, BooleanType) => Some(b)
      case (OrderingKind.StringKind, s: String, StringType) => Some(UTF8String.fromString(s))
      case (OrderingKind.BytesKind, b: Array[Byte], BinaryType) => Some(b)
      case (OrderingKind.DateKind, days: Int, DateType) => Some(days)
      case (OrderingKind.TimestampMicrosKind, micros: Long, TimestampType | TimestampNTZType) => Some(micros)
      case (OrderingKind.DecimalKind, d: java.math.BigDecimal, t: DecimalType) =>
        val copy = Decimal(d, math.min(d.precision, DecimalType.MAX_PRECISION), d.scale)
        if (copy.changePrecision(t.precision, t.scale)) Some(copy) else None
      case _ => None
    }

  private def whole(n: Long, wanted: DataType, millis: Boolean): Option[Any] = wanted match {
    case IntegerType | DateType if n == n.toInt => Some(n.toInt)
    case ShortType if n == n.toShort => Some(n.toShort)
    case ByteType if n == n.toByte => Some(n.toByte)
    case LongType => Some(n)
    case FloatType => Some(n.toFloat)
    case DoubleType => Some(n.toDouble)
    case TimestampType | TimestampNTZType => Some(if (millis) n * 1000L else n)
    case _ => None
  }
}

private object DeleteOrdering {

  private def isMillis(record: Schema, column: String): Boolean =
    record.getType == Schema.Type.RECORD && Option(record.getField(column)).exists { field =>
      val branches = if (field.schema.getType == Schema.Type.UNION) field.schema.getTypes.asScala else Seq(field.schema)
      branches.exists(b => AvroValues.logicalName(b).exists(_.endsWith("timestamp-millis")))
    }
}

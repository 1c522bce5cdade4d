package io.hudilite.spark.logfile.encode

import io.hudilite.error.InvalidInput
import io.hudilite.log.{OrderingKind, OrderingValue}

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.types._

/** The ordering value of rows that delete their keys, in the class of the column in data blocks: Hudi compares only
  * values of one class (docs/format.md#log-files).
  */
private[spark] final class OrderingValues(ordinals: Array[Int], dataSchema: StructType) {

  private val columns: Array[StructField] = ordinals.map(dataSchema(_))

  /** A row without a value deletes in the order of commits. */
  def of(row: InternalRow): OrderingValue =
    if (ordinals.isEmpty || ordinals.exists(i => row.isNullAt(i))) OrderingValue.CommitTime
    else if (ordinals.length == 1) single(row, 0)
    else OrderingValue.of(OrderingKind.ArrayKind, ordinals.indices.map(i => single(row, i)))

  private def single(row: InternalRow, i: Int): OrderingValue = {
    val ordinal = ordinals(i)
    columns(i).dataType match {
      case BooleanType => OrderingValue.of(OrderingKind.BooleanKind, row.getBoolean(ordinal))
      case ByteType => OrderingValue.of(OrderingKind.IntKind, row.getByte(ordinal).toInt)
      case ShortType => OrderingValue.of(OrderingKind.IntKind, row.getShort(ordinal).toInt)
      case IntegerType => OrderingValue.of(OrderingKind.IntKind, row.getInt(ordinal))
      // Hudi sees times as Avro's plain numbers.
      case LongType | TimestampType | TimestampNTZType => OrderingValue.of(OrderingKind.LongKind, row.getLong(ordinal))
      case FloatType => OrderingValue.of(OrderingKind.FloatKind, row.getFloat(ordinal))
      case DoubleType => OrderingValue.of(OrderingKind.DoubleKind, row.getDouble(ordinal))
      case DateType => day(row.getInt(ordinal))
      case _: StringType => OrderingValue.of(OrderingKind.StringKind, row.getUTF8String(ordinal).toString)
      case BinaryType => OrderingValue.of(OrderingKind.BytesKind, row.getBinary(ordinal).clone())
      case d: DecimalType => decimal(columns(i).name, row.getDecimal(ordinal, d.precision, d.scale))
      case other => throw unsupported(columns(i).name, other, "it has no order")
    }
  }

  // Hudi has the day of a record as an int, and fails where a delete has it in the kind for days. The int 0 alone would
  // say that the delete wins over everything; in a list it does not.
  private def day(days: Int): OrderingValue =
    if (days == 0 && ordinals.length == 1) OrderingValue.of(OrderingKind.DateKind, days)
    else OrderingValue.of(OrderingKind.IntKind, days)

  private def decimal(column: String, value: Decimal): OrderingValue =
    try OrderingValue.of(OrderingKind.DecimalKind, value.toJavaBigDecimal)
    catch {
      case _: ArithmeticException => throw unsupported(column, DecimalType(value.precision, value.scale),
          s"a delete holds at most 15 digits before and behind the point, which $value exceeds")
    }

  private def unsupported(column: String, dataType: DataType, reason: String): InvalidInput =
    InvalidInput("UNSUPPORTED_COLUMN_TYPE", "column" -> column, "type" -> dataType.catalogString, "reason" -> reason)
}

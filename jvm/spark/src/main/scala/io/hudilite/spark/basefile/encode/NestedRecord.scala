package io.hudilite.spark.basefile.encode

import io.hudilite.spark.row.{Binaries, Nullability}

import org.apache.parquet.io.api.{Binary, RecordConsumer}
import org.apache.spark.sql.catalyst.expressions.SpecializedGetters
import org.apache.spark.sql.types._

/** Writes one nested column as records of that single field.
  *
  * @param taken
  *   counts the bytes of texts and the like; elements of lists and maps count as a long each
  */
private[encode] final class NestedRecord(consumer: RecordConsumer, field: StructField, taken: TakenBytes) {

  import NestedRecord.ValueWriter

  private val writer: ValueWriter = valueWriter(field.name, field.dataType)

  def write(values: SpecializedGetters, ordinal: Int): Unit = {
    consumer.startMessage()
    putField(field.name, 0, field.nullable, writer, values, ordinal)
    consumer.endMessage()
  }

  def writeNull(): Unit = {
    if (!field.nullable) throw Nullability.nullInRequired(field.name)
    consumer.startMessage()
    consumer.endMessage()
  }

  def flush(): Unit = consumer.flush()

  private def putField(
      name: String, index: Int, nullable: Boolean, writer: ValueWriter, values: SpecializedGetters, ordinal: Int)
      : Unit =
    if (!values.isNullAt(ordinal)) {
      consumer.startField(name, index)
      writer(values, ordinal)
      consumer.endField(name, index)
    } else if (!nullable) throw Nullability.nullInRequired(name)

  private def valueWriter(name: String, dataType: DataType): ValueWriter = dataType match {
    case BooleanType => (v, i) => consumer.addBoolean(v.getBoolean(i))
    case ByteType => (v, i) => consumer.addInteger(v.getByte(i).toInt)
    case ShortType => (v, i) => consumer.addInteger(v.getShort(i).toInt)
    case IntegerType | DateType => (v, i) => consumer.addInteger(v.getInt(i))
    case LongType | TimestampType | TimestampNTZType => (v, i) => consumer.addLong(v.getLong(i))
    case FloatType => (v, i) => consumer.addFloat(v.getFloat(i))
    case DoubleType => (v, i) => consumer.addDouble(v.getDouble(i))
    case _: StringType => (v, i) => addBinary(Binaries.of(v.getUTF8String(i)))
    case BinaryType => (v, i) => addBinary(Binary.fromReusedByteArray(v.getBinary(i)))
    case decimal: DecimalType =>
      val bytes = new DecimalBytes(decimal)
      (v, i) => consumer.addBinary(bytes.of(v.getDecimal(i, decimal.precision, decimal.scale)))
    case struct: StructType => structWriter(struct)
    case array: ArrayType => arrayWriter(name, array)
    case map: MapType => mapWriter(name, map)
    case other => throw new IllegalStateException(s"column ${field.name} of type ${other.sql} passed the schema check")
  }

  private def addBinary(value: Binary): Unit = {
    taken.count += value.length
    consumer.addBinary(value)
  }

  private def structWriter(struct: StructType): ValueWriter = {
    val fields = struct.fields
    val writers = fields.map(f => valueWriter(f.name, f.dataType))
    (v, i) => {
      val row = v.getStruct(i, fields.length)
      consumer.startGroup()
      var f = 0
      while (f < fields.length) {
        putField(fields(f).name, f, fields(f).nullable, writers(f), row, f)
        f += 1
      }
      consumer.endGroup()
    }
  }

  private def arrayWriter(name: String, array: ArrayType): ValueWriter = {
    val element = valueWriter(name, array.elementType)
    (v, i) => {
      val values = v.getArray(i)
      repeated("list", values.numElements()) { n =>
        putField("element", 0, array.containsNull, element, values, n)
      }
    }
  }

  private def mapWriter(name: String, map: MapType): ValueWriter = {
    val key = valueWriter(name, map.keyType)
    val value = valueWriter(name, map.valueType)
    (v, i) => {
      val entries = v.getMap(i)
      val keys = entries.keyArray()
      val values = entries.valueArray()
      repeated("key_value", entries.numElements()) { n =>
        putField("key", 0, nullable = false, key, keys, n)
        putField("value", 1, map.valueContainsNull, value, values, n)
      }
    }
  }

  /** The outer group of a list or map with its repeated inner group, which is absent when there are no elements. */
  private def repeated(name: String, count: Int)(item: Int => Unit): Unit = {
    consumer.startGroup()
    taken.count += count * java.lang.Long.BYTES.toLong
    if (count > 0) {
      consumer.startField(name, 0)
      var n = 0
      while (n < count) {
        consumer.startGroup()
        item(n)
        consumer.endGroup()
        n += 1
      }
      consumer.endField(name, 0)
    }
    consumer.endGroup()
  }
}

private object NestedRecord {

  /** No function of Scala's, which would box each ordinal. */
  private trait ValueWriter {
    def apply(values: SpecializedGetters, ordinal: Int): Unit
  }
}

/** Decimals of one type as big-endian two's complement of fixed length. The result is valid until the next call. */
private[spark] final class DecimalBytes(decimal: DecimalType) {

  private val length = ParquetSchema.decimalBytes(decimal.precision)
  private val buffer = new Array[Byte](length)

  def of(value: Decimal): Binary = {
    if (decimal.precision <= Decimal.MAX_LONG_DIGITS) fromLong(value.toUnscaledLong)
    else fromBytes(value.toJavaBigDecimal.unscaledValue.toByteArray)
    Binary.fromReusedByteArray(buffer)
  }

  private def fromLong(unscaled: Long): Unit = {
    var i = length - 1
    var rest = unscaled
    while (i >= 0) { // hot path
      buffer(i) = rest.toByte
      rest >>= 8
      i -= 1
    }
  }

  private def fromBytes(bytes: Array[Byte]): Unit = {
    val sign = if (bytes(0) < 0) -1.toByte else 0.toByte
    java.util.Arrays.fill(buffer, 0, length - bytes.length, sign)
    System.arraycopy(bytes, 0, buffer, length - bytes.length, bytes.length)
  }
}

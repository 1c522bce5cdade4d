package io.hudilite.spark.logfile.encode

import io.hudilite.spark.basefile.encode.DecimalBytes
import io.hudilite.spark.row.Nullability

import org.apache.spark.sql.catalyst.expressions.SpecializedGetters
import org.apache.spark.sql.types._

/** Writes values of one type in Avro's binary encoding. */
private[spark] abstract class AvroEncoder {

  /** Appends the value at `ordinal`, which is not null. */
  def put(values: SpecializedGetters, ordinal: Int, out: AvroBuffer): Unit
}

/** Encoders for the Avro types of `SchemaConversion.toAvro`, made once for a schema.
  *
  * A nullable type is a union with null as its first branch. Decimals are fixed, all times are microseconds.
  */
private[spark] object AvroEncoder {

  /** One encoder for the columns of a record. */
  def record(schema: StructType): AvroRecord = new AvroRecord(schema.fields.map(f =>
      AvroSlot(f.name, of(f.dataType), f.nullable)))

  private def of(dataType: DataType): AvroEncoder = dataType match {
    case BooleanType => (values, i, out) => out.putByte(if (values.getBoolean(i)) 1 else 0)
    case ByteType => (values, i, out) => out.putLong(values.getByte(i).toLong)
    case ShortType => (values, i, out) => out.putLong(values.getShort(i).toLong)
    case IntegerType | DateType => (values, i, out) => out.putLong(values.getInt(i).toLong)
    case LongType | TimestampType | TimestampNTZType => (values, i, out) => out.putLong(values.getLong(i))
    case FloatType => (values, i, out) => out.putFloat(values.getFloat(i))
    case DoubleType => (values, i, out) => out.putDouble(values.getDouble(i))
    case _: StringType => (values, i, out) => out.putText(values.getUTF8String(i))
    case BinaryType => (values, i, out) => {
        val bytes = values.getBinary(i)
        out.putBytes(bytes, 0, bytes.length)
      }
    case decimal: DecimalType => new AvroDecimal(decimal)
    case struct: StructType => new AvroStruct(record(struct), struct.length)
    case ArrayType(element, containsNull) => new AvroArray(AvroSlot("element", of(element), containsNull))
    case MapType(_, value, containsNull) => new AvroMap(AvroSlot("value", of(value), containsNull))
    case other => throw new IllegalStateException(s"a column of type ${other.catalogString} in a table")
  }

  private final class AvroStruct(record: AvroRecord, width: Int) extends AvroEncoder {
    override def put(values: SpecializedGetters, ordinal: Int, out: AvroBuffer): Unit =
      record.put(values.getStruct(ordinal, width), out)
  }

  private final class AvroDecimal(decimal: DecimalType) extends AvroEncoder {
    private val bytes = new DecimalBytes(decimal)
    override def put(values: SpecializedGetters, ordinal: Int, out: AvroBuffer): Unit = {
      val fixed = bytes.of(values.getDecimal(ordinal, decimal.precision, decimal.scale)).getBytesUnsafe
      out.putRaw(fixed, 0, fixed.length)
    }
  }

  /** Items in one run behind their number, and the empty run that ends every list. */
  private final class AvroArray(element: AvroSlot) extends AvroEncoder {
    override def put(values: SpecializedGetters, ordinal: Int, out: AvroBuffer): Unit = {
      val items = values.getArray(ordinal)
      val count = items.numElements()
      if (count > 0) out.putLong(count.toLong)
      var i = 0
      while (i < count) { // hot path
        element.put(items, i, out)
        i += 1
      }
      out.putByte(0)
    }
  }

  private final class AvroMap(value: AvroSlot) extends AvroEncoder {
    override def put(values: SpecializedGetters, ordinal: Int, out: AvroBuffer): Unit = {
      val map = values.getMap(ordinal)
      val (keys, items, count) = (map.keyArray(), map.valueArray(), map.numElements())
      if (count > 0) out.putLong(count.toLong)
      var i = 0
      while (i < count) { // hot path
        out.putText(keys.getUTF8String(i))
        value.put(items, i, out)
        i += 1
      }
      out.putByte(0)
    }
  }
}

/** A value in its place, with its nullability there. */
private[encode] final case class AvroSlot(name: String, value: AvroEncoder, nullable: Boolean) {

  def put(values: SpecializedGetters, ordinal: Int, out: AvroBuffer): Unit =
    if (!nullable) {
      if (values.isNullAt(ordinal)) throw Nullability.nullInRequired(name)
      value.put(values, ordinal, out)
    } else if (values.isNullAt(ordinal)) out.putByte(AvroSlot.Null)
    else {
      out.putByte(AvroSlot.Present)
      value.put(values, ordinal, out)
    }
}

private[encode] object AvroSlot {

  /** Branches of a union with null, as Avro numbers them. */
  val Null = 0
  val Present = 2
}

private[encode] final class AvroRecord(slots: Array[AvroSlot]) {

  /** Appends all columns of a row, the first of which is at `first`. */
  def put(row: SpecializedGetters, out: AvroBuffer, first: Int = 0): Unit = {
    var i = 0
    while (i < slots.length) { // hot path
      slots(i).put(row, first + i, out)
      i += 1
    }
  }
}

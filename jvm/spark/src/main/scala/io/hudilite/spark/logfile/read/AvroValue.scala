package io.hudilite.spark.logfile.read

import io.hudilite.spark.basefile.stored.TypeChange

import java.math.{BigDecimal, BigInteger}
import java.time.LocalDate

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow
import org.apache.spark.sql.catalyst.util.{ArrayBasedMapData, GenericArrayData}
import org.apache.spark.sql.types._
import org.apache.spark.unsafe.types.UTF8String

/** Reads one Avro value in Spark's internal form. */
private[read] abstract class AvroValue {

  /** The value, null for Avro's null. */
  def value(in: AvroCursor): Any

  /** Puts the value into a row; primitive kinds do it without an object for each value. */
  def set(in: AvroCursor, row: InternalRow, ordinal: Int): Unit = {
    val v = value(in)
    if (v == null) row.setNullAt(ordinal) else row.update(ordinal, v) // hot path
  }
}

/** The values of one type each, and how some become those of another. */
private[read] object AvroValue {

  object NoValue extends AvroValue {
    override def value(in: AvroCursor): Any = null
  }

  object BooleanValue extends AvroValue {
    override def value(in: AvroCursor): Any = in.readBoolean()
    override def set(in: AvroCursor, row: InternalRow, ordinal: Int): Unit = row.setBoolean(ordinal, in.readBoolean())
  }

  object IntValue extends AvroValue {
    override def value(in: AvroCursor): Any = in.readInt()
    override def set(in: AvroCursor, row: InternalRow, ordinal: Int): Unit = row.setInt(ordinal, in.readInt())
  }

  object LongValue extends AvroValue {
    override def value(in: AvroCursor): Any = in.readLong()
    override def set(in: AvroCursor, row: InternalRow, ordinal: Int): Unit = row.setLong(ordinal, in.readLong())
  }

  /** Milliseconds as the microseconds that Spark has. */
  object MillisValue extends AvroValue {
    private def micros(in: AvroCursor): Long =
      try Math.multiplyExact(in.readLong(), 1000L)
      catch { case _: ArithmeticException => throw new DamagedRecord("a time is beyond Spark's range") }
    override def value(in: AvroCursor): Any = micros(in)
    override def set(in: AvroCursor, row: InternalRow, ordinal: Int): Unit = row.setLong(ordinal, micros(in))
  }

  /** Times of day in a unit of so many nanoseconds, as the nanoseconds that Spark has. */
  final class TimeOfDayValue(nanos: Long) extends AvroValue {
    override def value(in: AvroCursor): Any =
      try Math.multiplyExact(in.readLong(), nanos)
      catch { case _: ArithmeticException => throw new DamagedRecord("a time is beyond a day") }
  }

  object WholeAsFloat extends AvroValue {
    override def value(in: AvroCursor): Any = in.readLong().toFloat
    override def set(in: AvroCursor, row: InternalRow, ordinal: Int): Unit =
      row.setFloat(ordinal, in.readLong().toFloat)
  }

  object WholeAsDouble extends AvroValue {
    override def value(in: AvroCursor): Any = in.readLong().toDouble
    override def set(in: AvroCursor, row: InternalRow, ordinal: Int): Unit =
      row.setDouble(ordinal, in.readLong().toDouble)
  }

  object FloatValue extends AvroValue {
    override def value(in: AvroCursor): Any = in.readFloat()
    override def set(in: AvroCursor, row: InternalRow, ordinal: Int): Unit = row.setFloat(ordinal, in.readFloat())
  }

  object FloatAsDouble extends AvroValue {
    override def value(in: AvroCursor): Any = TypeChange.asDouble(in.readFloat())
    override def set(in: AvroCursor, row: InternalRow, ordinal: Int): Unit =
      row.setDouble(ordinal, TypeChange.asDouble(in.readFloat()))
  }

  object DoubleValue extends AvroValue {
    override def value(in: AvroCursor): Any = in.readDouble()
    override def set(in: AvroCursor, row: InternalRow, ordinal: Int): Unit = row.setDouble(ordinal, in.readDouble())
  }

  /** Text that points into the block; whoever keeps the row copies it. */
  object TextValue extends AvroValue {
    override def value(in: AvroCursor): Any = {
      val length = in.readLong()
      UTF8String.fromBytes(in.bytes, in.take(length), length.toInt)
    }
  }

  object BinaryValue extends AvroValue {
    override def value(in: AvroCursor): Any = {
      val length = in.readLong()
      val start = in.take(length)
      java.util.Arrays.copyOfRange(in.bytes, start, start + length.toInt)
    }
  }

  final class FixedValue(length: Int) extends AvroValue {
    override def value(in: AvroCursor): Any = {
      val start = in.take(length.toLong)
      java.util.Arrays.copyOfRange(in.bytes, start, start + length)
    }
  }

  final class EnumValue(names: Array[String]) extends AvroValue {
    private val symbols = names.map(UTF8String.fromString)
    override def value(in: AvroCursor): Any = {
      val index = in.readLong()
      if (index < 0 || index >= symbols.length) throw new DamagedRecord(s"it takes symbol $index of an enum")
      symbols(index.toInt)
    }
  }

  /** An int of a column that is narrower in the table. */
  final class SmallValue(wanted: DataType) extends AvroValue {
    override def value(in: AvroCursor): Any = {
      val v = in.readInt()
      if (wanted == ByteType) v.toByte else v.toShort
    }
  }

  /** The unscaled number as two's complement, highest byte first. */
  final class DecimalValue(own: DecimalType, fixedLength: Option[Int]) extends AvroValue {

    override def value(in: AvroCursor): Any = {
      val length = fixedLength.fold(in.readLong())(_.toLong)
      val start = in.take(length)
      if (length == 0) throw new DamagedRecord("a decimal has no bytes")
      val unscaled = new BigInteger(in.bytes, start, length.toInt)
      try Decimal(new BigDecimal(unscaled, own.scale), own.precision, own.scale)
      catch { case e: ArithmeticException => throw new DamagedRecord(e.getMessage) }
    }
  }

  /** A value of one atomic type as one of a wider type. */
  final class ConvertedValue(reader: AvroValue, written: DataType, wanted: DataType) extends AvroValue {

    override def value(in: AvroCursor): Any = (reader.value(in), wanted) match {
      case (d: Decimal, to: DecimalType) => scaled(d, to)
      case (n: Long, to: DecimalType) => scaled(Decimal(n), to)
      case (v, StringType) => UTF8String.fromString(text(v))
      case (v, other) => throw new IllegalStateException(s"$v is read as ${other.catalogString}")
    }

    private def scaled(value: Decimal, to: DecimalType): Decimal = {
      val copy = value.clone()
      if (!copy.changePrecision(to.precision, to.scale)) throw new DamagedRecord(s"$value does not fit ${to.sql}")
      copy
    }

    private def text(value: Any): String = (value, written) match {
      case (days: Int, DateType) => LocalDate.ofEpochDay(days.toLong).toString
      case (d: Decimal, _) => d.toJavaBigDecimal.toPlainString
      case (other, _) => other.toString
    }
  }

  /** A value of one atomic type as one of a type that the column has been changed to, or null. */
  final class ChangedValue(reader: AvroValue, written: DataType, wanted: DataType) extends AvroValue {
    private val change = TypeChange.of(written, wanted)
    override def value(in: AvroCursor): Any = change(reader.value(in))
  }

  /** A record inside a record: fields that the file lacks are null. */
  final class RecordValue(readers: Array[AvroValue], ordinals: Array[Int], size: Int) extends AvroValue {
    override def value(in: AvroCursor): Any = {
      // hot path
      val values = new Array[Any](size)
      var i = 0
      while (i < readers.length) {
        val v = readers(i).value(in)
        if (ordinals(i) >= 0) values(ordinals(i)) = v
        i += 1
      }
      new GenericInternalRow(values)
    }
  }

  final class UnionValue(branches: Array[AvroValue]) extends AvroValue {
    private def branch(in: AvroCursor): AvroValue = {
      val index = in.readLong()
      if (index < 0 || index >= branches.length) throw new DamagedRecord(s"it takes branch $index of a union")
      branches(index.toInt)
    }
    override def value(in: AvroCursor): Any = branch(in).value(in)
    override def set(in: AvroCursor, row: InternalRow, ordinal: Int): Unit = branch(in).set(in, row, ordinal)
  }

  final class ArrayValue(element: AvroValue, itemsTakeBytes: Boolean) extends AvroValue {
    override def value(in: AvroCursor): Any = {
      val values = Array.newBuilder[Any]
      var count = in.readItemCount(itemsTakeBytes)
      while (count > 0) { // hot path
        var i = 0
        while (i < count) {
          values += element.value(in)
          i += 1
        }
        count = in.readItemCount(itemsTakeBytes)
      }
      new GenericArrayData(values.result())
    }
  }

  final class MapValue(element: AvroValue) extends AvroValue {
    override def value(in: AvroCursor): Any = {
      val keys = Array.newBuilder[Any]
      val values = Array.newBuilder[Any]
      var count = in.readItemCount(itemsTakeBytes = true)
      while (count > 0) { // hot path
        var i = 0
        while (i < count) {
          keys += TextValue.value(in)
          values += element.value(in)
          i += 1
        }
        count = in.readItemCount(itemsTakeBytes = true)
      }
      new ArrayBasedMapData(new GenericArrayData(keys.result()), new GenericArrayData(values.result()))
    }
  }
}

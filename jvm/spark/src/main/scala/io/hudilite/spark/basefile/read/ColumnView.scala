package io.hudilite.spark.basefile.read

import io.hudilite.spark.basefile.stored.{TypeChange, Unscaled}

import java.time.LocalDate

import org.apache.spark.sql.execution.vectorized.WritableColumnVector
import org.apache.spark.sql.types._
import org.apache.spark.sql.vectorized.{ColumnVector, ColumnarArray, ColumnarMap}
import org.apache.spark.unsafe.types.UTF8String

/** A column vector that shows another one. The vector below belongs to the reader, which closes it. */
sealed abstract class ColumnView(base: ColumnVector, dataType: DataType) extends ColumnVector(dataType) {
  override def close(): Unit = ()
  override def hasNull: Boolean = base.hasNull
  override def numNulls: Int = base.numNulls
  override def isNullAt(row: Int): Boolean = base.isNullAt(row)
  override def getBoolean(row: Int): Boolean = base.getBoolean(row)
  override def getByte(row: Int): Byte = base.getByte(row)
  override def getShort(row: Int): Short = base.getShort(row)
  override def getInt(row: Int): Int = base.getInt(row)
  override def getLong(row: Int): Long = base.getLong(row)
  override def getFloat(row: Int): Float = base.getFloat(row)
  override def getDouble(row: Int): Double = base.getDouble(row)
  override def getArray(row: Int): ColumnarArray = base.getArray(row)
  override def getMap(row: Int): ColumnarMap = base.getMap(row)
  override def getDecimal(row: Int, precision: Int, scale: Int): Decimal = base.getDecimal(row, precision, scale)
  override def getUTF8String(row: Int): UTF8String = base.getUTF8String(row)
  override def getBinary(row: Int): Array[Byte] = base.getBinary(row)
  override def getChild(ordinal: Int): ColumnVector = base.getChild(ordinal)
}

object ColumnView {

  /** The vector with the conversion applied. Values are converted when they are asked for. */
  def of(base: ColumnVector, conversion: Conversion): ColumnVector = conversion match {
    case Conversion.AsIs => base
    case Conversion.Widen(from, to) => new WidenedVector(base, from, to)
    case Conversion.Change(from, to) => new ChangedVector(base, from, to)
    case Conversion.Unscaled(own, next) => of(new UnscaledVector(base, own), next)
    case Conversion.Relabel(_, to) => new RelabeledVector(base, to)
    case Conversion.TimeOfDay(from, to, nanos) => new TimeVector(base, from, to, nanos)
    case Conversion.InStruct(to, fields) =>
      new StructView(base, to, fields.indices.map(i => of(base.getChild(i), fields(i))))
    case Conversion.InArray(to, element) => new ArrayView(writable(base), to, of(base.getChild(0), element))
    case Conversion.InMap(to, key, value) =>
      new MapView(writable(base), to, of(base.getChild(0), key), of(base.getChild(1), value))
  }

  private def writable(base: ColumnVector): WritableColumnVector = base match {
    case vector: WritableColumnVector => vector
    case other => throw new IllegalStateException(s"the parquet reader delivered a ${other.getClass.getName}")
  }
}

/** Values of a narrow type as values of a wider one. */
private final class WidenedVector(base: ColumnVector, from: DataType, to: DataType) extends ColumnView(base, to) {

  // hot path: one of these per value
  private def whole(row: Int): Long = from match {
    case IntegerType => base.getInt(row).toLong
    case LongType => base.getLong(row)
    case ShortType => base.getShort(row).toLong
    case ByteType => base.getByte(row).toLong
    case other => throw new IllegalStateException(s"a $other is read as a whole number")
  }

  override def getLong(row: Int): Long = whole(row)

  override def getFloat(row: Int): Float = whole(row).toFloat

  override def getDouble(row: Int): Double =
    if (from == FloatType) TypeChange.asDouble(base.getFloat(row)) else whole(row).toDouble

  override def getDecimal(row: Int, precision: Int, scale: Int): Decimal =
    if (isNullAt(row)) null
    else {
      val value = from match {
        case d: DecimalType => base.getDecimal(row, d.precision, d.scale).clone()
        case _ => Decimal(whole(row))
      }
      if (!value.changePrecision(precision, scale))
        throw new IllegalStateException(s"$value does not fit decimal($precision,$scale)")
      value
    }

  override def getUTF8String(row: Int): UTF8String =
    if (isNullAt(row)) null
    else UTF8String.fromString(from match {
      case FloatType => base.getFloat(row).toString
      case DoubleType => base.getDouble(row).toString
      case BooleanType => base.getBoolean(row).toString
      case DateType => LocalDate.ofEpochDay(base.getInt(row).toLong).toString
      case d: DecimalType => base.getDecimal(row, d.precision, d.scale).toJavaBigDecimal.toPlainString
      case _ => whole(row).toString
    })
}

/** Values of a type that was changed into another one. Some of them become null. */
private final class ChangedVector(base: ColumnVector, from: DataType, to: DataType) extends ColumnView(base, to) {

  private val change = TypeChange.of(from, to)

  private def value(row: Int): Any =
    if (base.isNullAt(row)) null
    else change(from match {
      case IntegerType => base.getInt(row)
      case LongType => base.getLong(row)
      case FloatType => base.getFloat(row)
      case DoubleType => base.getDouble(row)
      case StringType => base.getUTF8String(row)
      case other => throw new IllegalStateException(s"a ${other.catalogString} changed its type")
    })

  override def hasNull: Boolean = true
  override def isNullAt(row: Int): Boolean = value(row) == null
  override def getInt(row: Int): Int = value(row).asInstanceOf[Int]
  override def getDecimal(row: Int, precision: Int, scale: Int): Decimal = value(row).asInstanceOf[Decimal]
}

/** Decimals of up to 18 digits, from bytes in the vector below. */
private final class UnscaledVector(base: ColumnVector, own: DecimalType) extends ColumnView(base, own) {
  override def getDecimal(row: Int, precision: Int, scale: Int): Decimal =
    if (isNullAt(row)) null else Unscaled.decimal(base.getBinary(row), own)
}

/** The values below under the name of another type. */
private final class RelabeledVector(base: ColumnVector, to: DataType) extends ColumnView(base, to)

/** Times of day in nanoseconds, from a vector with a unit of `nanos` nanoseconds. */
private final class TimeVector(base: ColumnVector, from: DataType, to: DataType, nanos: Long)
    extends ColumnView(base, to) {
  override def getLong(row: Int): Long =
    Math.multiplyExact(if (from == IntegerType) base.getInt(row).toLong else base.getLong(row), nanos)
}

private[spark] final class StructView(base: ColumnVector, to: StructType, children: IndexedSeq[ColumnVector])
    extends ColumnView(base, to) {
  override def getChild(ordinal: Int): ColumnVector = children(ordinal)
}

private final class ArrayView(base: WritableColumnVector, to: ArrayType, elements: ColumnVector)
    extends ColumnView(base, to) {
  override def getArray(row: Int): ColumnarArray =
    if (isNullAt(row)) null
    else new ColumnarArray(elements, base.getArrayOffset(row), base.getArrayLength(row))
  override def getChild(ordinal: Int): ColumnVector = elements
}

private final class MapView(base: WritableColumnVector, to: MapType, keys: ColumnVector, values: ColumnVector)
    extends ColumnView(base, to) {
  override def getMap(row: Int): ColumnarMap =
    if (isNullAt(row)) null
    else new ColumnarMap(keys, values, base.getArrayOffset(row), base.getArrayLength(row))
  override def getChild(ordinal: Int): ColumnVector = if (ordinal == 0) keys else values
}

/** Some rows of a vector: row `i` of the view is row `rows(i)` below. Columns of a batch share the array. */
private[spark] final class SelectedVector(base: ColumnVector, rows: Array[Int]) extends ColumnVector(base.dataType) {
  private lazy val children = new Array[ColumnVector](base.dataType match {
    case s: StructType => s.length
    case _ => 2 // elements of an array; keys and values of a map; parts of an interval
  })

  override def close(): Unit = ()
  override def hasNull: Boolean = base.hasNull
  override def numNulls: Int = base.numNulls
  override def isNullAt(row: Int): Boolean = base.isNullAt(rows(row))
  override def getBoolean(row: Int): Boolean = base.getBoolean(rows(row))
  override def getByte(row: Int): Byte = base.getByte(rows(row))
  override def getShort(row: Int): Short = base.getShort(rows(row))
  override def getInt(row: Int): Int = base.getInt(rows(row))
  override def getLong(row: Int): Long = base.getLong(rows(row))
  override def getFloat(row: Int): Float = base.getFloat(rows(row))
  override def getDouble(row: Int): Double = base.getDouble(rows(row))
  override def getArray(row: Int): ColumnarArray = base.getArray(rows(row))
  override def getMap(row: Int): ColumnarMap = base.getMap(rows(row))
  override def getDecimal(row: Int, precision: Int, scale: Int): Decimal = base.getDecimal(rows(row), precision, scale)
  override def getUTF8String(row: Int): UTF8String = base.getUTF8String(rows(row))
  override def getBinary(row: Int): Array[Byte] = base.getBinary(rows(row))

  // Only children of structs are asked for by row. Arrays and maps have offsets from the vector below.
  override def getChild(ordinal: Int): ColumnVector = base.dataType match {
    case _: ArrayType | _: MapType => base.getChild(ordinal)
    case _ =>
      if (children(ordinal) == null) children(ordinal) = new SelectedVector(base.getChild(ordinal), rows)
      children(ordinal)
  }
}

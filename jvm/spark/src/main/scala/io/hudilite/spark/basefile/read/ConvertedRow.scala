package io.hudilite.spark.basefile.read

import io.hudilite.spark.basefile.stored.{TypeChange, Unscaled}

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{BoundReference, Cast, GenericInternalRow}
import org.apache.spark.sql.catalyst.util.{ArrayBasedMapData, ArrayData, GenericArrayData, MapData}
import org.apache.spark.sql.types._

/** A row of a file, shown as a row of the wanted columns, one row after the other.
  *
  * @param columns
  *   wanted columns as they come out of the file
  */
private[spark] final class ConvertedRow(columns: FileColumns, timeZone: String) {

  private val values = columns.requested.fields.zip(columns.conversions).map { case (field, conversion) =>
    function(field.dataType, conversion)
  }
  private val needed = columns.conversions.exists(_ != Conversion.AsIs)
  private val row = new GenericInternalRow(columns.requested.length)

  /** The row, reused by the next call. */
  def of(read: InternalRow): InternalRow =
    if (!needed) read
    else {
      var i = 0
      while (i < values.length) { // hot path
        row.update(i, if (read.isNullAt(i)) null else values(i)(read.get(i, columns.requested(i).dataType)))
        i += 1
      }
      row
    }

  private def function(read: DataType, conversion: Conversion): Any => Any = (conversion, read) match {
    case (Conversion.Widen(FloatType, DoubleType), _) => TypeChange.of(FloatType, DoubleType)
    case (Conversion.Widen(from, to), _) =>
      val cast = Cast(BoundReference(0, from, nullable = true), to, Some(timeZone))
      (value: Any) => cast.eval(InternalRow(value))
    case (Conversion.Change(from, to), _) => TypeChange.of(from, to)
    case (Conversion.Unscaled(own, next), _) =>
      val further = function(own, next)
      (value: Any) => further(Unscaled.decimal(value.asInstanceOf[Array[Byte]], own))
    case (Conversion.TimeOfDay(_, _, nanos), _) =>
      (value: Any) => Math.multiplyExact(value.asInstanceOf[Number].longValue, nanos)
    case (Conversion.InStruct(_, fields), struct: StructType) =>
      val inner = struct.fields.zip(fields).map { case (field, c) => nullable(field.dataType, c) }
      (value: Any) => {
        val from = value.asInstanceOf[InternalRow]
        new GenericInternalRow(Array.tabulate[Any](inner.length)(i => inner(i)(from.get(i, struct(i).dataType))))
      }
    case (Conversion.InArray(_, element), array: ArrayType) => items(array.elementType, element)
    case (Conversion.InMap(_, key, value), map: MapType) =>
      val (keys, values) = (items(map.keyType, key), items(map.valueType, value))
      (read: Any) => {
        val data = read.asInstanceOf[MapData]
        new ArrayBasedMapData(keys(data.keyArray()), values(data.valueArray()))
      }
    case _ => identity
  }

  private def items(dataType: DataType, conversion: Conversion): Any => ArrayData = {
    val one = nullable(dataType, conversion)
    (value: Any) => new GenericArrayData(value.asInstanceOf[ArrayData].toObjectArray(dataType).map(v => one(v)))
  }

  private def nullable(dataType: DataType, conversion: Conversion): Any => Any = {
    val convert = function(dataType, conversion)
    (value: Any) => if (value == null) null else convert(value)
  }
}

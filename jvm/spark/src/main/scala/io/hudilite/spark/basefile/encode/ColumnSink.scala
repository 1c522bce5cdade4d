package io.hudilite.spark.basefile.encode

import io.hudilite.spark.row.Nullability

import org.apache.parquet.column.{ColumnWriteStore, ColumnWriter}
import org.apache.parquet.io.api.Binary
import org.apache.spark.sql.catalyst.expressions.SpecializedGetters
import org.apache.spark.sql.types._
import org.apache.spark.sql.vectorized.{ColumnVector, ColumnarArray}

/** Takes the values of one top-level column of a row group, one by one from rows or by the run from column vectors.
  *
  * Each column has its own parquet column store, so columns can be filled one after the other. That keeps the hot loops
  * free of any per-row dispatch over columns when unchanged rows are copied.
  */
private[encode] abstract class ColumnSink(protected val store: ColumnWriteStore) {

  /** Appends the value at `ordinal`. */
  def put(values: SpecializedGetters, ordinal: Int): Unit

  /** Appends the values `[from, until)` of a vector. */
  def putRun(vector: ColumnVector, from: Int, until: Int): Unit

  final def bufferedBytes: Long = store.getBufferedSize

  /** Ends the column chunk: its last page goes to the page store. */
  def finish(): Unit = {
    store.flush()
    store.close()
  }
}

/** A column without nesting. `level` is the definition level of a present value: 1 optional, 0 required. */
private[encode] abstract class FlatSink(
    store: ColumnWriteStore, protected val writer: ColumnWriter, name: String, level: Int)
    extends ColumnSink(store) {

  protected def value(values: SpecializedGetters, ordinal: Int): Unit

  override final def put(values: SpecializedGetters, ordinal: Int): Unit =
    if (values.isNullAt(ordinal)) putNull()
    else {
      value(values, ordinal)
      store.endRecord()
    }

  /** Appends a null. */
  def putNull(): Unit = {
    if (level == 0) throw Nullability.nullInRequired(name)
    writer.writeNull(0, 0)
    store.endRecord()
  }

}

// The loops below differ only in the type of the value. Each sink has its own, so that the JIT sees one receiver.

private[encode] final class BooleanSink(store: ColumnWriteStore, writer: ColumnWriter, name: String, level: Int)
    extends FlatSink(store, writer, name, level) {
  override protected def value(values: SpecializedGetters, ordinal: Int): Unit =
    writer.write(values.getBoolean(ordinal), 0, level)
  override def putRun(vector: ColumnVector, from: Int, until: Int): Unit = {
    var i = from
    while (i < until) { // hot path
      if (vector.isNullAt(i)) putNull() else { writer.write(vector.getBoolean(i), 0, level); store.endRecord() }
      i += 1
    }
  }
}

/** Byte, short, int and date columns; `width` is the type's size in bytes. */
private[encode] final class IntSink(store: ColumnWriteStore, writer: ColumnWriter, name: String, level: Int, width: Int)
    extends FlatSink(store, writer, name, level) {
  override protected def value(values: SpecializedGetters, ordinal: Int): Unit =
    writer.write(if (width == 4) values.getInt(ordinal)
      else if (width == 2) values.getShort(ordinal).toInt
      else values.getByte(ordinal).toInt, 0, level)
  override def putRun(vector: ColumnVector, from: Int, until: Int): Unit =
    if (width == 4) putInts(vector, from, until) else putNarrow(vector, from, until)

  private def putInts(vector: ColumnVector, from: Int, until: Int): Unit = {
    var i = from
    while (i < until) { // hot path
      if (vector.isNullAt(i)) putNull() else { writer.write(vector.getInt(i), 0, level); store.endRecord() }
      i += 1
    }
  }

  private def putNarrow(vector: ColumnVector, from: Int, until: Int): Unit = {
    var i = from
    while (i < until) { // hot path
      if (vector.isNullAt(i)) putNull()
      else {
        writer.write(if (width == 2) vector.getShort(i).toInt else vector.getByte(i).toInt, 0, level)
        store.endRecord()
      }
      i += 1
    }
  }
}

/** Long and timestamp columns. */
private[encode] final class LongSink(store: ColumnWriteStore, writer: ColumnWriter, name: String, level: Int)
    extends FlatSink(store, writer, name, level) {
  override protected def value(values: SpecializedGetters, ordinal: Int): Unit =
    writer.write(values.getLong(ordinal), 0, level)
  override def putRun(vector: ColumnVector, from: Int, until: Int): Unit = {
    var i = from
    while (i < until) { // hot path
      if (vector.isNullAt(i)) putNull() else { writer.write(vector.getLong(i), 0, level); store.endRecord() }
      i += 1
    }
  }
}

private[encode] final class FloatSink(store: ColumnWriteStore, writer: ColumnWriter, name: String, level: Int)
    extends FlatSink(store, writer, name, level) {
  override protected def value(values: SpecializedGetters, ordinal: Int): Unit =
    writer.write(values.getFloat(ordinal), 0, level)
  override def putRun(vector: ColumnVector, from: Int, until: Int): Unit = {
    var i = from
    while (i < until) { // hot path
      if (vector.isNullAt(i)) putNull() else { writer.write(vector.getFloat(i), 0, level); store.endRecord() }
      i += 1
    }
  }
}

private[encode] final class DoubleSink(store: ColumnWriteStore, writer: ColumnWriter, name: String, level: Int)
    extends FlatSink(store, writer, name, level) {
  override protected def value(values: SpecializedGetters, ordinal: Int): Unit =
    writer.write(values.getDouble(ordinal), 0, level)
  override def putRun(vector: ColumnVector, from: Int, until: Int): Unit = {
    var i = from
    while (i < until) { // hot path
      if (vector.isNullAt(i)) putNull() else { writer.write(vector.getDouble(i), 0, level); store.endRecord() }
      i += 1
    }
  }
}

private[encode] final class BinarySink(
    store: ColumnWriteStore, writer: ColumnWriter, name: String, level: Int, taken: TakenBytes)
    extends FlatSink(store, writer, name, level) {
  override protected def value(values: SpecializedGetters, ordinal: Int): Unit = append(values.getBinary(ordinal))

  private def append(bytes: Array[Byte]): Unit = {
    taken.count += bytes.length
    writer.write(Binary.fromReusedByteArray(bytes), 0, level)
  }

  override def putRun(vector: ColumnVector, from: Int, until: Int): Unit = {
    var i = from
    while (i < until) { // hot path
      if (vector.isNullAt(i)) putNull()
      else {
        append(vector.getBinary(i))
        store.endRecord()
      }
      i += 1
    }
  }
}

/** Decimals as big-endian two's complement of fixed length. */
private[encode] final class DecimalSink(
    store: ColumnWriteStore, writer: ColumnWriter, name: String, level: Int, decimal: DecimalType)
    extends FlatSink(store, writer, name, level) {

  private val bytes = new DecimalBytes(decimal)

  override protected def value(values: SpecializedGetters, ordinal: Int): Unit =
    writer.write(bytes.of(values.getDecimal(ordinal, decimal.precision, decimal.scale)), 0, level)
  override def putRun(vector: ColumnVector, from: Int, until: Int): Unit = {
    var i = from
    while (i < until) { // hot path
      if (vector.isNullAt(i)) putNull()
      else {
        writer.write(bytes.of(vector.getDecimal(i, decimal.precision, decimal.scale)), 0, level)
        store.endRecord()
      }
      i += 1
    }
  }
}

/** Structs, arrays and maps, through parquet's record consumer. */
private[encode] final class NestedSink(store: ColumnWriteStore, record: NestedRecord) extends ColumnSink(store) {

  override def put(values: SpecializedGetters, ordinal: Int): Unit = record.write(values, ordinal)

  override def putRun(vector: ColumnVector, from: Int, until: Int): Unit = {
    val values = new ColumnarArray(vector, 0, until)
    var i = from
    while (i < until) { // hot path
      record.write(values, i)
      i += 1
    }
  }

  override def finish(): Unit = {
    record.flush()
    super.finish()
  }
}

package io.hudilite.spark.basefile.encode

import io.hudilite.spark.row.TextBytes

import org.apache.parquet.column.{ColumnWriteStore, ColumnWriter}
import org.apache.parquet.io.api.Binary
import org.apache.spark.sql.catalyst.expressions.{SpecializedGetters, UnsafeRow}
import org.apache.spark.sql.execution.vectorized.WritableColumnVector
import org.apache.spark.sql.vectorized.ColumnVector
import org.apache.spark.unsafe.Platform
import org.apache.spark.unsafe.types.UTF8String

/** Text columns. Where possible, bytes go from rows and vectors to the encoder without a string object in between: such
  * an object costs more than the rest of the work on a value.
  *
  * A constant is counted until another value comes; where none does, its column chunk is written as one run.
  *
  * @param writeRun
  *   writes the column chunk of a value that all of so many rows have
  */
private[spark] final class StringSink(store: ColumnWriteStore, writer: ColumnWriter, name: String, level: Int,
    text: TextValues, taken: TakenBytes, writeRun: (Binary, Int) => Unit)
    extends FlatSink(store, writer, name, level) {

  private val known = new KnownTexts(text)
  private val bytesOf = new TextBytes
  private var constant: Binary = _
  private var constantId = -1
  private var counted = 0L // rows with the constant that the writer has not got
  private var written = false

  /** True when the next row group should do without a dictionary. */
  def dictionaryFailed: Boolean = text.dictionaryFailed

  override protected def value(values: SpecializedGetters, ordinal: Int): Unit = values match {
    case row: UnsafeRow if row.getBaseObject.isInstanceOf[Array[Byte]] =>
      val place = row.getLong(ordinal) // offset in the row and length, see UnsafeRow
      append(row.getBaseObject.asInstanceOf[Array[Byte]],
        (row.getBaseOffset - Platform.BYTE_ARRAY_OFFSET).toInt + (place >>> 32).toInt, place.toInt)
    case _ => append(values.getUTF8String(ordinal))
  }

  private def append(value: UTF8String): Unit = {
    bytesOf.take(value)
    append(bytesOf.array, bytesOf.offset, bytesOf.length)
  }

  private def append(bytes: Array[Byte], offset: Int, length: Int): Unit = {
    if (!written) writeCounted()
    taken.count += length
    writer.write(text.announce(bytes, offset, length), 0, level)
  }

  override def putRun(vector: ColumnVector, from: Int, until: Int): Unit = vector match {
    case v: WritableColumnVector if v.hasDictionary => putDictionary(v, from, until)
    case v: WritableColumnVector => putBytes(v, from, until)
    case _ => putStrings(vector, from, until)
  }

  private def putStrings(vector: ColumnVector, from: Int, until: Int): Unit = {
    var i = from
    while (i < until) { // hot path
      if (vector.isNullAt(i)) putNull() else { append(vector.getUTF8String(i)); store.endRecord() }
      i += 1
    }
  }

  private def putBytes(vector: WritableColumnVector, from: Int, until: Int): Unit = {
    // The bytes of a whole batch lie in one array. Only this call gives it away.
    val bytes = vector.arrayData().getByteBuffer(0, 0)
    if (!bytes.hasArray) putStrings(vector, from, until)
    else {
      val array = bytes.array()
      var i = from
      while (i < until) { // hot path
        if (vector.isNullAt(i)) putNull()
        else { append(array, vector.getArrayOffset(i), vector.getArrayLength(i)); store.endRecord() }
        i += 1
      }
    }
  }

  private def putDictionary(vector: WritableColumnVector, from: Int, until: Int): Unit = {
    known.of(vector)
    var i = from
    while (i < until) { // hot path
      if (vector.isNullAt(i)) putNull()
      else {
        if (!written) writeCounted()
        val value = known.announce(vector, i)
        taken.count += value.length
        writer.write(value, 0, level)
        store.endRecord()
      }
      i += 1
    }
  }

  /** Appends bytes, which the caller keeps unchanged until this returns. */
  def putBytes(bytes: Array[Byte], offset: Int, length: Int): Unit = {
    append(bytes, offset, length)
    store.endRecord()
  }

  override def putNull(): Unit = {
    if (!written) writeCounted()
    super.putNull()
  }

  /** Appends one value `count` times. The value never changes. */
  def putConstant(value: Binary, count: Long): Unit = {
    if (value ne constant) {
      if (counted > 0) writeCounted()
      constant = value
      constantId = -1
    }
    taken.count += value.length * count
    if (written) writeConstant(count) else counted += count
  }

  private def writeCounted(): Unit = {
    written = true
    writeConstant(counted)
    counted = 0
  }

  private def writeConstant(count: Long): Unit = {
    var i = 0L
    while (i < count) { // hot path
      if (text.usesDictionary) {
        if (constantId < 0) constantId = text.idOf(constant.getBytesUnsafe, 0, constant.length)
        text.announce(constantId)
      } else text.announce(constant.getBytesUnsafe, 0, constant.length)
      writer.write(constant, 0, level)
      store.endRecord()
      i += 1
    }
  }

  override def finish(): Unit =
    if (counted == 0) super.finish()
    else {
      writeRun(constant, Math.toIntExact(counted))
      store.close()
    }
}

/** Values of an old file's dictionary that a sink has met, with their places in the new dictionary. */
private final class KnownTexts(text: TextValues) {

  private var owner: WritableColumnVector = _
  private var values: Array[Binary] = _
  private var ids: Array[Int] = _

  /** Follows the dictionary of this vector. A vector has one dictionary: it serves one column chunk. */
  def of(vector: WritableColumnVector): Unit = if (vector ne owner) {
    owner = vector
    values = new Array[Binary](64)
    ids = new Array[Int](64)
  }

  /** The value of a row, announced to the encoder. */
  def announce(vector: WritableColumnVector, row: Int): Binary = {
    val old = vector.getDictionaryIds.getDictId(row)
    if (old >= values.length) grow(old)
    var value = values(old)
    if (value == null) {
      value = Binary.fromConstantByteArray(vector.getUTF8String(row).getBytes)
      values(old) = value
      ids(old) = -1
    }
    if (!text.usesDictionary) text.announce(value.getBytesUnsafe, 0, value.length)
    else {
      if (ids(old) < 0) ids(old) = text.idOf(value.getBytesUnsafe, 0, value.length)
      text.announce(ids(old))
    }
    value
  }

  private def grow(needed: Int): Unit = {
    val size = Math.max(needed + 1, values.length * 2)
    values = java.util.Arrays.copyOf(values, size)
    ids = java.util.Arrays.copyOf(ids, size)
  }
}

package io.hudilite.spark.slice.deliver

import io.hudilite.spark.row.Binaries

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.execution.vectorized.{ConstantColumnVector, WritableColumnVector}
import org.apache.spark.sql.types._
import org.apache.spark.sql.vectorized.ColumnVector

/** Writes rows over rows of a batch, in the vectors that a reader filled.
  *
  * A few replaced rows then cost nothing but themselves: all rows keep their places, and whoever reads the batch meets
  * the vectors that it meets in any file.
  */
private[slice] final class RowOverwriter private (columns: Array[RowOverwriter.Column]) {

  /** Each column of the batch can show the row's value. */
  def canHold(row: InternalRow): Boolean = {
    var i = 0
    while (i < columns.length && columns(i).canHold(row)) i += 1
    i == columns.length
  }

  /** Puts the row, which the batch can hold, in the place of row `at`, until the reader fills the batch again. */
  def overwrite(at: Int, row: InternalRow): Unit = {
    // hot path
    var i = 0
    while (i < columns.length) {
      columns(i).put(at, row)
      i += 1
    }
  }
}

private[slice] object RowOverwriter {

  /** An overwriter of these vectors; `None` when one of them cannot be written to.
    *
    * @param vectors
    *   each with the position of its column in the rows
    */
  def of(vectors: Seq[(ColumnVector, Int)]): Option[RowOverwriter] = {
    val columns = vectors.map { case (vector, ordinal) => column(vector, ordinal) }
    if (columns.forall(_.isDefined)) Some(new RowOverwriter(columns.flatten.toArray)) else None
  }

  private def column(vector: ColumnVector, ordinal: Int): Option[Column] = vector match {
    case constant: ConstantColumnVector if constant.dataType.isInstanceOf[StringType] =>
      Some(new ConstantText(constant, ordinal))
    case written: WritableColumnVector => Value.of(written.dataType, ordinal).map(new Written(written, ordinal, _))
    case _ => None
  }

  private[spark] sealed trait Column {
    def canHold(row: InternalRow): Boolean
    def put(at: Int, row: InternalRow): Unit
  }

  /** One text for all rows, which the row must have, too. */
  private final class ConstantText(vector: ConstantColumnVector, ordinal: Int) extends Column {
    override def canHold(row: InternalRow): Boolean =
      if (vector.isNullAt(0)) row.isNullAt(ordinal)
      else !row.isNullAt(ordinal) && row.getUTF8String(ordinal) == vector.getUTF8String(0)
    override def put(at: Int, row: InternalRow): Unit = ()
  }

  private final class Written(vector: WritableColumnVector, ordinal: Int, value: Value) extends Column {

    private val changes = new ChangedDictionary

    // Of a column that the file lacks the vector holds nothing and is not emptied for the next batch.
    override def canHold(row: InternalRow): Boolean = !vector.isAllNull || row.isNullAt(ordinal)

    override def put(at: Int, row: InternalRow): Unit =
      if (row.isNullAt(ordinal)) {
        if (!vector.isNullAt(at)) vector.putNull(at)
      } else {
        vector.putNotNull(at)
        if (vector.hasDictionary) {
          changes.follow(vector)
          vector.getDictionaryIds.putInt(at, value.add(row, changes))
        } else value.put(row, vector, at)
      }
  }

  /** How values of one type get from a row into a vector: as such, or as values of a dictionary. */
  private sealed trait Value {
    def put(row: InternalRow, vector: WritableColumnVector, at: Int): Unit

    /** Answers the id of the value. */
    def add(row: InternalRow, dictionary: ChangedDictionary): Int
  }

  private object Value {
    def of(dataType: DataType, ordinal: Int): Option[Value] = dataType match {
      case BooleanType => Some(new BooleanValue(ordinal))
      case ByteType => Some(new ByteValue(ordinal))
      case ShortType => Some(new ShortValue(ordinal))
      case IntegerType | DateType | _: YearMonthIntervalType => Some(new IntValue(ordinal))
      case LongType | TimestampType | TimestampNTZType | _: DayTimeIntervalType => Some(new LongValue(ordinal))
      case FloatType => Some(new FloatValue(ordinal))
      case DoubleType => Some(new DoubleValue(ordinal))
      case _: StringType => Some(new TextValue(ordinal))
      case BinaryType => Some(new BinaryValue(ordinal))
      case decimal: DecimalType => Some(new DecimalValue(ordinal, decimal))
      case _ => None // nested values lie in vectors below, behind those of all rows
    }
  }

  private final class BooleanValue(ordinal: Int) extends Value {
    override def put(row: InternalRow, vector: WritableColumnVector, at: Int): Unit =
      vector.putBoolean(at, row.getBoolean(ordinal))
    override def add(row: InternalRow, dictionary: ChangedDictionary): Int =
      throw new IllegalStateException("a dictionary of booleans")
  }

  private final class ByteValue(ordinal: Int) extends Value {
    override def put(row: InternalRow, vector: WritableColumnVector, at: Int): Unit =
      vector.putByte(at, row.getByte(ordinal))
    override def add(row: InternalRow, dictionary: ChangedDictionary): Int =
      dictionary.addLong(row.getByte(ordinal).toLong)
  }

  private final class ShortValue(ordinal: Int) extends Value {
    override def put(row: InternalRow, vector: WritableColumnVector, at: Int): Unit =
      vector.putShort(at, row.getShort(ordinal))
    override def add(row: InternalRow, dictionary: ChangedDictionary): Int =
      dictionary.addLong(row.getShort(ordinal).toLong)
  }

  private final class IntValue(ordinal: Int) extends Value {
    override def put(row: InternalRow, vector: WritableColumnVector, at: Int): Unit =
      vector.putInt(at, row.getInt(ordinal))
    override def add(row: InternalRow, dictionary: ChangedDictionary): Int =
      dictionary.addLong(row.getInt(ordinal).toLong)
  }

  private final class LongValue(ordinal: Int) extends Value {
    override def put(row: InternalRow, vector: WritableColumnVector, at: Int): Unit =
      vector.putLong(at, row.getLong(ordinal))
    override def add(row: InternalRow, dictionary: ChangedDictionary): Int = dictionary.addLong(row.getLong(ordinal))
  }

  private final class FloatValue(ordinal: Int) extends Value {
    override def put(row: InternalRow, vector: WritableColumnVector, at: Int): Unit =
      vector.putFloat(at, row.getFloat(ordinal))
    override def add(row: InternalRow, dictionary: ChangedDictionary): Int =
      dictionary.addLong(java.lang.Float.floatToRawIntBits(row.getFloat(ordinal)).toLong)
  }

  private final class DoubleValue(ordinal: Int) extends Value {
    override def put(row: InternalRow, vector: WritableColumnVector, at: Int): Unit =
      vector.putDouble(at, row.getDouble(ordinal))
    override def add(row: InternalRow, dictionary: ChangedDictionary): Int =
      dictionary.addLong(java.lang.Double.doubleToRawLongBits(row.getDouble(ordinal)))
  }

  private final class TextValue(ordinal: Int) extends Value {
    override def put(row: InternalRow, vector: WritableColumnVector, at: Int): Unit = {
      val text = row.getUTF8String(ordinal)
      vector.putByteArray(at, Binaries.bytes(text), Binaries.offset(text), text.numBytes)
    }
    override def add(row: InternalRow, dictionary: ChangedDictionary): Int =
      dictionary.addBytes(row.getUTF8String(ordinal).getBytes)
  }

  private final class BinaryValue(ordinal: Int) extends Value {
    override def put(row: InternalRow, vector: WritableColumnVector, at: Int): Unit = {
      val bytes = row.getBinary(ordinal)
      vector.putByteArray(at, bytes, 0, bytes.length)
    }
    override def add(row: InternalRow, dictionary: ChangedDictionary): Int = dictionary.addBytes(row.getBinary(ordinal))
  }

  // As Spark's vectors keep decimals: in an int, a long or the bytes of a whole number, by their precision.
  private final class DecimalValue(ordinal: Int, dataType: DecimalType) extends Value {
    override def put(row: InternalRow, vector: WritableColumnVector, at: Int): Unit =
      vector.putDecimal(at, row.getDecimal(ordinal, dataType.precision, dataType.scale), dataType.precision)
    override def add(row: InternalRow, dictionary: ChangedDictionary): Int = {
      val decimal = row.getDecimal(ordinal, dataType.precision, dataType.scale)
      if (dataType.precision <= Decimal.MAX_LONG_DIGITS) dictionary.addLong(decimal.toUnscaledLong)
      else dictionary.addBytes(decimal.toJavaBigDecimal.unscaledValue.toByteArray)
    }
  }
}

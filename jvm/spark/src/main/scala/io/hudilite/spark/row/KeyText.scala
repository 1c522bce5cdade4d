package io.hudilite.spark.row

import io.hudilite.record.KeyEncoding

import java.nio.charset.StandardCharsets.UTF_8
import java.time.LocalDate

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.types._
import org.apache.spark.unsafe.types.UTF8String

/** The spelling of values in record keys, of those types where it is known for sure: decimals, fractions and times are
  * not among them.
  */
private[spark] object KeyText {

  def isCertain(dataType: DataType): Boolean = dataType match {
    case StringType | BooleanType | ByteType | ShortType | IntegerType | LongType | DateType => true
    case _ => false
  }

  /** @param value
    *   in Spark's internal form
    */
  def of(value: Any, dataType: DataType): String = (value, dataType) match {
    case (null, _) => null
    case (days: Int, DateType) => LocalDate.ofEpochDay(days.toLong).toString
    case (other, _) => other.toString
  }
}

/** Record keys whose fields are all whole numbers, spelled byte by byte as [[io.hudilite.record.KeyEncoding]] does. A text
  * of each value, one of the key and its bytes would be most of what a key costs.
  *
  * @param prefixed
  *   true when keys are spelled `field:value,…`
  */
private[row] final class WholeNumberKeys(fields: Seq[String], values: Array[FieldText], prefixed: Boolean)
    extends Serializable {

  private val names: Array[Array[Byte]] = fields.zipWithIndex.map { case (name, i) =>
    (if (prefixed) (if (i == 0) "" else ",") + name + ":" else "").getBytes(UTF_8)
  }.toArray

  private val bytes = new Array[Byte](names.map(_.length + Digits.MostBytes).sum)
  private var length = 0

  // hot path
  /** The key of a row, in an array of its own; null when all fields are. */
  def of(row: InternalRow): UTF8String = {
    length = 0
    var anyValue = false
    var i = 0
    while (i < values.length) {
      append(names(i))
      if (values(i).isMissing(row)) append(WholeNumberKeys.Null)
      else {
        append(values(i).wholeNumber(row))
        anyValue = true
      }
      i += 1
    }
    if (anyValue) UTF8String.fromBytes(java.util.Arrays.copyOf(bytes, length)) else null
  }

  private def append(text: Array[Byte]): Unit = {
    System.arraycopy(text, 0, bytes, length, text.length)
    length += text.length
  }

  private def append(number: Long): Unit = length = Digits.put(number, bytes, length)
}

private object WholeNumberKeys {

  val Null: Array[Byte] = KeyEncoding.NullPlaceholder.getBytes(UTF_8)
}

/** Numbers as Java spells them, byte by byte. */
private[spark] object Digits {

  /** Digits of the greatest number. */
  private val Most = 19

  /** Bytes that a number has at most, with its sign. */
  val MostBytes: Int = Most + 1

  // hot path: as a negative number, since the least one has no positive twin
  /** Spells a number from this place on. Returns the place behind it. */
  def put(number: Long, into: Array[Byte], at: Int): Int = {
    var first = at
    if (number < 0) {
      into(first) = '-'
      first += 1
    }
    var rest = if (number < 0) number else -number
    var end = first + 1
    var bound = -10L
    while (end - first < Most && rest <= bound) {
      end += 1
      bound *= 10
    }
    var i = end
    while (i > first) {
      i -= 1
      into(i) = ('0' - rest % 10).toByte
      rest /= 10
    }
    end
  }
}

package io.hudilite.spark.row

import java.time.LocalDate
import java.time.format.DateTimeParseException

import org.apache.spark.sql.types._
import org.apache.spark.unsafe.types.UTF8String

/** Values of columns in the spelling of folder names. */
object PathText {

  /** True when the names of folders show the values of a column of this type. For timestamps they do not: only a look
    * at rows shows which spelling a table has.
    */
  def tells(dataType: DataType): Boolean = dataType match {
    case StringType | BooleanType | ByteType | ShortType | IntegerType | LongType | DateType => true
    case _ => false
  }

  /** The text is how folders spell a value of the type, of which there may be other spellings. */
  def isSpelled(text: String, dataType: DataType): Boolean = read(text, dataType).exists {
    case days: Int if dataType == DateType => LocalDate.ofEpochDay(days.toLong).toString == text
    case value => value.toString == text
  }

  /** The value of this spelling, in Spark's internal form; `None` when the text is no value of the type. A timestamp is
    * a number here.
    */
  def read(text: String, dataType: DataType): Option[Any] =
    try Some(dataType match {
        case StringType => UTF8String.fromString(text)
        case ByteType => text.toByte
        case ShortType => text.toShort
        case IntegerType => text.toInt
        case LongType | TimestampType | TimestampNTZType => text.toLong
        case DateType => LocalDate.parse(text).toEpochDay.toInt
        case BooleanType => text.toBoolean
        case other => throw new IllegalArgumentException(s"a $other cannot be read back")
      })
    catch { case _: IllegalArgumentException | _: DateTimeParseException => None }
}

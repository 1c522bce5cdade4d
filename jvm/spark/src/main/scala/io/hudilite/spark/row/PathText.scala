package io.hudilite.spark.row

import java.time.LocalDate
import java.time.format.DateTimeParseException

import org.apache.spark.sql.types._
import org.apache.spark.unsafe.types.UTF8String

/** Values of columns as the names of folders spell them. */
object PathText {

  /** Whether the names of folders tell the values of a column of this type. They do not tell those of timestamps: which of
    * their spellings a table has takes a look at its rows.
    */
  def tells(dataType: DataType): Boolean = dataType match {
    case StringType | BooleanType | ByteType | ShortType | IntegerType | LongType | DateType => true
    case _ => false
  }

  /** The value, in Spark's internal form, that is spelled so; `None` when it is none of the type. A timestamp is one as a
    * number.
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

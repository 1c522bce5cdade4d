package io.hudilite.spark.row

import java.time.LocalDate

import org.apache.spark.sql.types._

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

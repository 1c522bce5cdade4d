package io.hudilite.spark.basefile.stored

import java.math.BigDecimal

import org.apache.spark.sql.catalyst.util.DateTimeUtils
import org.apache.spark.sql.types._
import org.apache.spark.unsafe.types.UTF8String

/** Changes of a column's type that Hudi's schema-on-read allows though values may get lost: pure.
  *
  * A value without a counterpart becomes null, as with Spark's own cast. Fractions that are too long are rounded half
  * up.
  */
private[spark] object TypeChange {

  def isAllowed(from: DataType, to: DataType): Boolean = (from, to) match {
    case (StringType, DateType | _: DecimalType) => true
    case (FloatType | DoubleType | IntegerType | LongType, _: DecimalType) => true
    case _ => false
  }

  /** Converter of values in Spark's internal form to the other type. */
  def of(from: DataType, to: DataType): Any => Any = (from, to) match {
    case (FloatType, DoubleType) => (value: Any) => asDouble(value.asInstanceOf[Float])
    case (StringType, DateType) => (value: Any) => DateTimeUtils.stringToDate(value.asInstanceOf[UTF8String]).orNull
    case (StringType, decimal: DecimalType) =>
      (value: Any) => rounded(Decimal.fromString(value.asInstanceOf[UTF8String]), decimal)
    case (FloatType | DoubleType, decimal: DecimalType) => (value: Any) => fraction(value.toString, decimal)
    case (IntegerType | LongType, decimal: DecimalType) =>
      (value: Any) => rounded(Decimal(value.asInstanceOf[Number].longValue), decimal)
    case _ => throw new IllegalStateException(s"a ${from.catalogString} is read as ${to.catalogString}")
  }

  /** The double with the text of the float, as in Hudi: 0.1 becomes 0.1. */
  def asDouble(value: Float): Double = java.lang.Double.parseDouble(java.lang.Float.toString(value))

  private def fraction(text: String, to: DecimalType): Any = {
    val exact = try new BigDecimal(text)
    catch { case _: NumberFormatException => null } // NaN and the infinities
    if (exact == null) null else rounded(Decimal(exact), to)
  }

  private def rounded(value: Decimal, to: DecimalType): Any =
    if (value != null && value.changePrecision(to.precision, to.scale)) value else null
}

package io.hudilite.spark.row

import org.apache.spark.sql.catalyst.SQLConfHelper
import org.apache.spark.sql.catalyst.expressions.{Cast, Expression, Literal}
import org.apache.spark.sql.internal.SQLConf.StoreAssignmentPolicy
import org.apache.spark.sql.types._

import scala.util.control.NonFatal

/** Numbers, times and truth values that a statement writes as texts: `SET ts = '5'`. A text that reads as a value of the
  * column is that value, as in Apache Hudi; any other one, and a column of texts, is left to the policy for stores.
  */
private[row] object TextLiterals extends SQLConfHelper {

  /** The value that the text stands for, of the column's type; else the expression as it is. */
  def read(value: Expression, column: DataType): Expression = value match {
    case Literal(text, StringType) if text != null && isRead(column) && mayRead =>
      try Literal.create(Cast(value, column, Some(conf.sessionLocalTimeZone), ansiEnabled = true).eval(), column)
      catch { case NonFatal(_) => value }
    case _ => value
  }

  private def mayRead: Boolean = conf.storeAssignmentPolicy == StoreAssignmentPolicy.ANSI

  private def isRead(column: DataType): Boolean = column match {
    case BooleanType | DateType | TimestampType | TimestampNTZType => true
    case _: NumericType => true
    case _ => false
  }
}

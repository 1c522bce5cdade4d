package io.hudilite.spark.shim

import java.lang.reflect.Constructor

import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types.DataType

/** Spark's type for times of day, new in 4.1. The Sparks that the jars are compiled on do not have it. */
object TimesOfDay {

  /** The setting of the session without which Spark refuses its own type. */
  val Setting = "spark.sql.timeType.enabled"

  private val made: Option[Constructor[_]] =
    try Some(Class.forName("org.apache.spark.sql.types.TimeType").getConstructor(classOf[Int]))
    catch { case _: ClassNotFoundException => None }

  /** True when this Spark has the type. */
  def exist: Boolean = made.isDefined

  /** The type of times with so many digits behind the second, or the reason why there is none. */
  def of(digits: Int): Either[String, DataType] = made match {
    case None => Left("Spark has no type for a time of day before 4.1")
    case Some(_) if SQLConf.get.getConfString(Setting, "false") != "true" =>
      Left(s"Spark has its type for a time of day only where $Setting is true")
    case Some(constructor) => constructor.newInstance(Int.box(digits)) match {
        case time: DataType => Right(time)
        case other => throw new IllegalStateException(s"no type of Spark's: $other")
      }
  }

  def isOne(dataType: DataType): Boolean = made.exists(_.getDeclaringClass.isInstance(dataType))
}

package io.hudilite.spark.shim

import java.lang.reflect.Constructor

import org.apache.spark.sql.types.DataType

/** Spark's type for times of day, which 4.1 brought and the Sparks that the jars are compiled on do not have. */
object TimesOfDay {

  private val made: Option[Constructor[_]] =
    try Some(Class.forName("org.apache.spark.sql.types.TimeType").getConstructor(classOf[Int]))
    catch { case _: ClassNotFoundException => None }

  /** The type of times with so many digits behind the second, where there is one. */
  def of(digits: Int): Option[DataType] = made.map(_.newInstance(Int.box(digits))).collect { case t: DataType => t }

  def isOne(dataType: DataType): Boolean = made.exists(_.getDeclaringClass.isInstance(dataType))
}

package io.hudilite.spark.shim

import scala.collection.JavaConverters._

import org.apache.spark.SparkThrowable
import org.apache.spark.sql.catalyst.parser.ParseException
import org.apache.spark.sql.catalyst.trees.{CurrentOrigin, Origin}

/** Errors that a parser raises although its methods do not declare them, such as those of scripts. */
private[shim] object UndeclaredError {

  /** The error as one that parsers declare, with its condition and text. */
  def declared(said: Throwable): Throwable = (said match {
    case known: SparkThrowable => Option(conditionOf(known)).map(parseError(_, known))
    case _ => None
  }).getOrElse(new IllegalArgumentException(said.getMessage, said))

  // Spark 4 has a new name for it, and will lose the old one.
  private def conditionOf(said: SparkThrowable): String =
    said.getClass.getMethods.find(m => m.getName == "getCondition" && m.getParameterCount == 0)
      .orElse(said.getClass.getMethods.find(m => m.getName == "getErrorClass" && m.getParameterCount == 0))
      .map(_.invoke(said).asInstanceOf[String]).orNull

  // Since Spark 4.1 there is one place in the statement instead of two.
  private def parseError(condition: String, said: SparkThrowable): Throwable = {
    val parameters: Map[String, String] = said.getMessageParameters.asScala.toMap
    val made = classOf[ParseException].getConstructors.filter(_.getParameterTypes.lift(1).contains(classOf[Origin]))
      .minBy(_.getParameterCount)
    val places = Seq.fill[AnyRef](made.getParameterTypes.count(_ == classOf[Origin]))(CurrentOrigin.get)
    val error = made.newInstance((Seq[AnyRef](None) ++ places ++ Seq[AnyRef](condition, parameters)): _*)
    error.asInstanceOf[Throwable]
  }
}

package io.hudilite.spark.shim

import java.lang.reflect.{InvocationHandler, InvocationTargetException, Method, Proxy}

import org.apache.spark.SparkThrowable
import org.apache.spark.sql.{SparkSession, SparkSessionExtensions}
import org.apache.spark.sql.catalyst.parser.{ParseException, ParserInterface}
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.trees.{CurrentOrigin, Origin}

import scala.collection.JavaConverters._

/** Statements on their way to Spark's parser. The interface of parsers has grown with each minor version of Spark 4, so
  * that no class of ours could implement it for all; everything but statements goes on as it comes.
  */
object StatementParsers {

  /** @param parse
    *   makes a plan of a statement, by what the parser behind makes of a text
    */
  def inject(extensions: SparkSessionExtensions, parse: (SparkSession, String, String => LogicalPlan) => LogicalPlan)
      : Unit =
    extensions.injectParser((session, parser) => before(parser, parse(session, _, _)))

  private def before(parser: ParserInterface, parse: (String, String => LogicalPlan) => LogicalPlan)
      : ParserInterface =
    Proxy.newProxyInstance(classOf[ParserInterface].getClassLoader, Array[Class[_]](classOf[ParserInterface]),
      new Handler(parser, parse)).asInstanceOf[ParserInterface]

  // Spark 4.1 and later have a second way to parse a statement, with the values of its parameters.
  private val OfStatements = Set("parsePlan", "parsePlanWithParameters")

  private final class Handler(parser: ParserInterface, parse: (String, String => LogicalPlan) => LogicalPlan)
      extends InvocationHandler {

    override def invoke(proxy: Object, method: Method, arguments: Array[Object]): Object = {
      val asked = Option(arguments).toSeq.flatten
      asked.headOption match {
        case Some(statement: String) if OfStatements(method.getName) =>
          parse(statement, text => forwarded(method, text +: asked.tail).asInstanceOf[LogicalPlan])
        case _ => forwarded(method, asked)
      }
    }

    private def forwarded(method: Method, arguments: Seq[Object]): Object =
      try method.invoke(parser, arguments: _*)
      catch {
        case e: InvocationTargetException => e.getCause match {
            case said @ (_: RuntimeException | _: Error) => throw said
            case said if method.getExceptionTypes.exists(_.isInstance(said)) => throw said
            // A proxy hides errors that its method does not declare behind one without words.
            case said => throw UndeclaredError.declared(said)
          }
      }
  }
}

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

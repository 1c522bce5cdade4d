package io.hudilite.spark.shim

import java.lang.reflect.{InvocationHandler, InvocationTargetException, Method, Proxy}

import org.apache.spark.sql.{SparkSession, SparkSessionExtensions}
import org.apache.spark.sql.catalyst.parser.ParserInterface
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan

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

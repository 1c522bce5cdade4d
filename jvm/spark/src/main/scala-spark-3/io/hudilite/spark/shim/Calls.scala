package io.hudilite.spark.shim

import java.util.Locale

import org.apache.spark.sql.{Row, SparkSession, SparkSessionExtensions}
import org.apache.spark.sql.catalyst.analysis.UnresolvedFunction
import org.apache.spark.sql.catalyst.expressions.{Attribute, Cast, EvalMode, Expression, NamedArgumentExpression}
import org.apache.spark.sql.catalyst.parser.ParserInterface
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.CatalystTypeConverters
import org.apache.spark.sql.connector.catalog.CatalogPlugin
import org.apache.spark.sql.execution.command.LeafRunnableCommand

import scala.util.control.NonFatal

/** CALL, which Spark 3.5 lacks. Its parser gets all statements but calls of hudilite's procedures. */
object Calls {

  /** @param find
    *   looks a procedure up by namespace and name
    */
  def inject(extensions: SparkSessionExtensions, catalog: String, find: (Seq[String], String) => CalledProcedure)
      : Unit =
    extensions.injectParser((session, delegate) => new CallParser(session, catalog, find, delegate))

  /** True when a catalog has procedures that CALL finds by names without a catalog. */
  def servedBy(catalog: CatalogPlugin): Boolean = {
    val _ = catalog
    false
  }

  /** True for a call as Spark parses it, of a procedure that is not looked up yet. */
  def isCall(plan: LogicalPlan): Boolean = {
    val _ = plan
    false
  }
}

/** Spark 3.5 has no catalogs of procedures. */
trait CallableCatalog {
  protected def procedure(namespace: Seq[String], name: String): CalledProcedure
  protected def procedures(namespace: Seq[String]): Seq[String]
}

/** The text behind CALL looks like a call of a function, and is parsed as one. */
private final class CallParser(session: SparkSession, catalog: String, find: (Seq[String], String) => CalledProcedure,
    delegate: ParserInterface) extends DelegatingParser(delegate) {

  // Behind spaces and comments; the statement may end with a semicolon.
  private val Call = """(?is)(?:\s++|--[^\r\n]*+|/\*.*?\*/)*+CALL\s+(.*?)[\s;]*""".r

  override def parsePlan(sqlText: String): LogicalPlan = sqlText match {
    case Call(called) if mayBeOurs(called) =>
      delegate.parseExpression(called) match {
        case f: UnresolvedFunction => ours(f.nameParts).fold(delegate.parsePlan(sqlText)) { case (namespace, name) =>
            command(find(namespace, name), f.arguments)
          }
        case _ => delegate.parsePlan(sqlText)
      }
    case _ => delegate.parsePlan(sqlText)
  }

  private def current: String = Catalogs.current(session)

  private def mayBeOurs(called: String): Boolean =
    called.stripPrefix("`").toLowerCase(Locale.ROOT).startsWith(catalog) || current == catalog

  /** Namespace and name of an entry in hudilite's catalog. */
  private def ours(parts: Seq[String]): Option[(Seq[String], String)] =
    if (parts.head.equalsIgnoreCase(catalog) && parts.size > 1) Some(parts.tail.init -> parts.last)
    else if (current == catalog) Some(parts.init -> parts.last)
    else None

  private def command(procedure: CalledProcedure, given: Seq[Expression]): LogicalPlan = {
    val names = given.map {
      case named: NamedArgumentExpression => Some(named.key)
      case _ => None
    }
    procedure.checkNames(names.flatten)
    val values = given.map {
      case named: NamedArgumentExpression => named.value
      case value => value
    }
    CallCommand(procedure, places(procedure, names), values, defaults(procedure))
  }

  /** The parameter of each argument. */
  private def places(procedure: CalledProcedure, names: Seq[Option[String]]): Seq[Int] = {
    val parameters = procedure.called.map(_.name)
    val places = names.zipWithIndex.map { case (name, at) =>
      name.fold(at)(n => parameters.indexWhere(_.equalsIgnoreCase(n)))
    }
    def refuse(value: String, reason: String) =
      throw procedure.refused(s"arguments of ${procedure.name}", value, reason)
    if (names.size > parameters.size)
      refuse(names.size.toString, s"it takes ${parameters.size} at most: ${parameters.mkString(", ")}")
    if (names.dropWhile(_.isEmpty).exists(_.isEmpty))
      refuse(names.flatten.mkString(", "), "those without a name come first")
    places.diff(places.distinct).headOption.foreach(twice => refuse(parameters(twice), "it is given twice"))
    places
  }

  private def defaults(procedure: CalledProcedure): Seq[Expression] =
    procedure.called.map(p => delegate.parseExpression(p.default))
}

/** A call that is run once, when the statement is.
  *
  * @param places
  *   the parameter of each value
  */
private final case class CallCommand(procedure: CalledProcedure, places: Seq[Int], values: Seq[Expression],
    defaults: Seq[Expression]) extends LeafRunnableCommand {

  override lazy val output: Seq[Attribute] =
    org.apache.spark.sql.catalyst.types.DataTypeUtils.toAttributes(procedure.output)

  override def run(session: SparkSession): Seq[Row] = {
    val given = places.zip(values).toMap
    procedure.call(session,
      procedure.called.zipWithIndex.map { case (p, at) => value(session, p, given.getOrElse(at, defaults(at))) })
  }

  private def value(session: SparkSession, parameter: CalledParameter, given: Expression): Any = {
    def refused(reason: String) = procedure.refused(parameter.name, given.sql, reason)
    if (!given.foldable) throw refused("it must be a constant")
    val zone = Some(session.sessionState.conf.sessionLocalTimeZone)
    try CatalystTypeConverters.convertToScala(
        Cast(given, parameter.dataType, zone, EvalMode.ANSI).eval(), parameter.dataType)
    catch { case NonFatal(_) => throw refused(s"it is no ${parameter.dataType.simpleString}") }
  }
}

package io.hudilite.spark.shim

import org.apache.spark.sql.SparkSessionExtensions
import org.apache.spark.sql.catalyst.analysis.{RelationTimeTravel, UnresolvedRelation}
import org.apache.spark.sql.catalyst.expressions.{Expression, SubqueryExpression}
import org.apache.spark.sql.catalyst.parser.ParserInterface
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, SubqueryAlias, UnresolvedWith}
import org.apache.spark.sql.catalyst.rules.Rule

/** Rules that look at statements before names are resolved. Spark 3.5 has no place for them, and only some need
  * them: as statements come from its parser.
  */
object EarlyRules {

  def inject(extensions: SparkSessionExtensions, rule: Rule[LogicalPlan]): Unit = {
    val _ = (extensions, rule)
  }

  /** A rule for what UPDATE and MERGE set. */
  def injectForAssignments(extensions: SparkSessionExtensions, rule: Rule[LogicalPlan]): Unit =
    extensions.injectParser((_, parser) => new CheckedParser(parser, rule))

  /** A rule for INSERT. */
  def injectForInserts(extensions: SparkSessionExtensions, rule: Rule[LogicalPlan]): Unit =
    injectForAssignments(extensions, rule)

  /** A rule for the formats of new tables. */
  def injectForFormats(extensions: SparkSessionExtensions, rule: Rule[LogicalPlan]): Unit =
    injectForAssignments(extensions, rule)

  /** A rule for tables as of a time.
    *
    * @param times
    *   takes a table as of a time, and the time as it can be run by itself if Spark could not run it
    */
  def injectForTimes(extensions: SparkSessionExtensions,
      times: (RelationTimeTravel, Option[Expression]) => RelationTimeTravel): Unit =
    extensions.injectParser((_, parser) => new TimesParser(parser, times))
}

private final class CheckedParser(parser: ParserInterface, rule: Rule[LogicalPlan]) extends DelegatingParser(parser) {

  override def parsePlan(sql: String): LogicalPlan = rule(super.parsePlan(sql))
}

private final class TimesParser(parser: ParserInterface,
    times: (RelationTimeTravel, Option[Expression]) => RelationTimeTravel) extends DelegatingParser(parser) {

  override def parsePlan(sql: String): LogicalPlan = in(super.parsePlan(sql), Nil)

  override def parseQuery(sql: String): LogicalPlan = in(super.parseQuery(sql), Nil)

  /** @param defined
    *   the common table expressions that the plan may name, in their order
    */
  private def in(plan: LogicalPlan, defined: Seq[(String, SubqueryAlias)]): LogicalPlan = plan match {
    case travel: RelationTimeTravel =>
      val time = travel.timestamp.map(inSubqueries(_, in(_, defined)))
      times(travel.copy(timestamp = time), time.flatMap(closed(_, defined)))
    case UnresolvedWith(child, queries) =>
      val all = queries.foldLeft(defined) { case (before, (name, query)) =>
        before :+ (name -> query.copy(child = in(query.child, before)))
      }
      UnresolvedWith(in(child, all), all.drop(defined.size))
    case other => other.mapChildren(in(_, defined)).mapExpressions(inSubqueries(_, in(_, defined)))
  }

  private def inSubqueries(e: Expression, change: LogicalPlan => LogicalPlan): Expression =
    e.transform { case s: SubqueryExpression => s.withNewPlan(change(s.plan)) }

  /** Spark 3.5 runs no subquery of a time that asks a table, and none that asks what is defined outside it. */
  private def closed(time: Expression, defined: Seq[(String, SubqueryAlias)]): Option[Expression] = {
    def closes(query: LogicalPlan): LogicalPlan = {
      val names = query.collectWithSubqueries { case UnresolvedRelation(Seq(name), _, _) => name }
      val asks = names.exists(name => defined.exists(d => query.conf.resolver(d._1, name)))
      if (asks) UnresolvedWith(query, defined) else query
    }
    def asksTable(e: Expression): Boolean = e match {
      case s: SubqueryExpression => s.plan.collectWithSubqueries { case u: UnresolvedRelation => u }.nonEmpty
      case _ => false
    }
    if (time.exists(asksTable)) Some(inSubqueries(time, closes)) else None
  }
}

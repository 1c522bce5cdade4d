package io.hudilite.spark.catalog.statement

import io.hudilite.spark.catalog.{HudiliteCatalog, UnsupportedStatement}
import io.hudilite.spark.shim.EarlyRules
import io.hudilite.timeline.InstantTime

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.analysis.{RelationTimeTravel, UnresolvedRelation}
import org.apache.spark.sql.catalyst.expressions.{Alias, Expression, Literal, SubqueryExpression}
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.catalyst.trees.TreePattern
import org.apache.spark.sql.hudilite.Datasets
import org.apache.spark.unsafe.types.UTF8String

/** Resolves the time of `TIMESTAMP AS OF` before the table's name is resolved.
  *
  *   - Of a table named by its path: Spark resolves the functions and subqueries in it together with names, and by then
  *     would take the path for that of a plain file.
  *   - Of any table, where Spark could not run a subquery in it.
  *   - Of any table, where it is a text of 14 or 17 digits: that is an instant of Hudi's and no time of Spark's.
  */
final case class TimesRule(session: SparkSession) extends Rule[LogicalPlan] {

  private val names = new NameResolution(session)

  override def apply(plan: LogicalPlan): LogicalPlan =
    plan.resolveOperatorsUpWithPruning(_.containsPattern(TreePattern.RELATION_TIME_TRAVEL)) { case node =>
      node.transformExpressions { case s: SubqueryExpression => s.withNewPlan(apply(s.plan)) } match {
        case travel @ RelationTimeTravel(named: UnresolvedRelation, Some(Instants(instant)), None)
            if names.pathOf(named).isDefined => travel.copy(timestamp = None, version = Some(instant))
        case travel @ RelationTimeTravel(named: UnresolvedRelation, Some(time), _) if !time.resolved =>
          travel.copy(timestamp = Some(resolved(named, time)))
        case other => other
      }
    }

  private def resolved(named: UnresolvedRelation, time: Expression): Expression = {
    val subqueries = time.collect { case s: SubqueryExpression => s.plan }
    // Spark runs a time by itself, without the definitions of the query around it.
    if (subqueries.exists(asksAround))
      names.pathOf(named).foreach(path => throw UnsupportedStatement.TimeOfQuery.of(path))
    val isOurs = isPath(named) || (subqueries.nonEmpty && !EarlyRules.areTimesRun && names.pathOf(named).isDefined)
    if (isOurs) value(time) else time
  }

  private def isPath(named: UnresolvedRelation): Boolean =
    named.multipartIdentifier.size > 1 && named.multipartIdentifier.head.equalsIgnoreCase(HudiliteCatalog.Name)

  /** Names a common table expression that is defined outside the subquery. */
  private def asksAround(subquery: LogicalPlan): Boolean = {
    val inside = subquery.collectWithSubqueries { case d: CTERelationDef => d.id }.toSet
    !subquery.collectWithSubqueries { case r: CTERelationRef => r.cteId }.forall(inside)
  }

  private object Instants {
    def unapply(time: Expression): Option[String] = time match {
      case Literal(text: UTF8String, _) => Some(text.toString.trim).filter(InstantTime.isValid)
      case _ => None
    }
  }

  private def value(time: Expression): Expression = {
    val query = Datasets.ofRows(session, Project(Seq(Alias(time, "time")()), OneRowRelation()))
    // Spark, too, runs subqueries of a time before it plans the rest.
    if (time.exists(_.isInstanceOf[SubqueryExpression])) Literal.create(query.head().get(0), query.schema.head.dataType)
    else query.queryExecution.analyzed.collectFirst { case Project(Seq(Alias(found, _)), _) => found }.getOrElse(time)
  }
}

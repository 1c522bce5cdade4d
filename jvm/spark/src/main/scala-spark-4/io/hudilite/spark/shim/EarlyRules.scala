package io.hudilite.spark.shim

import org.apache.spark.sql.SparkSessionExtensions
import org.apache.spark.sql.catalyst.analysis.RelationTimeTravel
import org.apache.spark.sql.catalyst.expressions.{Expression, SubqueryExpression}
import org.apache.spark.sql.catalyst.plans.logical.{CTERelationDef, CTERelationRef, LogicalPlan, WithCTE}
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.catalyst.trees.TreePattern

/** Rules that look at statements before names are resolved. */
object EarlyRules {

  def inject(extensions: SparkSessionExtensions, rule: Rule[LogicalPlan]): Unit =
    extensions.injectHintResolutionRule(_ => rule)

  /** A rule for what UPDATE and MERGE set. */
  def injectForAssignments(extensions: SparkSessionExtensions, rule: Rule[LogicalPlan]): Unit =
    inject(extensions, rule)

  /** A rule for INSERT. */
  def injectForInserts(extensions: SparkSessionExtensions, rule: Rule[LogicalPlan]): Unit =
    inject(extensions, rule)

  /** A rule for the formats of new tables. */
  def injectForFormats(extensions: SparkSessionExtensions, rule: Rule[LogicalPlan]): Unit = inject(extensions, rule)

  /** A rule for tables as of a time.
    *
    * @param times
    *   takes a table as of a time, and the time as it can be run by itself if Spark could not run it
    */
  def injectForTimes(extensions: SparkSessionExtensions,
      times: (RelationTimeTravel, Option[Expression]) => RelationTimeTravel): Unit =
    inject(extensions, new TimesRule(times))
}

/** The definitions of a statement's common table expressions stand where they were made, and are asked for by number. */
private final class TimesRule(times: (RelationTimeTravel, Option[Expression]) => RelationTimeTravel)
    extends Rule[LogicalPlan] {

  override def apply(plan: LogicalPlan): LogicalPlan =
    if (!plan.containsPattern(TreePattern.RELATION_TIME_TRAVEL)) plan
    else in(plan, plan.collectWithSubqueries { case d: CTERelationDef => d.id -> d }.toMap)

  // The subqueries too: by the time that they are resolved the definitions are out of sight.
  private def in(plan: LogicalPlan, defined: Map[Long, CTERelationDef]): LogicalPlan = plan.resolveOperators {
    case travel: RelationTimeTravel => times(travel, travel.timestamp.flatMap(closed(_, defined)))
    case other => other.transformExpressions { case s: SubqueryExpression => s.withNewPlan(in(s.plan, defined)) }
  }

  /** With the definitions that its subqueries ask for from outside them, if they do. */
  private def closed(time: Expression, defined: Map[Long, CTERelationDef]): Option[Expression] = {
    def asked(plan: LogicalPlan): Set[Long] = {
      val inside = plan.collectWithSubqueries { case d: CTERelationDef => d.id }.toSet
      plan.collectWithSubqueries { case r: CTERelationRef => r.cteId }.toSet -- inside
    }
    def withAll(ids: Set[Long]): Set[Long] = {
      val more = ids ++ ids.flatMap(defined.get).flatMap(d => asked(d.child) - d.id)
      if (more == ids) ids else withAll(more)
    }
    val found = time.collect { case s: SubqueryExpression => asked(s.plan) }.flatten.toSet
    // Numbers grow as definitions are made, each of which asks for earlier ones.
    val definitions = withAll(found).toSeq.sorted.flatMap(defined.get)
    if (definitions.isEmpty) None
    else Some(time.transform { case s: SubqueryExpression => s.withNewPlan(WithCTE(s.plan, definitions)) })
  }
}

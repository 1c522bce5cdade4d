package io.hudilite.spark.scan.rule

import io.hudilite.spark.scan.plan.HudiliteScan
import io.hudilite.spark.shim.{PlanNodes, Sessions}

import scala.annotation.tailrec

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.expressions.{DynamicPruningSubquery, ExprId, SubqueryExpression}
import org.apache.spark.sql.catalyst.optimizer.{BooleanSimplification, PruneFilters, PushDownPredicates}
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, Subquery}
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.catalyst.trees.TreePattern.{DYNAMIC_PRUNING_SUBQUERY, PLAN_EXPRESSION}
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2ScanRelation
import org.apache.spark.sql.execution.dynamicpruning.{CleanupDynamicPruningFilters, PartitionPruning}
import org.apache.spark.sql.internal.SQLConf

/** Has Spark look for runtime filters of hudilite's scans: what a join learns of its one side while the query runs leaves
  * out files of the other.
  *
  * Spark looks for them from below, and a filter that it finds holds the whole other side of its join, with all that was
  * found there. In a chain of joins on keys of tables each filter so holds those before it, which stand in the chain as
  * well: 2^n^ of them for Spark's later rules and its planner to go through. So scans keep their columns back until these
  * rules have run. Then Spark's own rule is asked, [[UnnestedFilters]] leaves no filter in another, and they are pushed
  * down as Spark does it.
  */
object RuntimeFilters extends Rule[LogicalPlan] {

  override def apply(plan: LogicalPlan): LogicalPlan = plan match {
    case _: Subquery => plan // which may become a join; what is left of it is found in the plan around it
    case _ if isOff => plan
    case _ => filtered(plan, filtersOf(plan))
  }

  private def isOff: Boolean = !conf.dynamicPartitionPruningEnabled ||
    conf.getConf(SQLConf.OPTIMIZER_EXCLUDED_RULES).exists(_.split(',').map(_.trim).contains(PartitionPruning.ruleName))

  /** Filters that Spark has found for sources of its own. */
  private def filtersOf(plan: LogicalPlan): Set[ExprId] =
    if (!plan.containsPattern(DYNAMIC_PRUNING_SUBQUERY)) Set.empty
    else plan.collectWithSubqueries { case node =>
      node.expressions.flatMap(_.collect { case filter: DynamicPruningSubquery => filter.exprId })
    }.flatten.toSet

  /** The plan and its subqueries, each by itself, with runtime filters of hudilite's scans.
    *
    * @param old
    *   filters that are there
    */
  private def filtered(plan: LogicalPlan, old: Set[ExprId]): LogicalPlan = {
    val joined = JoinedColumns.of(plan)
    val offering = offered(plan.transformAllExpressionsWithPruning(_.containsPattern(PLAN_EXPRESSION)) {
        // It finds its side of the join again only where the two are equal.
        case filter: DynamicPruningSubquery => filter.withNewPlan(offered(filter.plan, joined))
        case subquery: SubqueryExpression => subquery.withNewPlan(filtered(subquery.plan, old))
      }, joined)
    if (offering.fastEquals(plan) || !offering.exists(offersColumns)) offering
    else {
      val found = new UnnestedFilters(old).of(SmallSides.found(offering)(PartitionPruning(_)))
      if (!found.containsPattern(DYNAMIC_PRUNING_SUBQUERY)) offering
      else PruneFilters(BooleanSimplification(CleanupDynamicPruningFilters(pushedDown(found, MostRounds))))
    }
  }

  private def offersColumns(plan: LogicalPlan): Boolean = scanOf(plan).exists(_.filterAttributes().nonEmpty)

  private def offered(plan: LogicalPlan, joined: JoinedColumns): LogicalPlan = plan.transform {
    case relation: DataSourceV2ScanRelation =>
      scanOf(relation).flatMap(_.offering(joined.of(relation))).fold(relation)(PlanNodes.withScan(relation, _))
  }

  private def scanOf(plan: LogicalPlan): Option[HudiliteScan] = plan match {
    case relation: DataSourceV2ScanRelation => Some(relation.scan).collect { case scan: HudiliteScan => scan }
    case _ => None
  }

  @tailrec
  private def pushedDown(plan: LogicalPlan, rounds: Int): LogicalPlan = {
    val next = PushDownPredicates(plan)
    if (rounds == 0 || next.fastEquals(plan)) next else pushedDown(next, rounds - 1)
  }

  private val MostRounds = 100
}

/** Makes [[CountedPartitions]], [[FirstOfFiltered]], [[RuntimeFilters]], [[BucketedScans]] and [[DealtWrites]] the last of
  * the rules of a session's optimizer: nowhere else can an extension put one behind Spark's. It changes no plan itself.
  */
final case class RuntimeFilterRule(session: SparkSession) extends Rule[LogicalPlan] {

  override def apply(plan: LogicalPlan): LogicalPlan = {
    // Again where the user's own rules have taken their place.
    Sessions.optimizeLast(session, CountedPartitions)
    Sessions.optimizeLast(session, FirstOfFiltered)
    Sessions.optimizeLast(session, RuntimeFilters)
    Sessions.optimizeLast(session, BucketedScans)
    Sessions.optimizeLast(session, DealtWrites)
    plan
  }
}

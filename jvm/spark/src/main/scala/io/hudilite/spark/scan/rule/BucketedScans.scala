package io.hudilite.spark.scan.rule

import io.hudilite.spark.bucket.BucketFunctions
import io.hudilite.spark.scan.plan.HudiliteScan
import io.hudilite.spark.shim.PlanNodes

import org.apache.spark.sql.catalyst.expressions.{Ascending, DynamicPruningSubquery, SortOrder, V2ExpressionUtils}
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.catalyst.trees.TreePattern.DYNAMIC_PRUNING_SUBQUERY
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2ScanRelation

/** Has scans of tables with buckets tell Spark how their rows are dealt, so that joins and aggregations of them need no
  * exchange: where the session's own switch for it is on, and the query brings rows together that lie together. A scan
  * that is grouped has as many tasks as buckets, whatever their size; others keep their splits.
  *
  * Spark would look for the function of the buckets in the catalog of the relation, which a table that is read by its path
  * has not. So scans say nothing to Spark's rule, and this one knows the functions.
  */
object BucketedScans extends Rule[LogicalPlan] {

  override def apply(plan: LogicalPlan): LogicalPlan =
    if (!conf.v2BucketingEnabled || !plan.exists(BucketedRelation.isPossible)) plan
    else {
      val uses = BucketUses.of(plan)
      if (uses.columns.isEmpty) plan else grouped(plan, uses)
    }

  private def grouped(plan: LogicalPlan, uses: BucketUses): LogicalPlan =
    plan.transformAllExpressionsWithPruning(_.containsPattern(DYNAMIC_PRUNING_SUBQUERY)) {
      // It finds its side of the join again only where the two are equal.
      case filter: DynamicPruningSubquery => filter.withNewPlan(grouped(filter.plan, uses))
    }.transform {
      case BucketedRelation(relation, scan, column) if uses.columns(column.exprId) =>
        scan.grouped(uses.byPartition).flatMap(told(relation, _, uses.joined(column.exprId))).getOrElse(relation)
    }

  private def told(plain: DataSourceV2ScanRelation, grouped: HudiliteScan, isJoined: Boolean): Option[LogicalPlan] = {
    val telling = PlanNodes.withScan(plain, grouped)
    val by = grouped.groupingKeys.map(V2ExpressionUtils.toCatalystOpt(_, telling, Some(BucketFunctions)))
    if (by.exists(_.isEmpty)) None
    else {
      val dealt = PlanNodes.withPartitioning(telling, by.flatten)
      Some(if (isJoined) sorted(dealt, grouped) else dealt)
    }
  }

  /** A join of groups that are sorted by its column need not sort them. Where counts of buckets differ, Spark puts several
    * groups into a task.
    */
  private def sorted(dealt: DataSourceV2ScanRelation, grouped: HudiliteScan): LogicalPlan =
    (for (name <- if (BucketUses.reduces) None else grouped.sortedColumn; column <- BucketedRelation.named(dealt, name))
      yield PlanNodes.withOrdering(dealt, Seq(SortOrder(column, Ascending)))).getOrElse(dealt)
}

package io.hudilite.spark.scan.rule

import io.hudilite.spark.scan.plan.HudiliteScan

import org.apache.spark.sql.catalyst.expressions.{And, DynamicPruningSubquery, ExprId, Expression, PredicateHelper}
import org.apache.spark.sql.catalyst.plans.logical.{Filter, Join, LogicalPlan}
import org.apache.spark.sql.catalyst.trees.TreePattern.DYNAMIC_PRUNING_SUBQUERY
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2ScanRelation
import org.apache.spark.sql.execution.dynamicpruning.PartitionPruning
import org.apache.spark.sql.internal.SQLConf

/** The runtime filters that Spark has found for a plan, without those that would hold others.
  *
  * A filter is right above the side of the join that it filters, and what it holds is the other side, which is to be seen
  * there as well. So each side is gone through once, however many filters hold it.
  *
  * @param old
  *   filters that were in the plan before, of sources of Spark's own
  */
private[scan] final class UnnestedFilters(old: Set[ExprId]) extends PredicateHelper {

  import UnnestedFilters._

  /** @param found
    *   plan after Spark's rule
    */
  def of(found: LogicalPlan): LogicalPlan = found match {
    case join: Join =>
      val (left, ofLeft) = filtered(join.left)
      val (right, ofRight) = filtered(join.right)
      val sides = (of(left), of(right))
      val first = settled(ofLeft, sides._1, Side(sides._2, PartitionPruning.hintToBroadcastRight(join.hint)))
      val second = settled(ofRight, sides._2, Side(sides._1, PartitionPruning.hintToBroadcastLeft(join.hint)))
      join.withNewChildren(Seq(over(second.side.plan, first.kept), over(first.side.plan, second.kept)))
    case other => other.mapChildren(of)
  }

  /** The plan below the filters that are new, and these. */
  private def filtered(plan: LogicalPlan): (LogicalPlan, Seq[DynamicPruningSubquery]) = plan match {
    case Filter(filter: DynamicPruningSubquery, child) if isNew(filter) =>
      val (rows, more) = filtered(child)
      (rows, filter +: more)
    case other => (other, Nil)
  }

  private def over(rows: LogicalPlan, filters: Seq[DynamicPruningSubquery]): LogicalPlan =
    filters.foldRight(rows)(Filter(_, _))

  private def settled(filters: Seq[DynamicPruningSubquery], rows: LogicalPlan, side: Side): Settled =
    filters.foldLeft(Settled(Nil, side)) { (settled, filter) =>
      PartitionPruning.getFilterableTableScan(filter.pruningKey, rows) match {
        case Some(Ours(scan)) => settle(settled, filter, scan)
        // Spark has found it before, and there must be no more in its side than was then.
        case _ => settled.onSide(without(settled.side.plan, isNew))
      }
    }

  /** A filter that would hold others has them taken out of its side where that is broadcast, so that the filter costs
    * nothing, and is less than what is filtered. Otherwise the side is as good as not broadcast: the filter stays if it is
    * worth running the side by itself, and runs it without others.
    */
  private def settle(settled: Settled, filter: DynamicPruningSubquery, scan: LogicalPlan): Settled = {
    val side = settled.side.plan
    lazy val plain = without(side, isNew)
    if (!nests(side)) settled.and(filter)
    else if (settled.side.isBroadcast && outweighs(scan, side) && !nests(plain)) settled.onSide(plain).and(filter)
    else if (!filter.onlyInBroadcast) settled.copy(kept = settled.kept :+ withSide(filter, without(side, _ => true)))
    else settled
  }

  private def isNew(filter: DynamicPruningSubquery): Boolean = !old(filter.exprId)

  private def without(plan: LogicalPlan, left: DynamicPruningSubquery => Boolean): LogicalPlan =
    if (!nests(plan)) plan
    else plan.transformUpWithSubqueries {
      case Filter(condition, child) if nests(condition) =>
        val others = splitConjunctivePredicates(condition).filter {
          case filter: DynamicPruningSubquery => !left(filter)
          case _ => true
        }
        others.reduceOption(And(_, _)).fold(child)(Filter(_, child))
    }
}

private object UnnestedFilters {

  /** One side of a join, which filters of the other side hold.
    *
    * @param isHinted
    *   the query says that it is to be broadcast
    */
  final case class Side(plan: LogicalPlan, isHinted: Boolean) {
    def isBroadcast: Boolean = isHinted || PartitionPruning.canBroadcastBySize(plan, SQLConf.get)
  }

  /** @param kept
    *   filters of the other side
    */
  final case class Settled(kept: Seq[DynamicPruningSubquery], side: Side) {

    def and(filter: DynamicPruningSubquery): Settled = copy(kept = kept :+ withSide(filter, side.plan))

    def onSide(plan: LogicalPlan): Settled =
      if (plan eq side.plan) this else Settled(kept.map(withSide(_, plan)), side.copy(plan = plan))
  }

  /** A scan of hudilite's. */
  object Ours {
    def unapply(plan: LogicalPlan): Option[LogicalPlan] = plan match {
      case relation: DataSourceV2ScanRelation if relation.scan.isInstanceOf[HudiliteScan] => Some(relation)
      case _ => None
    }
  }

  def nests(plan: LogicalPlan): Boolean = plan.containsPattern(DYNAMIC_PRUNING_SUBQUERY)

  def nests(condition: Expression): Boolean = condition.containsPattern(DYNAMIC_PRUNING_SUBQUERY)

  def withSide(filter: DynamicPruningSubquery, side: LogicalPlan): DynamicPruningSubquery = filter.withNewPlan(side)

  def outweighs(scan: LogicalPlan, side: LogicalPlan): Boolean =
    scan.stats.sizeInBytes > side.collectLeaves().map(_.stats.sizeInBytes).sum
}

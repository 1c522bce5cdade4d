package io.hudilite.spark.scan.rule

import org.apache.spark.sql.catalyst.expressions.{DynamicPruningSubquery, EqualTo, Expression, Literal, PredicateHelper}
import org.apache.spark.sql.catalyst.optimizer.JoinSelectionHelper
import org.apache.spark.sql.catalyst.plans.logical.{Filter, Join, LogicalPlan}
import org.apache.spark.sql.catalyst.trees.TreePattern.DYNAMIC_PRUNING_SUBQUERY
import org.apache.spark.sql.execution.dynamicpruning.PartitionPruning

/** Has Spark filter by small sides of joins that no condition has made small, such as a list of keys: it looks for runtime
  * filters only where a side has a condition. Sides get one for that time which is always true. They are broadcast anyway,
  * so that the filter costs nothing.
  */
private[rule] object SmallSides extends PredicateHelper with JoinSelectionHelper {

  /** The values of a side of this size are a list that a driver goes through in no time. */
  val MostBytes: BigInt = BigInt(1L << 20)

  private val Mark: Expression = EqualTo(Literal("small side"), Literal("small side"))

  /** The plan with what the search finds. */
  def found(plan: LogicalPlan)(search: LogicalPlan => LogicalPlan): LogicalPlan =
    if (!JoinedColumns.areFree) search(plan) else unmarked(search(marked(plan)))

  private def marked(plan: LogicalPlan): LogicalPlan = plan.transformUp { case join: Join =>
    val right = if (canPruneLeft(join.joinType) && chooses(FilteringSide.right(join), join, join.left))
      Filter(Mark, join.right)
    else join.right
    val left = if (canPruneRight(join.joinType) && chooses(FilteringSide.left(join), join, join.right))
      Filter(Mark, join.left)
    else join.left
    if ((left eq join.left) && (right eq join.right)) join else join.withNewChildren(Seq(left, right))
  }

  /** The side is small beside a scan of hudilite's on the other side, of whose files it can leave out some. */
  private def chooses(side: FilteringSide, join: Join, other: LogicalPlan): Boolean =
    side.isSmall && join.condition.toSeq.flatMap(splitConjunctivePredicates).exists {
      case EqualTo(a, b) => Seq(a, b).filter(key => key.references.nonEmpty && key.references.subsetOf(other.outputSet))
          .flatMap(PartitionPruning.getFilterableTableScan(_, other)).exists {
            case UnnestedFilters.Ours(scan) => scan.stats.sizeInBytes > side.plan.stats.sizeInBytes
            case _ => false
          }
      case _ => false
    }

  private def unmarked(plan: LogicalPlan): LogicalPlan = plan.transformUp {
    case Filter(condition, child) if isMark(condition) => child
    case node if node.containsPattern(DYNAMIC_PRUNING_SUBQUERY) =>
      node.transformExpressionsWithPruning(_.containsPattern(DYNAMIC_PRUNING_SUBQUERY)) {
        case filter: DynamicPruningSubquery => filter.withNewPlan(unmarked(filter.plan))
      }
  }

  private def isMark(condition: Expression): Boolean = condition == Mark
}

package io.hudilite.spark.stage

import org.apache.spark.sql.catalyst.expressions.{Expression, PlanExpression}
import org.apache.spark.sql.catalyst.expressions.aggregate.{AggregateExpression, Count, Max, Min}
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.execution.adaptive.LogicalQueryStage
import org.apache.spark.sql.execution.datasources.{HadoopFsRelation, LogicalRelation}
import org.apache.spark.sql.execution.datasources.v2.{DataSourceV2Relation, DataSourceV2ScanRelation, FileScan}

/** A node that adds nothing to the rows of its child but what it reads of a snapshot. */
trait OfSnapshot extends LogicalPlan

/** A plan gives the same rows, in whatever order, each time that it is evaluated. One that is not known to do so, such
  * as a database, a function of the user's or rows that are limited, does not.
  */
object Repeatable {

  /** @param snapshot
    *   true when a table is read as it was at one time
    */
  def apply(plan: LogicalPlan, snapshot: DataSourceV2Relation => Boolean): Boolean = {
    def of(plan: LogicalPlan): Boolean = plan match {
      case stage: LogicalQueryStage => of(stage.logicalPlan)
      case scan: DataSourceV2ScanRelation => scan.scan.isInstanceOf[FileScan] || snapshot(scan.relation)
      case relation: DataSourceV2Relation => snapshot(relation)
      case relation: LogicalRelation => relation.relation.isInstanceOf[HadoopFsRelation]
      case _: LocalRelation | _: OneRowRelation | _: Range => true
      case _: Project | _: Filter | _: Union | _: Join | _: Expand | _: Generate | _: SubqueryAlias | _: Sort |
          _: RepartitionOperation | _: RebalancePartitions | _: SharedRows | _: SharedRowsAgain | _: ResolvedHint |
          _: MergeRows | _: OfSnapshot =>
        plan.expressions.forall(repeatable) && plan.children.forall(of)
      case a: Aggregate => a.expressions.forall(repeatable) && a.expressions.forall(inAnyOrder) && of(a.child)
      case _ => false
    }
    of(plan)
  }

  // The number of a row, which hudilite adds to rows to know which is the later one, decides between equal ones only.
  private def repeatable(expression: Expression): Boolean =
    (expression.deterministic || RowNumber.is(expression)) && !expression.exists(_.isInstanceOf[PlanExpression[_]])

  /** Sums of fractions depend on the order of their rows, as do collected lists and first values. */
  private def inAnyOrder(expression: Expression): Boolean = !expression.exists {
    case a: AggregateExpression => a.aggregateFunction match {
        case _: Count | _: Max | _: Min => false
        case _ => true
      }
    case _ => false
  }
}

package io.hudilite.spark.scan.rule

import io.hudilite.spark.plan.table.PlannedTable
import io.hudilite.spark.shim.PlanNodes

import org.apache.spark.sql.catalyst.expressions.{Alias, Attribute, Expression, Literal}
import org.apache.spark.sql.catalyst.expressions.aggregate.AggregateExpression
import org.apache.spark.sql.catalyst.plans.logical.{Aggregate, Filter, LogicalPlan, Project}
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2Relation

/** Has Spark not ask a table for aggregates of expressions, of which no footer knows anything.
  *
  * To ask, Spark puts them into its words for sources, and there it takes it that each side of AND and OR is a condition:
  * a query such as `count_if(a = 1 AND null)` would fail as an error within Spark.
  */
object AggregatesRule extends Rule[LogicalPlan] {

  override def apply(plan: LogicalPlan): LogicalPlan = plan.transformDown {
    case aggregate: Aggregate if !isPlain(aggregate) => aggregate.withNewChildren(Seq(fromRows(aggregate.child)))
  }

  private def isPlain(aggregate: Aggregate): Boolean =
    aggregate.groupingExpressions.forall(isColumn) && columnsOnly(aggregate.child) &&
      aggregate.aggregateExpressions.flatMap(_.collect { case a: AggregateExpression => a })
        .forall(a => a.filter.isEmpty && a.aggregateFunction.children.forall(isColumn))

  private def isColumn(expression: Expression): Boolean = expression match {
    case _: Attribute | _: Literal => true
    case Alias(child, _) => isColumn(child)
    case _ => false
  }

  private def columnsOnly(plan: LogicalPlan): Boolean = plan match {
    case Project(columns, child) => columns.forall(isColumn) && columnsOnly(child)
    case Filter(_, child) => columnsOnly(child)
    case _ => true
  }

  private def fromRows(plan: LogicalPlan): LogicalPlan = plan match {
    case relation: DataSourceV2Relation =>
      PlannedTable.of(relation).fold(relation)(table => PlanNodes.withTable(relation, table.aggregatedFromRows))
    case _: Project | _: Filter => plan.withNewChildren(plan.children.map(fromRows))
    case other => other
  }
}

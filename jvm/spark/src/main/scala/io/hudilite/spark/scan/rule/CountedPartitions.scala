package io.hudilite.spark.scan.rule

import io.hudilite.spark.scan.plan.HudiliteScan

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{Alias, Expression, Literal, NamedExpression, PredicateHelper}
import org.apache.spark.sql.catalyst.expressions.aggregate.{AggregateExpression, Complete, Count}
import org.apache.spark.sql.catalyst.plans.logical.{Aggregate, Filter, LocalRelation, LogicalPlan, Project}
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.catalyst.trees.TreePattern.{AGGREGATE, FILTER}
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2ScanRelation
import org.apache.spark.sql.hudilite.SourceFilters

/** Answers `count(*)` with conditions on partition columns from what commits counted: no file is read. Spark asks a source
  * for a count only where no condition is left to it, and hudilite leaves it all of them.
  */
object CountedPartitions extends Rule[LogicalPlan] with PredicateHelper {

  override def apply(plan: LogicalPlan): LogicalPlan =
    plan.transformUpWithPruning(_.containsAllPatterns(AGGREGATE, FILTER)) {
      case aggregate: Aggregate
          if aggregate.groupingExpressions.isEmpty && aggregate.aggregateExpressions.forall(countsRows) =>
        rows(aggregate.child).fold[LogicalPlan](aggregate)(found =>
          LocalRelation(aggregate.output, Seq(InternalRow.fromSeq(aggregate.output.map(_ => found)))))
    }

  private def countsRows(expression: NamedExpression): Boolean = expression match {
    case Alias(AggregateExpression(Count(Seq(one: Literal)), Complete, false, None, _), _) => one.value != null
    case _ => false
  }

  private def rows(plan: LogicalPlan): Option[Long] = plan match {
    case Project(_, child) => rows(child)
    case Filter(condition, relation: DataSourceV2ScanRelation) => relation.scan match {
        case scan: HudiliteScan => counted(scan, splitConjunctivePredicates(condition))
        case _ => None
      }
    case _ => None
  }

  private def counted(scan: HudiliteScan, conditions: Seq[Expression]): Option[Long] = {
    val known = conditions.map(SourceFilters.of(_))
    if (known.exists(_.isEmpty)) None else scan.counted(known.flatten)
  }
}

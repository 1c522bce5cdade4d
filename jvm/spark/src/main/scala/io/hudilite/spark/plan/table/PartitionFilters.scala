package io.hudilite.spark.plan.table

import io.hudilite.filegroup.PathSelection
import io.hudilite.spark.scan.plan.PartitionPruning
import io.hudilite.spark.write.RowLevelWrite
import io.hudilite.spark.write.table.WriteTarget

import org.apache.spark.sql.catalyst.expressions.{Cast, Expression, IsNotNull, Literal, PredicateHelper}
import org.apache.spark.sql.catalyst.plans.logical.{Filter, LogicalPlan, Project}
import org.apache.spark.sql.connector.expressions.filter.Predicate
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2Relation
import org.apache.spark.sql.hudilite.SourceFilters

import scala.util.Try

/** The filters known of the rows of a table that a write changes: only partitions that can hold such rows are looked at.
  *
  * @param predicates
  *   are true for each of them; there may be more that have no words for sources
  * @param selection
  *   the partitions in which they can be
  */
private[plan] final case class PartitionFilters(predicates: Seq[Predicate], selection: PathSelection)

private[plan] object PartitionFilters extends PredicateHelper {

  /** Of rows of which nothing is known. */
  val Everywhere: PartitionFilters = PartitionFilters(Nil, PathSelection.All)

  /** Of rows for which these conditions, over the columns of the table, are true. */
  def of(target: WriteTarget, conditions: Seq[Expression]): PartitionFilters = {
    val predicates = conditions.map(folded).flatMap(splitConjunctivePredicates).filterNot(excludesNulls)
      .flatMap(SourceFilters.of(_))
    if (predicates.isEmpty) Everywhere
    else PartitionFilters(predicates,
      PartitionPruning.selection(target.config, target.schema, target.shape.evolved, predicates))
  }

  /** Of the rows that a row-level plan finds, which pass the filters above the table. */
  def of(plan: LogicalPlan, target: WriteTarget): PartitionFilters = above(plan, Nil) match {
    case Seq(conditions) => of(target, conditions)
    case _ => Everywhere // it reads the table in two places, or not at all
  }

  /** The filters above each place where the plan reads its table. */
  private def above(plan: LogicalPlan, conditions: Seq[Expression]): Seq[Seq[Expression]] = plan match {
    case relation: DataSourceV2Relation if RowLevelWrite.operationOf(relation).isDefined =>
      Seq(conditions.filter(_.references.subsetOf(relation.outputSet)))
    case Filter(condition, child) => above(child, conditions ++ splitConjunctivePredicates(condition))
    case Project(_, child) => above(child, conditions)
    case other => other.children.flatMap(above(_, Nil))
  }

  // Spark finds such by itself for what is compared; they leave all partitions but one.
  private def excludesNulls(condition: Expression): Boolean = condition.isInstanceOf[IsNotNull]

  // Conditions of statements that Spark has not optimized yet compare with casts of literals. One that raises an error
  // stays as it is, and selects nothing.
  private def folded(condition: Expression): Expression = condition.transformUp {
    case cast: Cast if cast.child.isInstanceOf[Literal] =>
      Try(Literal.create(cast.eval(), cast.dataType)).getOrElse(cast)
  }
}

package io.hudilite.spark.scan.rule

import io.hudilite.spark.scan.plan.HudiliteScan
import io.hudilite.spark.shim.{NewerCapabilities, PlanNodes}

import org.apache.spark.sql.catalyst.expressions.{Expression, ScalarSubquery, SubqueryExpression, UnsafeRow}
import org.apache.spark.sql.catalyst.expressions.aggregate.AggregateExpression
import org.apache.spark.sql.catalyst.plans.QueryPlan
import org.apache.spark.sql.catalyst.plans.logical.{Aggregate, Filter, LogicalPlan, Project, Subquery}
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.catalyst.trees.TreePattern.SCALAR_SUBQUERY
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2ScanRelation
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types.StructType

/** Has scalar subqueries that aggregate the same rows of a table read the same columns, which are those of all of them.
  *
  * Then Spark makes one of them, and the rows are read once. It does so with subqueries whose scans are equal, as those of
  * its own files are at that time. Scans of other sources have got the columns of their own subquery by then, and bear the
  * numbers that their columns had in its relation. From 4.3 on Spark puts scans together itself.
  */
object SubqueryScans extends Rule[LogicalPlan] {

  override def apply(plan: LogicalPlan): LogicalPlan = plan match {
    case _: Subquery => plan // Spark looks at a statement as a whole
    case _
        if NewerCapabilities.scanMerging.isDefined || !conf.getConf(SQLConf.SUBQUERY_REUSE_ENABLED) ||
          !plan.containsPattern(SCALAR_SUBQUERY) => plan
    case _ => shared(plan)
  }

  private def shared(plan: LogicalPlan): LogicalPlan = {
    val found = plan.collectWithSubqueries { case node =>
      node.expressions.flatMap(_.collect { case subquery: ScalarSubquery => rowsOf(subquery) })
    }.flatten.flatten
    val same = found.groupBy(_.rows).collect { case (rows, first +: more) if more.nonEmpty => rows -> (first +: more) }
    if (same.isEmpty) plan
    else plan.transformUpWithSubqueries { case node =>
      node.transformExpressionsWithPruning(_.containsPattern(SCALAR_SUBQUERY)) { case subquery: ScalarSubquery =>
        val wider = for (of <- rowsOf(subquery); all <- same.get(of.rows); plan <- of.likeAll(all)) yield plan
        wider.fold(subquery)(subquery.withNewPlan(_))
      }
    }
  }

  private def rowsOf(subquery: ScalarSubquery): Option[AggregatedRows] = subquery.plan match {
    case aggregate: Aggregate
        if subquery.outerAttrs.isEmpty && subquery.deterministic &&
          aggregate.groupingExpressions.isEmpty && isMergeable(aggregate) =>
      relationOf(aggregate.child).flatMap { case (relation, conditions) =>
        AggregatedRows.of(aggregate, relation, conditions)
      }
    case _ => None
  }

  // Spark merges aggregates that it computes in the same way; those with a buffer of fixed size are nearly all.
  private def isMergeable(aggregate: Aggregate): Boolean =
    aggregate.aggregateExpressions.flatMap(_.collect { case a: AggregateExpression => a }).forall(a =>
      !a.isDistinct && a.aggregateFunction.aggBufferAttributes.forall(b => UnsafeRow.isMutable(b.dataType)))

  /** The table's rows, and the conditions on them. */
  private def relationOf(plan: LogicalPlan): Option[(DataSourceV2ScanRelation, Seq[Expression])] = plan match {
    case relation: DataSourceV2ScanRelation => Some(relation -> Nil)
    case Project(_, child) => relationOf(child)
    case Filter(condition, relation: DataSourceV2ScanRelation) if !SubqueryExpression.hasSubquery(condition) =>
      Some(relation -> Seq(condition))
    case _ => None
  }
}

/** A subquery that makes one row of those of a table.
  *
  * @param rows
  *   which rows these are: equal for the same rows
  */
private final case class AggregatedRows(
    plan: Aggregate, relation: DataSourceV2ScanRelation, scan: HudiliteScan, rows: Seq[Any]) {

  /** The subquery with a scan that is equal to those of all, of the columns that they need together. */
  def likeAll(all: Seq[AggregatedRows]): Option[LogicalPlan] = {
    val fields = all.flatMap(_.scan.readSchema().fields).groupBy(_.name)
    val own = relation.output.map(a => a.name -> a).toMap
    val output = relation.relation.output.filter(a => fields.contains(a.name)).map(a => own.getOrElse(a.name, a))
    // A column may be read in part by each.
    if (output.size != fields.size || fields.exists(_._2.map(_.dataType).distinct.size > 1)) None
    else {
      val shared = scan.reading(StructType(output.map(a => fields(a.name).head)))
      Some(plan.transform {
        case r if r eq relation =>
          PlanNodes.withScan(relation, shared, output, all.head.relation.relation)
      })
    }
  }
}

private object AggregatedRows {

  def of(plan: Aggregate, relation: DataSourceV2ScanRelation, conditions: Seq[Expression]): Option[AggregatedRows] =
    relation.scan match {
      case scan: HudiliteScan =>
        val asked = conditions.map(QueryPlan.normalizeExpressions(_, relation.relation.output).canonicalized)
        Some(AggregatedRows(plan, relation, scan, Seq(scan.rows, relation.relation.canonicalized, asked)))
      case _ => None
    }
}

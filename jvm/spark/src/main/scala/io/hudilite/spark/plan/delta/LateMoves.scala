package io.hudilite.spark.plan.delta

import io.hudilite.error.InvalidInput
import io.hudilite.merge.MergeRule
import io.hudilite.spark.plan.layout.WriteLayout
import io.hudilite.spark.plan.merge.WinsOver
import io.hudilite.spark.shim.PlanNodes
import io.hudilite.spark.write.RowLevelWrite

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2Relation
import org.apache.spark.sql.internal.SQLConf

/** Leaves out what a statement would do to rows that are newer than what they would become, where it may move rows: a
  * move is a delete and an insert in two places, which cannot be held back until it is known whether it comes too late,
  * as it can for an update in its place. So the ordering values of the old row are read, which Spark has left out of the
  * plan where the statement does not name them.
  */
object LateMoves extends Rule[LogicalPlan] {

  override def apply(plan: LogicalPlan): LogicalPlan = plan.transformDown {
    case write: WriteDelta => RowLevelWrite.operationOf(write).filter(compares).fold(write: LogicalPlan) { operation =>
        // Without the table in it, as under a condition that no row meets, a plan has no old rows.
        tableOf(write.query).fold(write: LogicalPlan)(table =>
          write.withNewQuery(new LateMoves(write.query, operation, table).inTime))
      }
  }

  private def tableOf(query: LogicalPlan): Option[DataSourceV2Relation] = query.collectFirst {
    case r: DataSourceV2Relation if RowLevelWrite.operationOf(r).isDefined => r
  }

  private def compares(operation: RowLevelWrite): Boolean = {
    val target = operation.target
    !operation.byKey && target.mayMoveRows && MergeRule.of(target.config).compares
  }
}

private final class LateMoves(query: LogicalPlan, operation: RowLevelWrite, table: DataSourceV2Relation) {

  private val target = operation.target
  private val rule = MergeRule.of(target.config)
  private val roots = rule.fields.map(MovedRows.root).distinct
  private val updates = new UpdatesOf(query)

  private val old: Seq[Attribute] = roots.flatMap(WriteLayout.named(table)(_))

  def inTime: LogicalPlan = of(query)

  private def of(plan: LogicalPlan): LogicalPlan = plan match {
    case rows: MergeRows =>
      def inTime(clauses: Seq[MergeRows.Instruction]) = clauses.flatMap(c => late(rows, c).toSeq :+ c)
      val (matched, bySource) = (inTime(rows.matchedInstructions), inTime(rows.notMatchedBySourceInstructions))
      if (matched == rows.matchedInstructions && bySource == rows.notMatchedBySourceInstructions) rows
      else PlanNodes.withInstructions(rows, matched, bySource).withNewChildren(rows.children.map(withOld))
    case p @ Project(columns, child) => updates.of(p).filter(mayBeLate) match {
        case Some(update) => Project(columns, Filter(wins(update), withOld(child)))
        case None if columns.forall(_.isInstanceOf[Attribute]) => p.withNewChildren(Seq(of(child)))
        case None => p
      }
    case Filter(condition, child) => Filter(condition, of(child))
    case other => other
  }

  /** A clause that comes before another so that none is applied to rows that it would be too late for. */
  private def late(rows: MergeRows, clause: MergeRows.Instruction): Option[MergeRows.Instruction] =
    updates.of(rows, clause).filter(mayBeLate).map(update =>
      MergeRows.Discard(And(clause.condition, Not(wins(update)))))

  private def mayBeLate(update: RowUpdate): Boolean =
    !update.comparesOrdering && MovedRows.moves(update, target) && roots.exists(update.changes)

  private def wins(update: RowUpdate): Expression = {
    val newer = roots.map(r => r -> update.value(r)).collect { case (root, Some(value)) => root -> value }.toMap
    if (newer.size < roots.size || old.size < roots.size)
      throw new IllegalStateException(s"no ordering values in $query")
    if (newer.values.exists(!_.deterministic))
      throw InvalidInput("STATEMENT_NOT_SUPPORTED", "path" -> target.basePath,
        "statement" -> s"an update that moves rows and sets ${roots.mkString(", ")} to another value each time",
        "reason" ->
          ("whether a row comes too late is asked before it is moved; set a value that is given, or move the " +
            "rows by a statement of its own"))
    val older = roots.zip(old).toMap
    WinsOver(rule.fields.map(field(newer, _)), rule.fields.map(field(older, _)), rule)
  }

  private def field(of: Map[String, Expression], path: String): Expression = {
    val parts = path.split('.')
    parts.tail.foldLeft(of(parts.head))((e, name) => ExtractValue(e, Literal(name), SQLConf.get.resolver))
  }

  /** The rows with the ordering columns of the table. */
  private def withOld(plan: LogicalPlan): LogicalPlan = plan.transformUp {
    case Project(columns, child) if old.exists(a => child.outputSet.contains(a)) =>
      Project(columns ++ old.filter(a => child.outputSet.contains(a) && !columns.exists(_.exprId == a.exprId)), child)
  }
}

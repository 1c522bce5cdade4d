package io.hudilite.spark.plan.delta

import io.hudilite.merge.MergeRule
import io.hudilite.spark.plan.merge.{IndexProbe, IndexProbeRule, ToldByPlaces, WinsOver}
import io.hudilite.spark.write.RowLevelWrite

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.Inner
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.catalyst.util.RowDeltaUtils
import org.apache.spark.sql.execution.datasources.v2.{DataSourceV2Relation, DataSourceV2ScanRelation}
import org.apache.spark.sql.internal.SQLConf

/** The updates that the rows of a row-level plan are, one for UPDATE and one for each clause of a MERGE. */
private[plan] final case class RowUpdates(updates: Seq[RowUpdate])

/** One kind of update.
  *
  * @param condition
  *   of its clause
  * @param values
  *   of the columns after it, by name
  * @param same
  *   true when a value equals the old one of the column of this name
  */
private[plan] final class RowUpdate(condition: Expression, values: Map[String, Expression],
    same: (String, Expression) => Boolean) {

  /** The column may have another value after it; `true` where that is not known. */
  def changes(column: String): Boolean =
    !values.exists { case (name, value) => SQLConf.get.resolver(name, column) && same(column, value) }

  /** The value of the column after it. */
  def value(column: String): Option[Expression] = values.collectFirst {
    case (name, value) if SQLConf.get.resolver(name, column) => value
  }

  /** It leaves out rows that are newer than what they would become. */
  def comparesOrdering: Boolean = condition.exists(_.isInstanceOf[WinsOver])
}

private[plan] object RowUpdates {

  /** Those of a `WriteDelta`'s query; `None` when its form is not known. */
  def of(query: LogicalPlan): Option[RowUpdates] = {
    val updates = new UpdatesOf(query)
    def in(plan: LogicalPlan): Option[RowUpdates] = plan match {
      case merged: MergeRows =>
        val clauses =
          merged.matchedInstructions ++ merged.notMatchedInstructions ++ merged.notMatchedBySourceInstructions
        Some(RowUpdates(clauses.flatMap(updates.of(merged, _))))
      case project @ Project(columns, child) =>
        if (updates.isChange(project)) Some(RowUpdates(updates.of(project).toSeq))
        else if (columns.forall(_.isInstanceOf[Attribute])) in(child)
        else None
      case Filter(_, child) => in(child)
      case _ => None
    }
    in(query)
  }
}

/** Columns that a statement sets, where logs need no others of the rows that it updates. */
private[plan] object UpdatedColumns {

  /** Ordinals among the columns of the table, in ascending order, with those that readers compare; `None` where whole rows
    * are written. One set of columns serves all clauses of a MERGE: the plan has the old values of each.
    */
  def of(query: LogicalPlan, operation: RowLevelWrite): Option[Seq[Int]] = {
    val target = operation.target
    if (operation.byKey || !target.writesPartial || insertsIntoLogs(query, operation)) None
    else RowUpdates.of(query).map(_.updates).filterNot(_.exists(MovedRows.moves(_, target))).flatMap { updates =>
      val columns = target.schema.fieldNames.toSeq
      val compared = MergeRule.of(target.config).fields.map(MovedRows.root)
      val set = columns.indices.filter(i => updates.exists(_.changes(columns(i))))
      val written = columns.indices.filter(i => set.contains(i) || compared.exists(SQLConf.get.resolver(columns(i), _)))
      if (set.isEmpty || written.size == columns.size) None else Some(written)
    }
  }

  /** Of one key there may be a row that is updated and a new one, in this order, which blocks of two kinds do not keep. */
  private def insertsIntoLogs(query: LogicalPlan, operation: RowLevelWrite): Boolean =
    operation.target.buckets.isDefined && query.exists {
      case rows: MergeRows => rows.notMatchedInstructions.nonEmpty
      case _ => false
    }
}

/** The updates in the nodes of a row-level plan. */
private[plan] final class UpdatesOf(query: LogicalPlan) extends PredicateHelper {

  private val old: Map[ExprId, String] = query.collect {
    case r: DataSourceV2Relation if RowLevelWrite.operationOf(r).isDefined => r.output
    case s: DataSourceV2ScanRelation if RowLevelWrite.operationOf(s.relation).isDefined => s.output
    case p: IndexProbe => p.output
    case Project(columns, _: IndexProbe) => ToldByPlaces.of(columns)
  }.flatten.map(a => a.exprId -> a.name).toMap

  // Rows of an outer join that have no match are none of the source in a MERGE; a subquery's value is null for them.
  private val joined = {
    val isMerge = query.exists(_.isInstanceOf[MergeRows])
    query.collect { case Join(_, _, kind, Some(on), _) if isMerge || kind == Inner => splitConjunctivePredicates(on) }
      .flatten
  }

  private def isOld(column: String, value: Expression): Boolean = value match {
    case a: Attribute => old.get(a.exprId).exists(SQLConf.get.resolver(_, column))
    case _ => false
  }

  private def same(column: String, value: Expression): Boolean = isOld(column, value) || joined.exists {
    // Zeros of both signs are equal, and their partitions are not.
    case EqualTo(l, r) if !IndexProbeRule.holdsFractions(l.dataType) =>
      (l.semanticEquals(value) && isOld(column, r)) || (r.semanticEquals(value) && isOld(column, l))
    case _ => false
  }

  /** All rows of the projection are one kind of change. */
  def isChange(project: Project): Boolean = values(project).get(RowDeltaUtils.OPERATION_COLUMN).exists(_.foldable)

  /** The update that all its rows are. */
  def of(project: Project): Option[RowUpdate] =
    if (isChange(project)) update(Literal.TrueLiteral, values(project)) else None

  /** The update that a clause makes. */
  def of(merged: MergeRows, clause: MergeRows.Instruction): Option[RowUpdate] =
    clause.outputs.flatMap(row => update(clause.condition, merged.output.map(_.name).zip(row).toMap)).headOption

  private def update(condition: Expression, values: Map[String, Expression]): Option[RowUpdate] =
    if (isUpdate(values)) Some(new RowUpdate(condition, values, same)) else None

  private def isUpdate(values: Map[String, Expression]): Boolean =
    values.get(RowDeltaUtils.OPERATION_COLUMN).exists {
      case Literal(kind, _) => kind == RowDeltaUtils.UPDATE_OPERATION
      case _ => true
    }

  private def values(project: Project): Map[String, Expression] = project.projectList.map {
    case alias @ Alias(value, _) => alias.name -> value
    case attribute => attribute.name -> attribute
  }.toMap
}

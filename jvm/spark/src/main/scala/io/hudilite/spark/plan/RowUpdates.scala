package io.hudilite.spark.plan

import io.hudilite.spark.write.RowLevelWrite

import org.apache.spark.sql.catalyst.expressions._
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
  *   whether a value is that which the column of this name has before
  */
private[plan] final class RowUpdate(condition: Expression, values: Map[String, Expression],
    same: (String, Expression) => Boolean) {

  /** Whether the column may have another value after it; `true` where that is not known. */
  def changes(column: String): Boolean =
    !values.exists { case (name, value) => SQLConf.get.resolver(name, column) && same(column, value) }

  /** Whether it leaves out rows that are newer than what they would become. */
  def comparesOrdering: Boolean = condition.exists(_.isInstanceOf[WinsOver])
}

private[plan] object RowUpdates extends PredicateHelper {

  /** Those of a `WriteDelta`'s query; `None` when its form is not known. */
  def of(query: LogicalPlan): Option[RowUpdates] = {
    val old = oldColumns(query)
    val joined = query.collect { case Join(_, _, _, Some(on), _) => splitConjunctivePredicates(on) }.flatten
    def isOld(column: String, value: Expression): Boolean = value match {
      case a: Attribute => old.get(a.exprId).exists(SQLConf.get.resolver(_, column))
      case _ => false
    }
    def same(column: String, value: Expression): Boolean = isOld(column, value) || joined.exists {
      case EqualTo(l, r) =>
        (l.semanticEquals(value) && isOld(column, r)) || (r.semanticEquals(value) && isOld(column, l))
      case _ => false
    }
    rows(query).map(found =>
      RowUpdates(found.collect {
        case (condition, values) if isUpdate(values) => new RowUpdate(condition, values, same)
      }))
  }

  private def oldColumns(query: LogicalPlan): Map[ExprId, String] = query.collect {
    case r: DataSourceV2Relation if RowLevelWrite.operationOf(r).isDefined => r.output
    case s: DataSourceV2ScanRelation if RowLevelWrite.operationOf(s.relation).isDefined => s.output
    case p: IndexProbe => p.output
  }.flatten.map(a => a.exprId -> a.name).toMap

  private def isUpdate(values: Map[String, Expression]): Boolean =
    values.get(RowDeltaUtils.OPERATION_COLUMN).exists {
      case Literal(kind, _) => kind == RowDeltaUtils.UPDATE_OPERATION
      case _ => true
    }

  /** Condition and values of each kind of row. */
  private def rows(query: LogicalPlan): Option[Seq[(Expression, Map[String, Expression])]] = query match {
    case merged: MergeRows =>
      val clauses = merged.matchedInstructions ++ merged.notMatchedInstructions ++ merged.notMatchedBySourceInstructions
      Some(for (clause <- clauses; values <- clause.outputs)
          yield clause.condition -> merged.output.map(_.name).zip(values).toMap)
    case Project(columns, child) =>
      val values = columns.map(c => c.name -> valueOf(c)).toMap
      if (values.get(RowDeltaUtils.OPERATION_COLUMN).exists(_.foldable)) Some(Seq(Literal.TrueLiteral -> values))
      else if (columns.forall(_.isInstanceOf[Attribute])) rows(child)
      else None
    case Filter(_, child) => rows(child)
    case _ => None
  }

  private def valueOf(column: NamedExpression): Expression = column match {
    case Alias(value, _) => value
    case attribute => attribute
  }
}

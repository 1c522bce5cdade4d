package io.hudilite.spark.plan.merge

import io.hudilite.spark.shim.PlanNodes

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{And, Expression, LeafExpression}
import org.apache.spark.sql.catalyst.expressions.codegen.CodegenFallback
import org.apache.spark.sql.catalyst.plans.logical.{MergeIntoTable, UpdateTable}
import org.apache.spark.sql.types.{BooleanType, DataType}

/** A MERGE that is held back until `WriteRule` has prepared it: Spark 4.3 rewrites the statement in the step that
  * resolves it, and asks the rules of extensions only after that.
  *
  * A part of its condition holds it, which nobody but `WriteRule` resolves, by taking it out again.
  */
private[spark] object HeldMerge {

  def hold(merge: MergeIntoTable): MergeIntoTable =
    if (isHeld(merge)) merge else withCondition(merge, And(merge.mergeCondition, Hold()))

  /** The statement without what holds it, when all else of it is resolved. */
  def released(merge: MergeIntoTable): Option[MergeIntoTable] = {
    val whole = merge.mergeCondition match {
      case And(condition, _: Hold) => withCondition(merge, condition)
      case _ => merge
    }
    if (whole.resolved) Some(whole) else None
  }

  private def isHeld(merge: MergeIntoTable): Boolean = merge.mergeCondition.exists(_.isInstanceOf[Hold])

  private def withCondition(merge: MergeIntoTable, condition: Expression): MergeIntoTable =
    PlanNodes.changed(merge, merge.sourceTable, condition, merge.matchedActions)
}

/** An UPDATE that is held back in the same way, until the rules of columns are in its assignments. */
private[spark] object HeldUpdate {

  def hold(update: UpdateTable): UpdateTable =
    if (update.condition.exists(_.exists(_.isInstanceOf[Hold]))) update
    else PlanNodes.withCondition(update, Some(update.condition.fold[Expression](Hold())(And(_, Hold()))))

  /** The statement without what holds it, when all else of it is resolved. */
  def released(update: UpdateTable): Option[UpdateTable] = {
    val whole = update.condition match {
      case Some(_: Hold) => PlanNodes.withCondition(update, None)
      case Some(And(condition, _: Hold)) => PlanNodes.withCondition(update, Some(condition))
      case _ => update
    }
    if (whole.resolved) Some(whole) else None
  }
}

/** Never resolved. */
private[plan] final case class Hold() extends LeafExpression with CodegenFallback {
  override lazy val resolved: Boolean = false
  override def dataType: DataType = BooleanType
  override def nullable: Boolean = false
  override def eval(row: InternalRow): Any = throw new IllegalStateException("a statement was not prepared")
}

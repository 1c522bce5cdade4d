package io.hudilite.spark.plan.merge

import io.hudilite.error.InvalidInput
import io.hudilite.merge.MergeRule
import io.hudilite.spark.lookup.OnlyLeaves
import io.hudilite.spark.plan.layout.WriteLayout
import io.hudilite.spark.shim.PlanNodes
import io.hudilite.spark.write.table.{Duplicates, WriteOperation, WriteTarget}

import org.apache.spark.sql.catalyst.expressions.{And, EqualTo, Expression, Or, UnaryExpression}
import org.apache.spark.sql.catalyst.expressions.codegen.CodegenFallback
import org.apache.spark.sql.catalyst.plans.logical.{
  DeleteAction,
  InsertStarAction,
  LogicalPlan,
  MergeAction,
  MergeIntoTable,
  UpdateStarAction
}
import org.apache.spark.sql.types.{BooleanType, DataType}

/** The MERGE that an upsert or delete of keyed rows is. */
private[plan] final class KeyMerge(into: LogicalPlan, rows: LogicalPlan, target: WriteTarget) {

  def of(operation: WriteOperation, duplicates: Duplicates): MergeIntoTable =
    if (operation == WriteOperation.Delete) PlanNodes.mergeInto(into, rows, matches, Seq(DeleteAction(None)), Nil)
    else if (duplicates != Duplicates.Added)
      PlanNodes.mergeInto(into, rows, matches, Seq(found(duplicates)), Seq(InsertStarAction(None)))
    else PlanNodes.mergeInto(into, rows, matches, updates, Seq(InsertStarAction(None)))

  /** The clause for keys that the table has, in which no row is ever changed. */
  private def found(duplicates: Duplicates): MergeAction =
    if (duplicates == Duplicates.Dropped) MergeStatements.NeverApplies
    else DeleteAction(Some(KeyIsThere(WriteLayout.column(rows, WriteLayout.KeyColumn), target.basePath)))

  /** A row matches by record key, and by partition path too unless the index is global. */
  private def matches: Expression = {
    // In terms of the data columns: meta columns in the condition would make Spark want values assigned to them.
    val value = WriteLayout.named(into)
    def equal(stored: Option[Expression], column: String): Expression =
      EqualTo(stored.getOrElse(throw new IllegalStateException(s"no key columns in ${into.output}")),
        WriteLayout.column(rows, column))
    val stored =
      if (target.generatesKeys) into.output.headOption.map(StoredKey(_)) else target.keys.recordKey(value)
    val byKey = equal(stored, WriteLayout.KeyColumn)
    if (target.index.isGlobal) byKey
    else And(byKey, equal(target.keys.partitionPath(value), WriteLayout.PartitionColumn))
  }

  /** The rows of a key are updated where they are, or one of them moves, unless the key is there already: a key that an
    * earlier write left in several partitions must not come twice into one.
    */
  private def updates: Seq[MergeAction] = {
    val inTime = this.inTime
    val leaves = if (target.index.movesRows) Some(OnlyLeaves(WriteLayout.column(rows, WriteLayout.PartitionColumn)))
    else None
    leaves.map(only => DeleteAction(Some(inTime.fold(only: Expression)(And(_, only))))).toSeq :+
      (if (target.index.keepsPlaces) KeptPlaces.update(inTime, into, rows, target)
       else if (rule.completesAll && target.index.movesRows) CompletedRows.update(inTime, into, rows, target)
       else UpdateStarAction(inTime))
  }

  private val rule = MergeRule.of(target.config)

  /** The updates that a row which can change its partition makes: a move is a delete and an insert in two places, which
    * cannot be held back until it is known whether it comes too late, so it is compared with the row that it would move.
    */
  private def inTime: Option[Expression] = {
    val compares = rule.compares && target.index.movesRows
    val (now, old) = (WriteLayout.named(rows), WriteLayout.named(into))
    val fields = if (compares) rule.fields.filter(f => now(f).isDefined && old(f).isDefined) else Nil
    if (fields.isEmpty) None
    else {
      val ordering = fields.flatMap(now(_))
      val wins = WinsOver(ordering, fields.flatMap(old(_)), MergeRule(fields))
      Some(new KeyedRows(target).unorderedDelete(now, ordering).fold[Expression](wins)(Or(_, wins)))
    }
  }
}

/** Condition of an insert that must not meet a key of the table: raises an error with the key of the first row that
  * does.
  */
final case class KeyIsThere(child: Expression, path: String) extends UnaryExpression with CodegenFallback {

  override def dataType: DataType = BooleanType
  override def nullable: Boolean = false
  override def prettyName: String = "key_is_there"
  override lazy val foldable: Boolean = false

  override protected def nullSafeEval(key: Any): Any =
    throw InvalidInput("RECORD_KEY_EXISTS", "key" -> key.toString, "path" -> path)

  override protected def withNewChildInternal(newChild: Expression): KeyIsThere = copy(child = newChild)
}

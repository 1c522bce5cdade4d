package io.hudilite.spark.plan.merge

import io.hudilite.record.ReservedNames
import io.hudilite.spark.plan.layout.WriteLayout
import io.hudilite.spark.stage.RowNumber
import io.hudilite.spark.write.RowLevelWrite

import org.apache.spark.sql.catalyst.expressions.{Alias, EqualTo, If, Literal}
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, MergeRows, Project}
import org.apache.spark.sql.catalyst.util.RowDeltaUtils
import org.apache.spark.sql.types.LongType

/** Of the new rows that a MERGE has of one key only the newest, where they do not meet in their writer and have to be
  * brought together before: with a global index, as a key is one row of the whole table then and its rows may go into
  * several partitions, and where some of them are put back into a file group and others, which would not win there, are
  * not.
  */
private[plan] object NewestOfKey {

  private val OldColumn = ReservedNames.InternalPrefix + "old"

  /** The changes, those of rows that are there all of them. */
  def of(changes: LogicalPlan, operation: RowLevelWrite): LogicalPlan =
    if (!operation.keepsNewest || !inserts(changes)) changes
    else if (operation.target.index.isGlobal) newest(changes, operation, inTable = true)
    else if (PutBackRows.mayPart(changes, operation) || KeyedRows.merge(operation.target).isDefined)
      newest(changes, operation, inTable = false)
    else changes

  private def inserts(changes: LogicalPlan): Boolean = changes.exists {
    case rows: MergeRows => rows.notMatchedInstructions.nonEmpty
    case _ => false
  }

  /** @param inTable
    *   a key is one row of the table, not of its partition
    */
  private def newest(changes: LogicalPlan, operation: RowLevelWrite, inTable: Boolean): LogicalPlan = {
    val isNew = EqualTo(WriteLayout.column(changes, RowDeltaUtils.OPERATION_COLUMN),
      Literal(RowDeltaUtils.INSERT_OPERATION))
    val (key, partition) = WriteLayout.placesOf(changes, operation.target)
    val place = if (inTable) Seq(key) else Seq(key, partition)
    val numbered = Project((changes.output ++ place) :+ RowNumber(), changes)
    val number = WriteLayout.column(numbered, RowNumber.Column)
    // Each change of a row that is there is told from all others by its number.
    val old = Alias(If(isNew, Literal.create(null, LongType), number), OldColumn)()
    val told = Project(numbered.output :+ old, numbered)
    val ofKey = place.map(_.toAttribute)
    val merge = KeyedRows.merge(operation.target)
    val compared = if (merge.exists(!_.rule.compares)) Nil else WriteLayout.orderingOf(told, operation.target)
    val ordering = compared :+ number
    val values = operation.target.keys.keyValues(key.toAttribute, WriteLayout.named(told))
    Project(changes.output,
      LatestByKey(ofKey :+ old.toAttribute, ordering, told, place = ofKey, values,
        merging = merge,
        deletes = new KeyedRows(operation.target).deletes(WriteLayout.named(told)).filter(_ => merge.isDefined)))
  }
}

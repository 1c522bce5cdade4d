package io.hudilite.spark.plan

import io.hudilite.record.ColumnNames
import io.hudilite.spark.plan.layout.WriteLayout
import io.hudilite.spark.stage.RowNumber
import io.hudilite.spark.write.RowLevelWrite

import org.apache.spark.sql.catalyst.expressions.{Alias, EqualTo, If, Literal}
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, MergeRows, Project}
import org.apache.spark.sql.catalyst.util.RowDeltaUtils
import org.apache.spark.sql.types.LongType

/** Of the new rows that a MERGE has of one key only the newest where the index of the write is global: a key is one row
  * of the whole table then. Rows that go into one partition meet in their writer; those of several partitions do not, and
  * have to be brought together before they are dealt to writers.
  */
private[plan] object NewestOfKey {

  private val OldColumn = ColumnNames.InternalPrefix + "old"

  /** The changes, those of rows that are there all of them. */
  def of(changes: LogicalPlan, operation: RowLevelWrite): LogicalPlan =
    if (operation.keepsNewest && operation.target.index.isGlobal && inserts(changes)) newest(changes, operation)
    else changes

  private def inserts(changes: LogicalPlan): Boolean = changes.exists {
    case rows: MergeRows => rows.notMatchedInstructions.nonEmpty
    case _ => false
  }

  private def newest(changes: LogicalPlan, operation: RowLevelWrite): LogicalPlan = {
    val isNew = EqualTo(WriteLayout.column(changes, RowDeltaUtils.OPERATION_COLUMN),
      Literal(RowDeltaUtils.INSERT_OPERATION))
    val (key, _) = WriteLayout.placesOf(changes, operation.target)
    val numbered = Project(changes.output ++ Seq(key, RowNumber()), changes)
    val number = WriteLayout.column(numbered, RowNumber.Column)
    // Each change of a row that is there is told from all others by its number.
    val old = Alias(If(isNew, Literal.create(null, LongType), number), OldColumn)()
    val told = Project(numbered.output :+ old, numbered)
    val ofKey = Seq(key.toAttribute)
    val ordering = WriteLayout.orderingOf(told, operation.target) :+ number
    val values = operation.target.keys.keyValues(key.toAttribute, WriteLayout.named(told))
    Project(changes.output, LatestByKey(ofKey :+ old.toAttribute, ordering, told, place = ofKey, values))
  }
}

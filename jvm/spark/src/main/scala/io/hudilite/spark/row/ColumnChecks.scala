package io.hudilite.spark.row

import io.hudilite.error.{InvalidInput, Listed}
import io.hudilite.spark.shim.PlanNodes

import org.apache.spark.sql.catalyst.SQLConfHelper
import org.apache.spark.sql.catalyst.expressions.{Alias, Attribute, Expression, NamedExpression}
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.catalyst.util.CharVarcharUtils

/** Rules of columns that the catalog keeps for a table, held against the rows of each write by its name. Lengths of texts
  * are checked by Spark where a statement gives the rows: here it is done for those of a DataFrame.
  */
object ColumnChecks extends SQLConfHelper {

  /** The rows, aligned with the columns of the table.
    *
    * @param required
    *   names of the columns that refuse nulls
    * @param lengths
    *   columns of the table whose lengths have to be checked
    */
  def rows(rows: LogicalPlan, required: Seq[String], lengths: Seq[Attribute]): LogicalPlan = {
    val checked = rows.output.map(column => rules(column, required, lengths))
    if (checked == rows.output) rows else Project(checked, rows)
  }

  private def rules(column: Attribute, required: Seq[String], lengths: Seq[Attribute]): NamedExpression = {
    val short = lengths.find(known => known.name == column.name && known.dataType == column.dataType)
      .fold[Expression](column)(CharVarcharUtils.stringLengthCheck(column, _))
    val value = if (required.contains(column.name)) RequiredValue(short, column.name) else short
    if (value eq column) column else Alias(value, column.name)()
  }

  /** @param required
    *   the columns that refuse nulls
    */
  def update(update: UpdateTable, required: Seq[Attribute]): UpdateTable = required.map(_.name) match {
    case Nil => update
    case names =>
      val checked = assigned(update.assignments, names)
      if (checked == update.assignments) update else PlanNodes.withAssignments(update, checked)
  }

  def merge(merge: MergeIntoTable, required: Seq[Attribute]): MergeIntoTable = required match {
    case Nil => merge
    case columns =>
      merge.notMatchedActions.foreach(checkInsert(_, columns))
      val names = columns.map(_.name)
      val all = Seq(merge.matchedActions, merge.notMatchedActions, merge.notMatchedBySourceActions)
      val checked = all.map(_.map(action(_, names)))
      if (checked == all) merge else PlanNodes.withActions(merge, checked)
  }

  private def action(action: MergeAction, names: Seq[String]): MergeAction = action match {
    case update: UpdateAction =>
      val checked = assigned(update.assignments, names)
      if (checked == update.assignments) update else PlanNodes.withAssignments(update, checked)
    case insert: InsertAction =>
      val checked = assigned(insert.assignments, names)
      if (checked == insert.assignments) insert else PlanNodes.withAssignments(insert, checked)
    case other => other
  }

  // Spark fills in what a clause leaves out, and rewrites the statement in one step.
  private def checkInsert(action: MergeAction, columns: Seq[Attribute]): Unit = action match {
    case insert: InsertAction if insert.assignments.nonEmpty =>
      val named = insert.assignments.map(_.key).collect { case column: Attribute => column.name }
      columns.find(column => !named.exists(conf.resolver(_, column.name)) && !column.metadata.contains(Default))
        .foreach(column =>
          throw InvalidInput("MISSING_COLUMN", "column" -> column.name, "columns" -> Listed.of(named)))
    case _ =>
  }

  // Spark's name of a default value among the properties of a column.
  private val Default = "CURRENT_DEFAULT"

  private def assigned(assignments: Seq[Assignment], names: Seq[String]): Seq[Assignment] = assignments.map { one =>
    one.key match {
      case column: Attribute if names.contains(column.name) && needs(one.value, column) =>
        one.copy(value = RequiredValue(one.value, column.name))
      case _ => one
    }
  }

  // A value that stays is not looked at: rows that were there before stay as they are.
  private def needs(value: Expression, column: Attribute): Boolean =
    value.resolved && value.nullable && !value.semanticEquals(column)
}

package io.hudilite.spark.catalog.statement

import io.hudilite.error.{InvalidInput, Listed}
import io.hudilite.spark.catalog.HudiliteTable
import io.hudilite.spark.shim.PlanNodes

import org.apache.spark.sql.catalyst.SQLConfHelper
import org.apache.spark.sql.catalyst.expressions.{Alias, Attribute, Literal}
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2Relation

/** INSERT of some columns, which it names itself or has from its query BY NAME. The others are null in its rows. Spark
  * before 4.1 refuses the statement. A statement without a required column is refused, with the column's name, before
  * anything runs.
  *
  * Spark resolves a table after it has looked for inserts into tables, so rules see each insert before.
  */
private[statement] object LeftOutColumns extends SQLConfHelper {

  def filled(insert: InsertIntoStatement): InsertIntoStatement =
    if (insert.query.resolved) named(insert).fold(insert)(filled(insert, _)) else insert

  /** Names of the columns of the insert; `None` when it has none, or some that Spark refuses. */
  private def named(insert: InsertIntoStatement): Option[Seq[String]] = {
    val columns = if (insert.byName) insert.query.output.map(_.name) else insert.userSpecifiedCols
    val fits = columns.size == insert.query.output.size &&
      columns.forall(name => insert.table.output.exists(column => conf.resolver(column.name, name)))
    Some(columns).filter(_.nonEmpty && fits)
  }

  private def filled(insert: InsertIntoStatement, named: Seq[String]): InsertIntoStatement =
    target(insert).fold(insert) { table =>
      val brought = named ++ insert.partitionSpec.collect { case (name, Some(_)) => name }
      val leftOut = insert.table.output.filterNot(column => brought.exists(conf.resolver(column.name, _)))
      leftOut.find(isNeeded(table, _)).foreach(column =>
        throw InvalidInput("MISSING_COLUMN", "column" -> column.name, "columns" -> Listed.of(brought)))
      if (leftOut.isEmpty) insert else withNulls(insert, leftOut)
    }

  private def target(insert: InsertIntoStatement): Option[HudiliteTable] =
    Some(insert.table).collect { case r: DataSourceV2Relation => r.table }.collect { case table: HudiliteTable =>
      table
    }

  private def isNeeded(table: HudiliteTable, column: Attribute): Boolean = !column.nullable ||
    table.table.exists(_.config.recordKeyFields.exists(field => conf.resolver(field.takeWhile(_ != '.'), column.name)))

  private def withNulls(insert: InsertIntoStatement, columns: Seq[Attribute]): InsertIntoStatement = {
    val nulls = columns.map(column => Alias(Literal(null, column.dataType), column.name)())
    PlanNodes.withRows(insert, if (insert.byName) Nil else insert.userSpecifiedCols ++ columns.map(_.name),
      Project(insert.query.output ++ nulls, insert.query))
  }
}

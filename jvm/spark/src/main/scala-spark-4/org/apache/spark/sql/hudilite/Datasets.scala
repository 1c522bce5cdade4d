package org.apache.spark.sql.hudilite

import org.apache.spark.sql.{Column, DataFrame, SparkSession, classic}
import org.apache.spark.sql.catalyst.expressions.{Attribute, Expression}
import org.apache.spark.sql.catalyst.plans.logical.{ColumnStat, LogicalPlan}
import org.apache.spark.sql.execution.command.CommandUtils

/** Makes DataFrames from plans and columns from expressions. Spark keeps this to its own packages. */
object Datasets {
  def ofRows(session: SparkSession, plan: LogicalPlan): DataFrame =
    classic.Dataset.ofRows(session.asInstanceOf[classic.SparkSession], plan)

  def column(expression: Expression): Column = classic.ExpressionUtils.column(expression)

  /** The number of rows, and statistics of columns as ANALYZE TABLE makes them. */
  def statistics(session: SparkSession, plan: LogicalPlan, columns: Seq[Attribute])
      : (Long, Map[Attribute, ColumnStat]) =
    CommandUtils.computeColumnStats(session.asInstanceOf[classic.SparkSession], plan, columns)
}

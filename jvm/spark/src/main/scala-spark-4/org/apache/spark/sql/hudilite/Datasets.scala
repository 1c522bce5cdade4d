package org.apache.spark.sql.hudilite

import org.apache.spark.sql.{Column, DataFrame, SparkSession, classic}
import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan

/** Makes DataFrames of plans and columns of expressions, which Spark keeps to its own packages. */
object Datasets {
  def ofRows(session: SparkSession, plan: LogicalPlan): DataFrame =
    classic.Dataset.ofRows(session.asInstanceOf[classic.SparkSession], plan)

  def column(expression: Expression): Column = classic.ExpressionUtils.column(expression)
}

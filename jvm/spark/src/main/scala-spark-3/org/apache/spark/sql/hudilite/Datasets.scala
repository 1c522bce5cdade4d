package org.apache.spark.sql.hudilite

import org.apache.spark.sql.{Column, DataFrame, Dataset, SparkSession}
import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan

/** Makes DataFrames of plans and columns of expressions, which Spark keeps to its own packages. */
object Datasets {
  def ofRows(session: SparkSession, plan: LogicalPlan): DataFrame = Dataset.ofRows(session, plan)

  def column(expression: Expression): Column = new Column(expression)
}

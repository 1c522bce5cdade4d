package io.hudilite.spark.shim

import org.apache.spark.sql.{SparkSession, SparkSessionExtensions}
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.rules.Rule

/** Rules that look at statements before names are resolved. */
object EarlyRules {

  def inject(extensions: SparkSessionExtensions, rule: SparkSession => Rule[LogicalPlan]): Unit =
    extensions.injectHintResolutionRule(rule(_))

  /** A rule for tables as of a time. */
  def injectForTimes(extensions: SparkSessionExtensions, rule: SparkSession => Rule[LogicalPlan]): Unit =
    inject(extensions, rule)

  /** Spark 3.5 runs no subquery of a time that asks a table. */
  val areTimesRun: Boolean = true
}

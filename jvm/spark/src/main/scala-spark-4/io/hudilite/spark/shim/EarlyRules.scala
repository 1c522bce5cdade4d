package io.hudilite.spark.shim

import org.apache.spark.sql.SparkSessionExtensions
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.rules.Rule

/** Rules that look at statements before names are resolved. */
object EarlyRules {

  def inject(extensions: SparkSessionExtensions, rule: Rule[LogicalPlan]): Unit =
    extensions.injectHintResolutionRule(_ => rule)

  /** A rule for what UPDATE and MERGE set. */
  def injectForAssignments(extensions: SparkSessionExtensions, rule: Rule[LogicalPlan]): Unit =
    inject(extensions, rule)

  /** A rule for INSERT. */
  def injectForInserts(extensions: SparkSessionExtensions, rule: Rule[LogicalPlan]): Unit =
    inject(extensions, rule)

  /** A rule for the formats of new tables. */
  def injectForFormats(extensions: SparkSessionExtensions, rule: Rule[LogicalPlan]): Unit = inject(extensions, rule)

  /** A rule for tables as of a time. */
  def injectForTimes(extensions: SparkSessionExtensions, rule: Rule[LogicalPlan]): Unit = inject(extensions, rule)

  /** Spark 3.5 runs no subquery of a time that asks a table. */
  val areTimesRun: Boolean = true
}

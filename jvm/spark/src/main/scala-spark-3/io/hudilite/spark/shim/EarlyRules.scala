package io.hudilite.spark.shim

import org.apache.spark.sql.{SparkSession, SparkSessionExtensions}
import org.apache.spark.sql.catalyst.analysis.CTESubstitution
import org.apache.spark.sql.catalyst.parser.ParserInterface
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.catalyst.trees.TreePattern

/** Rules that look at statements before names are resolved. Spark 3.5 has no place for them: they see statements as these
  * come from its parser, and nothing of DataFrames.
  */
object EarlyRules {

  def inject(extensions: SparkSessionExtensions, rule: SparkSession => Rule[LogicalPlan]): Unit =
    extensions.injectParser((session, parser) => new CheckedParser(parser, rule(session)))

  /** A rule for tables as of a time, in statements in which common table expressions stand where they are asked for. */
  def injectForTimes(extensions: SparkSessionExtensions, rule: SparkSession => Rule[LogicalPlan]): Unit =
    extensions.injectParser((session, parser) => new TimesParser(parser, rule(session)))

  /** Spark 3.5 runs no subquery of a time that asks a table. */
  val areTimesRun: Boolean = false
}

private final class CheckedParser(parser: ParserInterface, rule: Rule[LogicalPlan]) extends DelegatingParser(parser) {

  override def parsePlan(sql: String): LogicalPlan = rule(super.parsePlan(sql))
}

private final class TimesParser(parser: ParserInterface, rule: Rule[LogicalPlan]) extends DelegatingParser(parser) {

  override def parsePlan(sql: String): LogicalPlan = withTimes(super.parsePlan(sql))

  override def parseQuery(sql: String): LogicalPlan = withTimes(super.parseQuery(sql))

  // Other statements are left as they are, so that nothing else sees them changed.
  private def withTimes(plan: LogicalPlan): LogicalPlan = {
    val named = CTESubstitution(plan)
    if (named.containsPattern(TreePattern.RELATION_TIME_TRAVEL)) rule(named) else plan
  }
}

package io.hudilite.spark.shim

import org.apache.spark.sql.SparkSessionExtensions
import org.apache.spark.sql.catalyst.analysis.CTESubstitution
import org.apache.spark.sql.catalyst.parser.ParserInterface
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.catalyst.trees.TreePattern

/** Rules that look at statements before names are resolved. Spark 3.5 has no place for them, and only some need
  * them: as statements come from its parser.
  */
object EarlyRules {

  def inject(extensions: SparkSessionExtensions, rule: Rule[LogicalPlan]): Unit = {
    val _ = (extensions, rule)
  }

  /** A rule for what UPDATE and MERGE set. */
  def injectForAssignments(extensions: SparkSessionExtensions, rule: Rule[LogicalPlan]): Unit =
    extensions.injectParser((_, parser) => new CheckedParser(parser, rule))

  /** A rule for INSERT. */
  def injectForInserts(extensions: SparkSessionExtensions, rule: Rule[LogicalPlan]): Unit =
    injectForAssignments(extensions, rule)

  /** A rule for the formats of new tables. */
  def injectForFormats(extensions: SparkSessionExtensions, rule: Rule[LogicalPlan]): Unit =
    injectForAssignments(extensions, rule)

  /** A rule for tables as of a time, in statements in which common table expressions stand where they are asked for. */
  def injectForTimes(extensions: SparkSessionExtensions, rule: Rule[LogicalPlan]): Unit =
    extensions.injectParser((_, parser) => new TimesParser(parser, rule))

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

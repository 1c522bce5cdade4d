package io.hudilite.spark.catalog.statement

import io.hudilite.spark.catalog.HudiliteCatalog
import io.hudilite.spark.shim.EarlyRules

import org.apache.spark.sql.{SparkSession, SparkSessionExtensions}
import org.apache.spark.sql.catalyst.analysis.{RelationTimeTravel, UnresolvedRelation}
import org.apache.spark.sql.catalyst.expressions.{Alias, Expression, Literal, SubqueryExpression}
import org.apache.spark.sql.catalyst.plans.logical.{OneRowRelation, Project}
import org.apache.spark.sql.hudilite.Datasets

/** Resolves what `TIMESTAMP AS OF` says of a table before the table's name is resolved.
  *
  *   - Of a table named by its path: Spark resolves the functions and subqueries in it together with names, and by then
  *     would take the path for that of a plain file.
  *   - Where Spark could not run a subquery in it, as one that asks a common table expression of the query around it: Spark
  *     runs it by itself, and what the query around it defines is missing there.
  */
object TimeTravelRule {

  def inject(extensions: SparkSessionExtensions): Unit = EarlyRules.injectForTimes(extensions, resolved(_, _))

  /** @param closed
    *   the time as it can be run by itself if Spark could not run it
    */
  private def resolved(travel: RelationTimeTravel, closed: Option[Expression]): RelationTimeTravel = travel match {
    case RelationTimeTravel(named: UnresolvedRelation, Some(time), _) if !time.resolved && isOurs(named, closed) =>
      travel.copy(timestamp = Some(value(closed.getOrElse(time))))
    case _ => travel
  }

  private def isOurs(named: UnresolvedRelation, closed: Option[Expression]): Boolean = {
    val path = named.multipartIdentifier.size > 1 &&
      named.multipartIdentifier.head.equalsIgnoreCase(HudiliteCatalog.Name)
    path || (closed.isDefined && NamedMergeRule.named(named).isDefined)
  }

  private def value(time: Expression): Expression = {
    val query = Datasets.ofRows(SparkSession.active, Project(Seq(Alias(time, "time")()), OneRowRelation()))
    // Spark, too, runs subqueries of a time before it plans the rest.
    if (time.exists(_.isInstanceOf[SubqueryExpression])) Literal.create(query.head().get(0), query.schema.head.dataType)
    else query.queryExecution.analyzed.collectFirst { case Project(Seq(Alias(found, _)), _) => found }.getOrElse(time)
  }
}

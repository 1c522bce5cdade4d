package io.hudilite.spark.catalog

import io.hudilite.spark.shim.EarlyRules

import org.apache.spark.sql.{SparkSession, SparkSessionExtensions}
import org.apache.spark.sql.catalyst.analysis.{RelationTimeTravel, UnresolvedRelation}
import org.apache.spark.sql.catalyst.expressions.{Alias, Expression, Literal, SubqueryExpression}
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, OneRowRelation, Project}
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.hudilite.Datasets

/** Resolves what `TIMESTAMP AS OF` says of a table named by its path before the table's name is resolved. Spark resolves
  * the functions and subqueries in it together with names, and by then would take the path for that of a plain file.
  */
object TimeTravelRule extends Rule[LogicalPlan] {

  def inject(extensions: SparkSessionExtensions): Unit = EarlyRules.injectForTimes(extensions, this)

  override def apply(plan: LogicalPlan): LogicalPlan = plan.resolveOperators {
    case travel @ RelationTimeTravel(named: UnresolvedRelation, Some(time), _)
        if !time.resolved && isOurs(named) =>
      travel.copy(timestamp = Some(resolved(time)))
  }

  private def isOurs(named: UnresolvedRelation): Boolean =
    named.multipartIdentifier.size > 1 && named.multipartIdentifier.head.equalsIgnoreCase(HudiliteCatalog.Name)

  private def resolved(time: Expression): Expression = {
    val query = Datasets.ofRows(SparkSession.active, Project(Seq(Alias(time, "time")()), OneRowRelation()))
    // Spark, too, runs subqueries of a time before it plans the rest.
    if (time.exists(_.isInstanceOf[SubqueryExpression])) Literal.create(query.head().get(0), query.schema.head.dataType)
    else query.queryExecution.analyzed.collectFirst { case Project(Seq(Alias(found, _)), _) => found }.getOrElse(time)
  }
}

package io.hudilite.spark.catalog

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.rules.Rule

/** Has the session load the catalog of paths with its first statement, whatever that is: from then on the session keeps
  * it, though RESET takes away the setting that names it.
  */
final case class PathCatalogRule(session: SparkSession) extends Rule[LogicalPlan] {

  private lazy val loaded: Unit = HudiliteCatalog.load(session)

  override def apply(plan: LogicalPlan): LogicalPlan = {
    loaded
    plan
  }
}

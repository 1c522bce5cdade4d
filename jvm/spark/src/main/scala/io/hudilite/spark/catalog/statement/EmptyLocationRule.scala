package io.hudilite.spark.catalog.statement

import io.hudilite.spark.catalog.NamedTables
import io.hudilite.spark.catalog.metastore.Registered
import io.hudilite.spark.shim.EarlyRules

import org.apache.spark.sql.SparkSessionExtensions
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.catalyst.rules.Rule

/** Refuses an empty `LOCATION` of a table of hudilite's in the session's own catalog before Spark makes a path of it. */
object EmptyLocationRule extends Rule[LogicalPlan] {

  def inject(extensions: SparkSessionExtensions): Unit = EarlyRules.injectForFormats(extensions, this)

  override def apply(plan: LogicalPlan): LogicalPlan = {
    plan.foreach(CreateTarget.named(_).filter(_.provider.exists(Registered.providerOf(_).isDefined)).flatMap(_.location)
        .foreach(NamedTables.checkLocation))
    plan
  }
}

package io.hudilite.spark.catalog.statement

import io.hudilite.spark.catalog.NamedTables
import io.hudilite.spark.catalog.metastore.Registered
import io.hudilite.spark.shim.{EarlyRules, PlanNodes}

import org.apache.spark.sql.SparkSessionExtensions
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.catalyst.rules.Rule

/** CREATE TABLE ... USING hudi by a name of the session's own catalog, where that is hudilite's: it makes the table and
  * registers it as Apache Hudi would. Before Spark asks a catalog it looks for the classes of the format, which are there
  * only with Hudi's jar, and with Hudi's extension the statement never comes to the catalog. So the format gets the name
  * of a class of hudilite's until then.
  */
object HudiProviderRule extends Rule[LogicalPlan] {

  def inject(extensions: SparkSessionExtensions): Unit = EarlyRules.injectForFormats(extensions, this)

  override def apply(plan: LogicalPlan): LogicalPlan = plan.resolveOperators {
    case statement => CreateTarget.named(statement).filter(_.provider.exists(isHudi) && NamedTables.takesHudi)
        .fold(statement)(PlanNodes.withFormat(statement, _, Registered.HudiName))
  }

  private def isHudi(provider: String): Boolean =
    provider != Registered.HudiName && Registered.providerOf(provider).contains(Registered.Hudi)
}

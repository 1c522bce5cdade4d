package io.hudilite.spark.catalog

import io.hudilite.spark.catalog.metastore.Registered
import io.hudilite.spark.shim.{EarlyRules, PlanNodes}

import org.apache.spark.sql.SparkSessionExtensions
import org.apache.spark.sql.catalyst.analysis.UnresolvedIdentifier
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
    case create: CreateTable => renamed(create, create.name, create.tableSpec)
    case create: CreateTableAsSelect => renamed(create, create.name, create.tableSpec)
    case replace: ReplaceTable => renamed(replace, replace.name, replace.tableSpec)
    case replace: ReplaceTableAsSelect => renamed(replace, replace.name, replace.tableSpec)
  }

  private def isHudi(provider: String): Boolean =
    provider != Registered.HudiName && Registered.providerOf(provider).contains(Registered.Hudi)

  private def isNamed(name: LogicalPlan): Boolean = name match {
    case unresolved: UnresolvedIdentifier =>
      NamedMergeRule.inSession(unresolved.nameParts).isDefined && NamedTables.takesHudi
    case _ => false
  }

  private def renamed(statement: LogicalPlan, name: LogicalPlan, spec: TableSpecBase): LogicalPlan = spec match {
    case said: UnresolvedTableSpec
        if said.provider.exists(isHudi) && isNamed(name) =>
      PlanNodes.withFormat(statement, said, Registered.HudiName)
    case _ => statement
  }
}

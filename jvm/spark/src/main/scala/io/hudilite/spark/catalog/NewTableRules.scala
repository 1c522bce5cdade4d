package io.hudilite.spark.catalog

import io.hudilite.error.InvalidInput
import io.hudilite.spark.catalog.metastore.Registered
import io.hudilite.spark.shim.{EarlyRules, PlanNodes}

import org.apache.spark.sql.SparkSessionExtensions
import org.apache.spark.sql.catalyst.analysis.{ResolvedIdentifier, UnresolvedIdentifier}
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.connector.catalog.Identifier

/** A table of hudilite's that a statement creates or replaces, once its name is resolved. */
private[catalog] final case class CreateTarget(catalog: StatementCatalog, ident: Identifier, spec: TableSpec)

private[catalog] object CreateTarget {

  def of(statement: LogicalPlan): Option[CreateTarget] = statement match {
    case Creating(ResolvedIdentifier(catalog: StatementCatalog, ident), said: TableSpec)
        if catalog.creates(ident, said.provider) => Some(CreateTarget(catalog, ident, said))
    case _ => None
  }

  /** What such a statement says, whatever the format, of a table by a name of the session's own catalog, where that is
    * hudilite's, before the name is resolved.
    */
  def named(statement: LogicalPlan): Option[UnresolvedTableSpec] = statement match {
    case Creating(name: UnresolvedIdentifier, said: UnresolvedTableSpec)
        if NamedMergeRule.inSession(name.nameParts).isDefined => Some(said)
    case _ => None
  }

  /** Raises `InvalidInput` where a table of hudilite's would get a name in a session catalog that serves none. */
  def checkServed(statement: LogicalPlan): Unit = statement match {
    case Creating(ResolvedIdentifier(catalog, _), said: TableSpec)
        if catalog.name == HudiliteSessionCatalog.Name && !catalog.isInstanceOf[StatementCatalog] &&
          said.provider.flatMap(Registered.providerOf).contains(Registered.Hudilite) => throw NamedElsewhere.error
    case _ =>
  }

  private object Creating {
    def unapply(statement: LogicalPlan): Option[(LogicalPlan, TableSpecBase)] = statement match {
      case create: CreateTable => Some(create.name -> create.tableSpec)
      case create: CreateTableAsSelect => Some(create.name -> create.tableSpec)
      case replace: ReplaceTable => Some(replace.name -> replace.tableSpec)
      case replace: ReplaceTableAsSelect => Some(replace.name -> replace.tableSpec)
      case _ => None
    }
  }
}

/** A table of hudilite's is meant by a name, in a session whose own catalog is not hudilite's. */
object NamedElsewhere {
  def error: InvalidInput = InvalidInput("EXTENSION_NOT_LOADED")
}

/** `LOCATION` of a new table as Spark's own formats take it. Spark gives other catalogs one that lies below the folder in
  * which its driver was started.
  */
object LocationRule extends Rule[LogicalPlan] {

  override def apply(plan: LogicalPlan): LogicalPlan = plan.resolveOperators {
    case statement => CreateTarget.of(statement).flatMap(located).fold(statement)(PlanNodes.withSpec(statement, _))
  }

  private def located(table: CreateTarget): Option[TableSpec] = for {
    said <- table.spec.location
    at = place(table, said) if at != said
  } yield PlanNodes.withLocation(table.spec, at)

  private def place(table: CreateTarget, said: String): String =
    if (!table.catalog.isPath(table.ident)) NamedTables.location(table.ident, said)
    else if (said.trim.isEmpty) throw UnsupportedStatement.Location.of(table.ident.name)
    else said
}

/** Refuses an empty `LOCATION` of a table of hudilite's in the session's own catalog before Spark makes a path of it. */
object EmptyLocationRule extends Rule[LogicalPlan] {

  def inject(extensions: SparkSessionExtensions): Unit = EarlyRules.injectForFormats(extensions, this)

  override def apply(plan: LogicalPlan): LogicalPlan = {
    plan.foreach(CreateTarget.named(_).filter(_.provider.exists(Registered.providerOf(_).isDefined)).flatMap(_.location)
        .foreach(NamedTables.checkLocation))
    plan
  }
}

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

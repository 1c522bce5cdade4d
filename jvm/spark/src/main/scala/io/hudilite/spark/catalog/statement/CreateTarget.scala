package io.hudilite.spark.catalog.statement

import io.hudilite.error.InvalidInput
import io.hudilite.spark.catalog.{HudiliteSessionCatalog, StatementCatalog}
import io.hudilite.spark.catalog.metastore.Registered

import org.apache.spark.sql.catalyst.analysis.{ResolvedIdentifier, UnresolvedIdentifier}
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.connector.catalog.Identifier

/** A table of hudilite's that a statement creates or replaces, once its name is resolved. */
private[catalog] final case class CreateTarget(catalog: StatementCatalog, ident: Identifier, spec: TableSpec)

private[catalog] object CreateTarget {

  def of(statement: LogicalPlan): Option[CreateTarget] = statement match {
    case Creating(ResolvedIdentifier(catalog: StatementCatalog, ident), said: TableSpec)
        if catalog.creates(ident, said.provider) => Some(CreateTarget(catalog, ident, said))
    case _ => None
  }

  /** Specification, of any format, of a table by a name of the session's own catalog before the name is resolved;
    * `None` where that catalog is not hudilite's.
    */
  def named(statement: LogicalPlan, names: NameResolution): Option[UnresolvedTableSpec] = statement match {
    case Creating(name: UnresolvedIdentifier, said: UnresolvedTableSpec)
        if names.inSession(name.nameParts).isDefined => Some(said)
    case _ => None
  }

  /** Raises `InvalidInput` where a table of hudilite's would get a name in a session catalog that serves none. */
  def checkServed(statement: LogicalPlan): Unit = statement match {
    case Creating(ResolvedIdentifier(catalog, _), said: TableSpec)
        if catalog.name == HudiliteSessionCatalog.Name && !catalog.isInstanceOf[StatementCatalog] &&
          said.provider.flatMap(Registered.providerOf).contains(Registered.Hudilite) =>
      throw InvalidInput("EXTENSION_NOT_LOADED")
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

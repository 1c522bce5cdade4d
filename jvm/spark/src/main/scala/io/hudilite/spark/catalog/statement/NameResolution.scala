package io.hudilite.spark.catalog.statement

import io.hudilite.spark.catalog.{HudiliteCatalog, HudiliteSessionCatalog, NamedTables, StatementCatalog}
import io.hudilite.spark.shim.{CatalogEntries, Catalogs}

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.analysis.UnresolvedRelation
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, SubqueryAlias}
import org.apache.spark.sql.connector.catalog.Identifier

/** Tables of hudilite by their names in statements, before Spark resolves these. */
private[statement] final class NameResolution(session: SparkSession) {

  val tables = new NamedTables(session)

  /** Path of the table, or a text that stands for it; `None` when it is not one of hudilite. */
  def pathOf(target: LogicalPlan): Option[String] = target match {
    case SubqueryAlias(_, child) => pathOf(child)
    case r: UnresolvedRelation => r.multipartIdentifier match {
        case catalog +: path if path.nonEmpty && isOurs(catalog) => Some(path.mkString("/"))
        case path if isOurs(Catalogs.current(session)) => Some(path.mkString("/"))
        case names => inSession(names).flatMap(tables.find).map(_.path)
      }
    case _ => None
  }

  /** Catalog and identifier of a table of this name; `None` when it is no catalog with tables of hudilite. */
  def place(names: Seq[String]): Option[(StatementCatalog, Identifier)] = {
    val found =
      if (names.size > 1 && isOurs(names.head)) Some(HudiliteCatalog.Name -> identOf(names.tail))
      else if (isOurs(Catalogs.current(session))) Some(HudiliteCatalog.Name -> identOf(names))
      else inSession(names).filterNot(_ => CatalogEntries.catalog(session).isTempView(names))
        .map(HudiliteSessionCatalog.Name -> _)
    found.flatMap { case (catalog, ident) =>
      Some(Catalogs.of(session, catalog)).collect { case ours: StatementCatalog => ours -> ident }
    }
  }

  /** Identifier of a name in the session's own catalog; `None` when it is no such name, or that catalog is not
    * hudilite's.
    */
  def inSession(names: Seq[String]): Option[Identifier] = {
    val qualified = names.size == 3 && names.head.equalsIgnoreCase(HudiliteSessionCatalog.Name)
    val local = names.size < 3 && Catalogs.current(session) == HudiliteSessionCatalog.Name &&
      (names.size == 1 || session.conf.getOption(s"spark.sql.catalog.${names.head}").isEmpty)
    Some(if (qualified) names.tail else names).filter(_ => qualified || local)
      .filter(_ => Catalogs.of(session, HudiliteSessionCatalog.Name).isInstanceOf[HudiliteSessionCatalog]).map(identOf)
  }

  private def isOurs(catalog: String): Boolean = catalog.equalsIgnoreCase(HudiliteCatalog.Name)

  private def identOf(parts: Seq[String]): Identifier = Identifier.of(parts.init.toArray, parts.last)
}

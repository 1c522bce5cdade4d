package io.hudilite.spark.catalog.statement

import io.hudilite.spark.catalog.{HudiliteCatalog, HudiliteSessionCatalog, NamedTables, StatementCatalog}
import io.hudilite.spark.shim.{CatalogEntries, Catalogs}

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.analysis.UnresolvedRelation
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, SubqueryAlias}
import org.apache.spark.sql.connector.catalog.Identifier

/** Tables of hudilite's by the names that statements give them, before Spark resolves these. */
private[statement] final class NameResolution(session: SparkSession) {

  val tables = new NamedTables(session)

  /** The path of the table, or what stands for it, when it is one of hudilite's. */
  def pathOf(target: LogicalPlan): Option[String] = target match {
    case SubqueryAlias(_, child) => pathOf(child)
    case r: UnresolvedRelation => r.multipartIdentifier match {
        case catalog +: path if path.nonEmpty && isOurs(catalog) => Some(path.mkString("/"))
        case path if isOurs(Catalogs.current(session)) => Some(path.mkString("/"))
        case names => inSession(names).flatMap(tables.find).map(_.path)
      }
    case _ => None
  }

  /** The catalog and the identifier of a table of this name, when that is a catalog with tables of hudilite's. */
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

  /** The identifier of a name in the session's own catalog, when it is one there and that is hudilite's. */
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

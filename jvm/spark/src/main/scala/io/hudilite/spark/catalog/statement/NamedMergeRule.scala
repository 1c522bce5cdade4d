package io.hudilite.spark.catalog.statement

import io.hudilite.spark.catalog.{
  HudiliteCatalog,
  HudiliteSessionCatalog,
  NamedTables,
  StatementCatalog,
  UnsupportedStatement
}
import io.hudilite.spark.plan.merge.HeldMerge
import io.hudilite.spark.shim.{CatalogEntries, Catalogs, EarlyRules, PlanNodes, SchemaEvolution}

import org.apache.spark.sql.{SparkSession, SparkSessionExtensions}
import org.apache.spark.sql.catalyst.analysis.UnresolvedRelation
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.connector.catalog.Identifier

/** What is to be done about a MERGE while its target is only named: Spark 4.3 rewrites the statement in the step that
  * resolves it, so that other rules of ours do not see it any more. WITH SCHEMA EVOLUTION is refused where Spark would
  * not act upon it, and all others are held back until they are prepared.
  */
object NamedMergeRule extends Rule[LogicalPlan] {

  def inject(extensions: SparkSessionExtensions): Unit = EarlyRules.inject(extensions, this)

  override def apply(plan: LogicalPlan): LogicalPlan = plan.resolveOperators {
    case merge: MergeIntoTable => named(merge.targetTable).fold(merge) { path =>
        if (PlanNodes.evolvesSchema(merge) && SchemaEvolution.capability.isEmpty)
          throw UnsupportedStatement.Evolve.of(path)
        HeldMerge.hold(merge)
      }
  }

  /** The path of the table, or what stands for it, when it is one of hudilite's. */
  private[catalog] def named(target: LogicalPlan): Option[String] = target match {
    case SubqueryAlias(_, child) => named(child)
    case r: UnresolvedRelation => r.multipartIdentifier match {
        case catalog +: path if path.nonEmpty && isOurs(catalog) => Some(path.mkString("/"))
        case path if isOurs(Catalogs.current(SparkSession.active)) => Some(path.mkString("/"))
        case names => registered(names)
      }
    case _ => None
  }

  /** Where a statement finds the table of this name, when that is a catalog with tables of hudilite's. */
  private[catalog] def place(names: Seq[String]): Option[(StatementCatalog, Identifier)] = {
    val session = SparkSession.active
    def ident(parts: Seq[String]): Identifier = Identifier.of(parts.init.toArray, parts.last)
    val found =
      if (names.size > 1 && isOurs(names.head)) Some(HudiliteCatalog.Name -> ident(names.tail))
      else if (isOurs(Catalogs.current(session))) Some(HudiliteCatalog.Name -> ident(names))
      else inSession(names).filterNot(_ => CatalogEntries.catalog(session).isTempView(names))
        .map(HudiliteSessionCatalog.Name -> _)
    found.flatMap { case (catalog, ident) =>
      Catalogs.of(session, catalog) match {
        case ours: StatementCatalog => Some(ours -> ident)
        case _ => None
      }
    }
  }

  private def isOurs(catalog: String): Boolean = catalog.equalsIgnoreCase(HudiliteCatalog.Name)

  private def registered(names: Seq[String]): Option[String] =
    inSession(names).flatMap(NamedTables.find).map(_.path)

  /** What a name of a statement is in the session's own catalog, when it is one there and that is hudilite's. */
  private[catalog] def inSession(names: Seq[String]): Option[Identifier] = {
    val session = SparkSession.active
    val qualified = names.size == 3 && names.head.equalsIgnoreCase(HudiliteSessionCatalog.Name)
    val local = names.size < 3 && Catalogs.current(session) == HudiliteSessionCatalog.Name &&
      (names.size == 1 || session.conf.getOption(s"spark.sql.catalog.${names.head}").isEmpty)
    Some(if (qualified) names.tail else names).filter(_ => qualified || local)
      .filter(_ => Catalogs.of(session, HudiliteSessionCatalog.Name).isInstanceOf[HudiliteSessionCatalog])
      .map(parts => Identifier.of(parts.dropRight(1).toArray, parts.last))
  }
}

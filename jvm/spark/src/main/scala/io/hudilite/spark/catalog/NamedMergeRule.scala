package io.hudilite.spark.catalog

import io.hudilite.config.WriteOptions
import io.hudilite.spark.catalog.metastore.Registered
import io.hudilite.spark.plan.HeldMerge
import io.hudilite.spark.shim.{CatalogEntries, Catalogs, EarlyRules, PlanNodes, SchemaEvolution}
import io.hudilite.spark.write.WriteOperation

import org.apache.spark.sql.{SparkSession, SparkSessionExtensions}
import org.apache.spark.sql.catalyst.analysis.{UnresolvedIdentifier, UnresolvedRelation}
import org.apache.spark.sql.catalyst.expressions.Literal
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.connector.catalog.Identifier
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2Relation

/** What is to be done about a MERGE while its target is only named: Spark 4.3 rewrites the statement in the step that
  * resolves it, so that other rules of ours do not see it any more. WITH SCHEMA EVOLUTION is refused where Spark would
  * not act upon it, and all others are held back until they are prepared.
  */
object NamedMergeRule extends Rule[LogicalPlan] {

  def inject(extensions: SparkSessionExtensions): Unit = EarlyRules.inject(extensions, this)

  override def apply(plan: LogicalPlan): LogicalPlan = plan.resolveOperators {
    case merge: MergeIntoTable => named(merge.targetTable).fold(merge) { path =>
        if (PlanNodes.evolvesSchema(merge) && SchemaEvolution.capability.isEmpty) throw Refusal.Evolve.of(path)
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

/** Rows that a DataFrame brings to a table by its name, with an option of the write that says which columns they may have:
  * the write decides, as it does for a path, and not Spark, which would ask for the columns that the table has. Only a
  * Spark that asks rules before it resolves names lets it.
  */
object OwnColumnsRule extends Rule[LogicalPlan] {

  def inject(extensions: SparkSessionExtensions): Unit = EarlyRules.inject(extensions, this)

  override def apply(plan: LogicalPlan): LogicalPlan = plan.resolveOperators {
    case write: V2WriteCommand if write.isByName =>
      optionsOf(write).filter(saysOfColumns).flatMap(options =>
        target(write.table).map(decidedBy(write, _, options))).getOrElse(write)
  }

  private def optionsOf(write: V2WriteCommand): Option[Map[String, String]] = write match {
    case append: AppendData => Some(append.writeOptions)
    case overwrite: OverwriteByExpression => Some(overwrite.writeOptions)
    case overwrite: OverwritePartitionsDynamic => Some(overwrite.writeOptions)
    case _ => None
  }

  private def saysOfColumns(options: Map[String, String]): Boolean =
    Seq(WriteOptions.MergeSchema, WriteOptions.NullForMissing).exists(key =>
      key.raw(options).exists(_._2.trim.equalsIgnoreCase("true")))

  private def target(named: LogicalPlan): Option[DataSourceV2Relation] = named match {
    case u: UnresolvedRelation => NamedMergeRule.place(u.multipartIdentifier).flatMap { case (catalog, ident) =>
        catalog.present(ident, dataFrame = true).map(DataSourceV2Relation.create(_, Some(catalog), Some(ident)))
      }
    case r: DataSourceV2Relation => r.table match {
        case table: HudiliteTable if !table.dataFrame => Some(PlanNodes.withTable(r, table.copy(dataFrame = true)))
        case _ => None
      }
    case _ => None
  }

  // In all else it is what it is by a name: no upsert unless it says so.
  private def decidedBy(write: V2WriteCommand, target: DataSourceV2Relation, options: Map[String, String])
      : LogicalPlan = {
    val operation = write match {
      case _: AppendData => Some(WriteOperation.Insert)
      case overwrite: OverwriteByExpression if overwrite.deleteExpr == Literal.TrueLiteral =>
        Some(WriteOperation.InsertOverwriteTable)
      case _ => None
    }
    val table = target.table.asInstanceOf[HudiliteTable]
    val said =
      operation.filter(_ => table.writeConf(options).operation.isEmpty).map(WriteOptions.Operation.name -> _.name)
    PlanNodes.withOptions(write, options ++ said).withNewTable(target)
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

package io.hudilite.spark.catalog

import io.hudilite.spark.catalog.metastore.TableProperty
import io.hudilite.spark.shim.{CatalogEntries, Catalogs}
import io.hudilite.table.Table

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.TableIdentifier
import org.apache.spark.sql.catalyst.analysis.{ResolvedIdentifier, ResolvedTable}
import org.apache.spark.sql.catalyst.catalog.CatalogTable
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.connector.catalog.{Column, Identifier}
import org.apache.spark.sql.execution.command.CreateTableLikeCommand
import org.apache.spark.sql.types.{StructField, StructType}

/** The table after which another one is made.
  *
  * @param table
  *   when it is a Hudi table
  * @param provider
  *   under which the catalog registers that
  * @param buckets
  *   options of its writes that say how keys are dealt to buckets
  */
private[catalog] final case class LikeSource(columns: StructType, partitions: Seq[String], table: Option[Table],
    provider: Option[String], buckets: Map[String, String])

private[catalog] object LikeSource {

  def of(table: HudiliteTable): LikeSource =
    LikeSource(table.schema, Nil, table.table, table.entry.map(_.provider),
      table.entry.fold(Map.empty[String, String])(found => TableProperty.ofBuckets(found.kept)))

  def of(entry: CatalogTable): LikeSource =
    LikeSource(entry.schema, entry.partitionColumnNames, None, None, Map.empty)
}

/** What a CREATE TABLE LIKE says.
  *
  * @param target
  *   the catalog of the new table, when it makes Hudi tables
  * @param provider
  *   what it is USING
  */
private[catalog] final case class AskedLike(target: Option[StatementCatalog], ident: Identifier, source: LikeSource,
    location: Option[String], provider: Option[String], properties: Map[String, String], ifNotExists: Boolean)

private[catalog] object AskedLike {

  /** The name of the statement in plans from Spark 4.2 on, which knows it for all catalogs. */
  val Node = "CreateTableLike"

  /** As Spark plans it before: both are names of the session's own catalog, or look like them. */
  def of(session: SparkSession, like: CreateTableLikeCommand): AskedLike = {
    val (catalog, ident) = place(session, like.targetTable)
    AskedLike(catalog, ident, source(session, like.sourceTable), like.fileFormat.locationUri.map(_.toString),
      like.provider, like.properties, like.ifNotExists)
  }

  private def place(session: SparkSession, name: TableIdentifier): (Option[StatementCatalog], Identifier) = {
    val catalog = if (isPath(name)) HudiliteCatalog.Name else HudiliteSessionCatalog.Name
    val ident = if (isPath(name)) Identifier.of(Array.empty, name.table)
    else Identifier.of(Array(name.database.getOrElse(CatalogEntries.catalog(session).getCurrentDatabase)), name.table)
    val found = Catalogs.of(session, catalog) match {
      case ours: StatementCatalog => Some(ours)
      case _ => None
    }
    (found, ident)
  }

  private def isPath(name: TableIdentifier): Boolean =
    name.database.exists(_.equalsIgnoreCase(HudiliteCatalog.Name)) && name.table.contains('/')

  private def source(session: SparkSession, name: TableIdentifier): LikeSource = {
    val entries = CatalogEntries.catalog(session)
    val (catalog, ident) = place(session, name)
    val found =
      if (isPath(name)) catalog.flatMap(_.present(ident, dataFrame = false))
      else if (entries.isTempView(name)) None // which has the name before a table
      else NamedTables.find(ident).map(NamedTables.load(_, Map.empty))
    found.fold(LikeSource.of(entries.getTempViewOrPermanentTableMetadata(name)))(LikeSource.of(_))
  }

  /** The later statement, by the places of what it says. */
  def of(like: LogicalPlan): Option[AskedLike] = like.productIterator.toSeq match {
    case Seq(ResolvedIdentifier(catalog, ident), from: LogicalPlan, location: Option[String @unchecked],
          provider: Option[String @unchecked], _, properties: Map[String @unchecked, String @unchecked],
          ifNotExists: Boolean) =>
      val ours = catalog match {
        case found: StatementCatalog => Some(found)
        case _ => None
      }
      source(from).map(AskedLike(ours, ident, _, location, provider, properties, ifNotExists))
    case _ => None
  }

  private def source(from: LogicalPlan): Option[LikeSource] = from match {
    case r: ResolvedTable => Some(r.table match {
        case table: HudiliteTable => LikeSource.of(table)
        case other => LikeSource(StructType(other.columns().map(field)),
            other.partitioning().toSeq.flatMap(_.references.map(_.fieldNames.mkString("."))), None, None, Map.empty)
      })
    case view => view.productIterator.collectFirst { case entry: CatalogTable => LikeSource.of(entry) }
  }

  private def field(column: Column): StructField = {
    val plain = StructField(column.name, column.dataType, column.nullable)
    val told = Option(column.comment).fold(plain)(plain.withComment)
    Option(column.defaultValue).fold(told)(value => told.withCurrentDefaultValue(value.getSql))
  }
}

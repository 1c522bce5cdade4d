package io.hudilite.spark.catalog

import io.hudilite.config.ReadOptions
import io.hudilite.error.InvalidInput
import io.hudilite.spark.catalog.metastore.Registered
import io.hudilite.spark.inspect.InspectTable
import io.hudilite.spark.scan.plan.TimeTravel
import io.hudilite.table.Table

import java.util.{Locale, Map => JMap}

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.connector.catalog.{
  Column,
  DelegatingCatalogExtension,
  Identifier,
  Table => SparkTable,
  TableCatalog,
  TableChange
}
import org.apache.spark.sql.connector.expressions.Transform
import org.apache.spark.sql.types.StructType

/** The session's own catalog with Hudi tables in it: `spark.sql.catalog.spark_catalog`. hudilite serves tables that are
  * `USING hudilite` or `USING hudi`, by the place that is registered for each, and leaves everything else to Spark.
  */
class HudiliteSessionCatalog extends DelegatingCatalogExtension with StatementCatalog {

  // Spark calls the methods of a catalog without the session that asks.
  private def session: SparkSession = SparkSession.active

  private def names: NamedTables = new NamedTables(session)

  override def loadTable(ident: Identifier): SparkTable = metadataTable(ident).getOrElse(
    names.find(ident).fold(ofOthers(ident)(super.loadTable(ident)))(names.load(_, Map.empty)))

  override def loadTable(ident: Identifier, version: String): SparkTable =
    names.find(ident).fold(ofOthers(ident)(super.loadTable(ident, version)))(
      names.load(_, Map(ReadOptions.VersionAsOf.name -> version)))

  override def loadTable(ident: Identifier, timestamp: Long): SparkTable =
    names.find(ident).fold(ofOthers(ident)(super.loadTable(ident, timestamp)))(
      names.load(_, Map(ReadOptions.TimestampAsOf.name -> TimeTravel.ofMicros(timestamp))))

  private def ofOthers(ident: Identifier)(table: => SparkTable): SparkTable = {
    if (ident.namespace().length > 1) NamedMetadata.refuse(ident, tableOf)
    table
  }

  /** `db.trips.history`: names of three parts are no tables of the session's own catalog, so that none is hidden. */
  private[catalog] override def metadataTable(ident: Identifier): Option[InspectTable] =
    if (ident.namespace().length < 2) None else NamedMetadata.find(session, ident, tableOf)

  private def tableOf(ident: Identifier): Option[Table] = names.find(ident).flatMap(names.load(_, Map.empty).table)

  override def present(ident: Identifier, dataFrame: Boolean): Option[HudiliteTable] =
    names.find(ident).map(names.load(_, Map.empty, dataFrame))

  override def newPlace(ident: Identifier, location: Option[String], options: Map[String, String]): HudiliteTable =
    names.newPlace(ident, location, options)

  override def isPath(ident: Identifier): Boolean = false

  override def notFound(ident: Identifier): Option[InvalidInput] = None

  override def creates(ident: Identifier, provider: Option[String]): Boolean =
    provider.flatMap(Registered.providerOf).exists(_ == Registered.Hudilite || names.takesHudi)

  // Looks for the entry only. Spark's own method loads the table, which fails for one whose files are gone.
  override def tableExists(ident: Identifier): Boolean =
    names.find(ident).isDefined || metadataTable(ident).isDefined || super.tableExists(ident)

  override def invalidateTable(ident: Identifier): Unit =
    names.find(ident).fold(super.invalidateTable(ident))(found => HudiliteCatalog.forget(session, found.path))

  override def createTable(ident: Identifier, schema: StructType, partitions: Array[Transform],
      properties: JMap[String, String]): SparkTable =
    if (creates(ident, properties)) names.create(ident, schema, CreateRequest.of(partitions, properties))
    else super.createTable(ident, schema, partitions, properties)

  override def createTable(ident: Identifier, columns: Array[Column], partitions: Array[Transform],
      properties: JMap[String, String]): SparkTable =
    if (creates(ident, properties))
      createTable(ident, StructType(columns.map(ColumnRules.field)), partitions, properties)
    else super.createTable(ident, columns, partitions, properties)

  private def creates(ident: Identifier, properties: JMap[String, String]): Boolean =
    creates(ident, Option(properties.get(TableCatalog.PROP_PROVIDER)))

  override def alterTable(ident: Identifier, changes: TableChange*): SparkTable =
    names.find(ident).fold(super.alterTable(ident, changes: _*)) { found =>
      names.alter(found, changes)
      loadTable(ident)
    }

  override def dropTable(ident: Identifier): Boolean =
    names.find(ident).fold(super.dropTable(ident))(names.drop(_, purge = false))

  override def purgeTable(ident: Identifier): Boolean =
    names.find(ident).fold(super.purgeTable(ident))(names.drop(_, purge = true))

  override def renameTable(from: Identifier, to: Identifier): Unit =
    names.find(from).fold(super.renameTable(from, to))(names.rename(_, to))
}

object HudiliteSessionCatalog {

  /** Spark's name of the session's own catalog. */
  val Name = "spark_catalog"

  private val Setting = s"spark.sql.catalog.$Name"

  /** Makes this catalog the session's own where nothing but hudilite's jar is there: no setting names a catalog or
    * extension, and Spark has found hudilite's by itself. Other formats stay Spark's.
    */
  def register(session: SparkSession): Unit = {
    val chosen = session.conf.getOption(Setting).exists(_ != "builtin")
    val extended = session.conf.getOption("spark.sql.extensions").exists(_.toLowerCase(Locale.ROOT).contains("hudi"))
    if (!chosen && !extended) session.conf.set(Setting, classOf[HudiliteSessionCatalog].getName)
  }
}

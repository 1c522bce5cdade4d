package io.hudilite.spark.catalog.metastore

import io.hudilite.spark.shim.CatalogEntries

import org.apache.hadoop.fs.Path
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.TableIdentifier
import org.apache.spark.sql.catalyst.analysis.{NoSuchDatabaseException, NoSuchTableException}
import org.apache.spark.sql.catalyst.catalog.{CatalogStatistics, CatalogTable, SessionCatalog}
import org.apache.spark.sql.connector.catalog.Identifier
import org.apache.spark.sql.types.StructType

/** The Hudi tables that the session's own catalog registers: Spark's, or that of a Hive metastore. */
final class Metastore(session: SparkSession) {

  private def catalog: SessionCatalog = CatalogEntries.catalog(session)

  /** `None` when there is no table of that name, or it is another format's. */
  def find(ident: Identifier): Option[Registered] = entry(ident).flatMap(Registered.of)

  /** Whether the name is taken, by whatever table or view. */
  def exists(ident: Identifier): Boolean = entry(ident).isDefined

  private def entry(ident: Identifier): Option[CatalogTable] =
    if (ident.namespace().length > 1) None
    else try Some(catalog.getTableMetadata(identifier(ident)))
    catch { case _: NoSuchTableException | _: NoSuchDatabaseException => None }

  /** Hudi tables of a database; raises `NoSuchDatabaseException`. */
  def list(database: Option[String]): Seq[Registered] = {
    val names = catalog.listTables(database.getOrElse(catalog.getCurrentDatabase), "*", includeLocalTempViews = false)
    catalog.getTablesByName(names).flatMap(Registered.of)
  }

  /** Where a new table lies that says nothing about it. */
  def defaultPath(ident: Identifier): String = new Path(catalog.defaultTablePath(qualified(ident))).toString

  /** What a statement says of the place of a new table: below that of its database, unless it is a whole path. */
  def pathOf(ident: Identifier, location: String): String = {
    val said = new Path(location)
    if (said.toUri.isAbsolute || said.isAbsolute) location
    else new Path(new Path(catalog.getDatabaseMetadata(databaseOf(ident)).locationUri), said).toString
  }

  /** Whether Spark's catalog registers a table of this name, as it would say only when the table has been written. */
  def takes(ident: Identifier): Boolean = ident.name().matches("\\w+")

  /** Raises Spark's error when there is no such database. */
  def requireDatabase(ident: Identifier): Unit = {
    qualified(ident).database.foreach(catalog.getDatabaseMetadata)
  }

  /** Whether tables can be registered for Apache Hudi: in a Hive metastore Spark hides the columns of formats that Hive does
    * not have, and Hudi's writes fail as they compare them there.
    */
  def takesHudi: Boolean = session.conf.get("spark.sql.catalogImplementation", "in-memory") != "hive"

  /** Registers a table that is there. */
  def register(ident: Identifier, managed: Boolean, path: String, said: CatalogEntry, comment: Option[String]): Unit = {
    val plain = CatalogEntries.of(qualified(ident), managed, new Path(path).toUri, said.columns, said.provider,
      said.properties, comment)
    val entry = said.classes.fold(plain)(CatalogEntries.read(plain, said.partitions, _))
    catalog.createTable(entry, ignoreIfExists = false, validateLocation = false)
  }

  def describe(table: Registered, kept: Map[String, String], comment: Option[String]): Unit =
    catalog.alterTable(CatalogEntries.described(table.entry, kept, comment))

  /** Has the catalog tell the columns as they are. Not by `alterTable`, which leaves those of a Hive metastore alone, and
    * not by the session's catalog, which drops none.
    */
  def describe(table: Registered, columns: StructType): Unit = {
    val name = table.entry.identifier
    val ofData = columns.filterNot(f => table.entry.partitionColumnNames.exists(_.equalsIgnoreCase(f.name)))
    catalog.externalCatalog.alterTableDataSchema(name.database.getOrElse(catalog.getCurrentDatabase), name.table,
      StructType(ofData))
  }

  /** Keeps what ANALYZE TABLE found in this state of the table. The mark comes last: until then nobody reads them. */
  def analyzed(table: Registered, state: String, found: CatalogStatistics): Unit = {
    catalog.alterTableStats(table.entry.identifier, Some(found))
    val now = catalog.getTableMetadata(table.entry.identifier)
    val marked = now.properties + (Registered.Analyzed -> Registered.mark(state, found))
    catalog.alterTable(CatalogEntries.described(now, marked, now.comment))
  }

  /** Takes the name out of the catalog and, when the catalog chose the place, removes that. */
  def drop(table: Registered, purge: Boolean): Unit =
    catalog.dropTable(table.entry.identifier, ignoreIfNotExists = false, purge)

  def rename(table: Registered, to: Identifier): Unit = catalog.renameTable(table.entry.identifier, qualified(to))

  private def qualified(ident: Identifier): TableIdentifier =
    TableIdentifier(ident.name(), Some(databaseOf(ident)))

  private def databaseOf(ident: Identifier): String = ident.namespace().headOption.getOrElse(catalog.getCurrentDatabase)

  private def identifier(ident: Identifier): TableIdentifier =
    new TableIdentifier(ident.name(), ident.namespace().headOption)
}

package io.hudilite.spark.catalog.metastore

import io.hudilite.spark.shim.{CatalogEntries, Sessions}
import io.hudilite.storage.Undo

import org.apache.hadoop.fs.Path
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.TableIdentifier
import org.apache.spark.sql.catalyst.analysis.{NoSuchDatabaseException, NoSuchTableException}
import org.apache.spark.sql.catalyst.catalog.{CatalogStatistics, CatalogTable, SessionCatalog}
import org.apache.spark.sql.connector.catalog.Identifier
import org.apache.spark.sql.types.StructType

/** Hudi tables in the session's own catalog, which is Spark's or that of a Hive metastore. */
final class Metastore(session: SparkSession) {

  private def catalog: SessionCatalog = CatalogEntries.catalog(session)

  /** The table of that name; `None` when there is none, or one of another format. */
  def find(ident: Identifier): Option[Registered] = entry(ident).flatMap(Registered.of)

  /** True when the name is taken by any table or view. */
  def exists(ident: Identifier): Boolean = entry(ident).isDefined

  private def entry(ident: Identifier): Option[CatalogTable] =
    if (ident.namespace().length > 1) None
    else try Some(catalog.getTableMetadata(identifier(ident)))
    catch { case _: NoSuchTableException | _: NoSuchDatabaseException => None }

  /** Hudi tables of a database. Raises `NoSuchDatabaseException`. */
  def list(database: Option[String]): Seq[Registered] = {
    val names = catalog.listTables(database.getOrElse(catalog.getCurrentDatabase), "*", includeLocalTempViews = false)
    catalog.getTablesByName(names).flatMap(Registered.of)
  }

  /** Path of a new table whose statement gives none: that of its name, or one beside it where the files lie of a table
    * that had the name before.
    */
  def newPath(ident: Identifier): String = {
    val ofName = new Path(catalog.defaultTablePath(qualified(ident)))
    val files = ofName.getFileSystem(Sessions.hadoopConf(session))
    if (!files.exists(ofName)) ofName.toString
    else {
      val taken =
        list(Some(databaseOf(ident))).filter(_.isManaged).map(t => files.makeQualified(new Path(t.path))).toSet
      def beside = Iterator.from(2).map(n => new Path(ofName.getParent, s"${ofName.getName}_$n"))
      if (!taken(files.makeQualified(ofName))) ofName.toString
      else beside.filterNot(path => taken(files.makeQualified(path)) || files.exists(path)).next().toString
    }
  }

  /** Path of a new table by the location of a statement: below the folder of its database, unless it is a whole path.
    */
  def pathOf(ident: Identifier, location: String): String = {
    val said = new Path(location)
    if (said.toUri.isAbsolute || said.isAbsolute) location
    else new Path(new Path(catalog.getDatabaseMetadata(databaseOf(ident)).locationUri), said).toString
  }

  /** True when Spark's catalog accepts the name. Spark itself would refuse it only after the table is written. */
  def takes(ident: Identifier): Boolean = ident.name().matches("\\w+")

  /** Raises Spark's error when there is no such database. */
  def requireDatabase(ident: Identifier): Unit = {
    qualified(ident).database.foreach(catalog.getDatabaseMetadata)
  }

  /** True when tables can be registered for Apache Hudi. In a Hive metastore Spark hides the columns of formats that
    * Hive lacks, and Hudi's writes fail because they compare them there. Without Hudi in the session its name means
    * hudilite, whose writes ask the table.
    */
  def takesHudi: Boolean =
    !Registered.isHudiHere || session.conf.get("spark.sql.catalogImplementation", "in-memory") != "hive"

  /** Registers an existing table. */
  def register(ident: Identifier, managed: Boolean, path: String, said: CatalogEntry, comment: Option[String]): Unit = {
    val plain = CatalogEntries.of(qualified(ident), managed, new Path(path).toUri, said.columns, said.provider,
      said.properties, comment)
    val entry = said.classes.fold(plain)(CatalogEntries.read(plain, said.partitions, _))
    catalog.createTable(entry, ignoreIfExists = false, validateLocation = false)
  }

  def describe(table: Registered, kept: Map[String, String], comment: Option[String]): Unit =
    catalog.alterTable(CatalogEntries.described(table.entry, kept, comment))

  /** Makes the catalog show the columns as they are. Neither `alterTable` can do this, which leaves those of a Hive
    * metastore alone, nor the session's catalog, which drops none.
    */
  def describe(table: Registered, columns: StructType): Unit = {
    val name = table.entry.identifier
    val ofData = columns.filterNot(f => table.entry.partitionColumnNames.exists(_.equalsIgnoreCase(f.name)))
    catalog.externalCatalog.alterTableDataSchema(name.database.getOrElse(catalog.getCurrentDatabase), name.table,
      StructType(ofData))
  }

  /** Keeps the statistics of ANALYZE TABLE for this state of the table. The mark comes last, and without it nobody
    * reads them.
    */
  def analyzed(table: Registered, state: String, found: CatalogStatistics): Unit = {
    catalog.alterTableStats(table.entry.identifier, Some(found))
    val now = catalog.getTableMetadata(table.entry.identifier)
    val marked = now.properties + (Registered.Analyzed -> Registered.mark(state, found))
    catalog.alterTable(CatalogEntries.described(now, marked, now.comment))
  }

  /** Takes the name out of the catalog, and removes the folder of a table whose place the catalog chose. */
  def drop(table: Registered, purge: Boolean): Unit =
    catalog.dropTable(table.entry.identifier, ignoreIfNotExists = false, purge)

  /** Gives the table another name. Its files stay where they are, perhaps written to meanwhile: a catalog moves those
    * that belong to it, so that they do not while it changes the name.
    */
  def rename(table: Registered, to: Identifier): Unit = {
    val (from, name) = (table.entry.identifier, qualified(to))
    if (!table.isManaged) catalog.renameTable(from, name)
    else {
      catalog.alterTable(CatalogEntries.managed(table.entry, managed = false))
      try catalog.renameTable(from, name)
      catch { case e: Throwable => throw Undo.after(e)(catalog.alterTable(table.entry)) }
      catalog.alterTable(CatalogEntries.managed(catalog.getTableMetadata(name), managed = true))
    }
  }

  private def qualified(ident: Identifier): TableIdentifier =
    TableIdentifier(ident.name(), Some(databaseOf(ident)))

  private def databaseOf(ident: Identifier): String = ident.namespace().headOption.getOrElse(catalog.getCurrentDatabase)

  private def identifier(ident: Identifier): TableIdentifier =
    new TableIdentifier(ident.name(), ident.namespace().headOption)
}

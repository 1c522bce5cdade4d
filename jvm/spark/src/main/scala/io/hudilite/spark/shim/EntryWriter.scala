package io.hudilite.spark.shim

import java.util.Locale

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.TableIdentifier
import org.apache.spark.sql.catalyst.catalog.{
  CatalogTable,
  ExternalCatalog,
  ExternalCatalogUtils,
  ExternalCatalogWithListener
}

/** A partition of an entry.
  *
  * @param values
  *   values of the partition columns, in their order
  */
final case class EntryPartition(columns: Seq[String], values: Seq[String], location: String) {

  def spec: Map[String, String] = columns.zip(values).toMap

  /** Its name in a metastore. */
  def name: String = EntryPartition.nameOf(columns, values)
}

object EntryPartition {

  private[shim] def nameOf(columns: Seq[String], values: Seq[String]): String = columns.zip(values).map {
    case (column, value) =>
      s"${column.toLowerCase(Locale.ROOT)}=${ExternalCatalogUtils.escapePathName(value)}"
  }.mkString("/")
}

/** Writes entries of tables, and their partitions, to the session's catalog by Spark's own methods.
  *
  * @param catalog
  *   keeps what is written
  */
class EntryWriter private[shim] (catalog: ExternalCatalog) {

  def find(name: TableIdentifier): Option[CatalogTable] = {
    val database = EntryWriter.databaseOf(name)
    if (catalog.databaseExists(database) && catalog.tableExists(database, name.table))
      Some(catalog.getTable(database, name.table))
    else None
  }

  def hasDatabase(name: String): Boolean = catalog.databaseExists(name)

  def create(entry: CatalogTable): Unit = catalog.createTable(entry, ignoreIfExists = false)

  /** Gives an entry these columns and properties.
    *
    * @param columns
    *   true when its columns are others now
    */
  def change(entry: CatalogTable, columns: Boolean): Unit = {
    if (columns) catalog.alterTableDataSchema(database(entry), entry.identifier.table, entry.dataSchema)
    catalog.alterTable(entry)
  }

  /** Names of those that the entry has. */
  def present(entry: CatalogTable, partitions: Seq[EntryPartition]): Set[String] = partitions.filter(p =>
    catalog.getPartitionOption(database(entry), entry.identifier.table, p.spec).isDefined).map(_.name).toSet

  /** All partitions of the entry, by their names, with their values. */
  def all(entry: CatalogTable): Map[String, Seq[String]] =
    catalog.listPartitions(database(entry), entry.identifier.table).map { found =>
      val values = entry.partitionColumnNames.map(column =>
        found.spec.collectFirst { case (name, value) if name.equalsIgnoreCase(column) => value }.getOrElse(""))
      EntryPartition.nameOf(entry.partitionColumnNames, values) -> values
    }.toMap

  def add(entry: CatalogTable, partitions: Seq[EntryPartition]): Unit =
    catalog.createPartitions(database(entry), entry.identifier.table,
      partitions.map(p => CatalogEntries.partition(entry, p.spec, p.location)), ignoreIfExists = true)

  /** Takes partitions out by their values; their files stay. */
  def drop(entry: CatalogTable, partitions: Seq[Seq[String]]): Unit =
    catalog.dropPartitions(database(entry), entry.identifier.table,
      partitions.map(values => entry.partitionColumnNames.zip(values).toMap), ignoreIfNotExists = true, purge = false,
      retainData = true)

  protected def database(entry: CatalogTable): String = EntryWriter.databaseOf(entry.identifier)
}

object EntryWriter {

  private[shim] def databaseOf(name: TableIdentifier): String = name.database.getOrElse("default")

  /** @param propertyLength
    *   letters of a property in a Hive metastore, at most
    */
  def of(session: SparkSession, propertyLength: Int): EntryWriter = {
    val catalog = CatalogEntries.catalog(session).externalCatalog
    val own = catalog match {
      case listener: ExternalCatalogWithListener => listener.unwrapped
      case other => other
    }
    HiveClient.of(own).fold(new EntryWriter(catalog))(client =>
      new HiveEntryWriter(catalog, client, session.sparkContext.sparkUser, session.version, propertyLength))
  }
}

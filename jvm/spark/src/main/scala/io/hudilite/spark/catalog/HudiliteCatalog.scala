package io.hudilite.spark.catalog

import io.hudilite.config.{ReadOptions, TableOptions, TableProperties, WriteConf}
import io.hudilite.error.InvalidInput
import io.hudilite.spark.read.TimeTravel
import io.hudilite.spark.shim.{Catalogs, Sessions}
import io.hudilite.spark.write.{NeededColumns, WriteTarget}
import io.hudilite.storage.{HadoopStorage, TableStorage}
import io.hudilite.table.{FileMemory, Table}

import java.util.{Map => JMap}

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.analysis.NoSuchTableException
import org.apache.spark.sql.connector.catalog.{Identifier, Table => SparkTable, TableCatalog, TableChange}
import org.apache.spark.sql.connector.expressions.Transform
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.util.CaseInsensitiveStringMap

import scala.collection.JavaConverters._

/** The catalog of tables named by their path: hudilite.`/data/trips`. It keeps nothing itself; a table is what lies at
  * its path.
  */
final class HudiliteCatalog extends TableCatalog {

  private var catalogName: String = HudiliteCatalog.Name // set once, by Spark, before anything else

  override def initialize(name: String, options: CaseInsensitiveStringMap): Unit = catalogName = name

  override def name(): String = catalogName

  override def listTables(namespace: Array[String]): Array[Identifier] = Array.empty

  override def loadTable(ident: Identifier): SparkTable = ident match {
    case p: PathIdentifier => HudiliteCatalog.table(p.path, p.options, dataFrame = true)
    case _ => existing(ident, Map.empty)
  }

  /** `VERSION AS OF`: an instant, or a text that the option `as.of.instant` takes. */
  override def loadTable(ident: Identifier, version: String): SparkTable =
    existing(ident, Map(ReadOptions.VersionAsOf.name -> version))

  /** `TIMESTAMP AS OF`, in microseconds since 1970 UTC. */
  override def loadTable(ident: Identifier, timestamp: Long): SparkTable =
    existing(ident, Map(ReadOptions.TimestampAsOf.name -> TimeTravel.ofMicros(timestamp)))

  private def existing(ident: Identifier, options: Map[String, String]): HudiliteTable = {
    val found = HudiliteCatalog.table(pathOf(ident), options, dataFrame = false)
    if (found.table.isEmpty) throw new NoSuchTableException(ident)
    found
  }

  override def tableExists(ident: Identifier): Boolean =
    HudiliteCatalog.table(pathOf(ident), Map.empty, dataFrame = false).table.isDefined

  /** With record key fields among the properties the table is created at once; without them (a DataFrame saved with the
    * mode errorifexists or ignore) the write that follows creates it from its own options.
    */
  override def createTable(ident: Identifier, schema: StructType, partitions: Array[Transform],
      properties: JMap[String, String]): SparkTable = {
    val asked = CreatedTable.options(pathOf(ident), properties.asScala.toMap)
    if (partitions.nonEmpty) throw InvalidInput("OPTION_NOT_SUPPORTED", "option" -> "PARTITIONED BY",
      "value" -> partitions.mkString(", "), "reason" -> s"give ${TableOptions.PartitionPathFields.name} instead")
    val place = HudiliteCatalog.table(pathOf(ident), asked, dataFrame = true)
    place.request.writing // raises an error for options of reads
    if (TableOptions.RecordKeyFields.isSet(asked)) {
      val conf = WriteConf.of(place.request.own)
      val target = WriteTarget.of(place.basePath, place.storage, None, conf, schema, NeededColumns.All)
      TableProperties.create(place.storage, place.basePath, target.withSchemaDeclared.config)
      loadTable(ident)
    } else place
  }

  override def alterTable(ident: Identifier, changes: TableChange*): SparkTable =
    throw Refusal.Alter.of(pathOf(ident))

  /** Never deletes data: raises `InvalidInput` when there is a table. Spark also calls this when a CREATE TABLE AS SELECT
    * has failed, and adds what is raised here to the error of the write, which has taken back what it wrote.
    */
  override def dropTable(ident: Identifier): Boolean =
    if (tableExists(ident)) throw Refusal.Drop.of(pathOf(ident)) else false

  override def renameTable(from: Identifier, to: Identifier): Unit = throw Refusal.Rename.of(pathOf(from))

  override def invalidateTable(ident: Identifier): Unit = HudiliteCatalog.forget(pathOf(ident))

  private[catalog] def pathOf(ident: Identifier): String = (ident.namespace() :+ ident.name()).mkString("/")
}

object HudiliteCatalog {

  val Name = "hudilite"

  private val Setting = s"spark.sql.catalog.$Name"

  /** Makes hudilite.`/path` known to the session, unless the user configured a catalog of that name. */
  def register(session: SparkSession): Unit =
    if (session.conf.getOption(Setting).isEmpty) session.conf.set(Setting, classOf[HudiliteCatalog].getName)

  /** Loads the catalog into the session, unless the name is another catalog's. The session's analyzer must be there. */
  def load(session: SparkSession): Unit =
    if (session.conf.getOption(Setting).contains(classOf[HudiliteCatalog].getName))
      Catalogs.load(session, Name)

  /** The table at a path, or its place when there is none; raises `InvalidInput` for an option that nobody knows. */
  def table(path: String, options: Map[String, String], dataFrame: Boolean): HudiliteTable = {
    val request = RequestOptions.of(options)
    val conf = Sessions.hadoopConf(SparkSession.active)
    val basePath = qualified(path, conf)
    val storage = TableStorage.of(new HadoopStorage(conf), basePath)
    HudiliteTable(basePath, storage, Table.find(storage, basePath), request, dataFrame)
  }

  /** Forgets what is known of the files of the table at a path. */
  def forget(path: String): Unit = {
    val conf = Sessions.hadoopConf(SparkSession.active)
    FileMemory.forget(new HadoopStorage(conf).cacheScope, qualified(path, conf))
  }

  private def qualified(path: String, conf: Configuration): String = {
    val p = new Path(path)
    p.getFileSystem(conf).makeQualified(p).toString
  }
}

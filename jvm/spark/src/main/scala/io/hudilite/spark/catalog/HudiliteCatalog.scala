package io.hudilite.spark.catalog

import io.hudilite.config.{Options, ReadOptions}
import io.hudilite.error.InvalidInput
import io.hudilite.spark.catalog.metastore.Registered
import io.hudilite.spark.inspect.InspectTable
import io.hudilite.spark.procedure.ProcedureNames
import io.hudilite.spark.scan.plan.TimeTravel
import io.hudilite.spark.shim.{Catalogs, Sessions}
import io.hudilite.storage.{HadoopStorage, TableStorage}
import io.hudilite.table.{FileMemory, Table}

import java.util.{Map => JMap, Set => JSet}

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.analysis.NoSuchTableException
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.connector.catalog.{Identifier, Table => SparkTable, TableCatalogCapability, TableChange}
import org.apache.spark.sql.connector.expressions.Transform
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.util.CaseInsensitiveStringMap

import scala.collection.JavaConverters._

/** The catalog of tables named by their path, such as hudilite.`/data/trips`. It keeps nothing itself: the files at the
  * path are the table, and `hudilite.db.trips` is the Hudi table that the session's own catalog registers under that
  * name, whichever engine did so.
  */
final class HudiliteCatalog extends StatementCatalog with ProcedureNames {

  private var catalogName: String = HudiliteCatalog.Name // set once by Spark, before any other call

  // Spark calls the methods of a catalog without the session that asks.
  private def session: SparkSession = SparkSession.active

  private def names: NamedTables = new NamedTables(session)

  override def initialize(name: String, options: CaseInsensitiveStringMap): Unit = catalogName = name

  override def name(): String = catalogName

  // Entries of names keep default values.
  override def capabilities(): JSet[TableCatalogCapability] = Set(
    TableCatalogCapability.SUPPORT_COLUMN_DEFAULT_VALUE).asJava

  override def listTables(namespace: Array[String]): Array[Identifier] =
    if (namespace.length == 1) names.list(namespace.headOption).toArray else Array.empty

  override def loadTable(ident: Identifier): SparkTable = metadataTable(ident).getOrElse(existing(ident, Map.empty))

  /** Table for `VERSION AS OF`, with an instant or any text that the option `as.of.instant` takes. */
  override def loadTable(ident: Identifier, version: String): SparkTable =
    existing(ident, Map(ReadOptions.VersionAsOf.name -> version))

  /** Table for `TIMESTAMP AS OF`, in microseconds since 1970 UTC. */
  override def loadTable(ident: Identifier, timestamp: Long): SparkTable =
    existing(ident, Map(ReadOptions.TimestampAsOf.name -> TimeTravel.ofMicros(timestamp)))

  private def existing(ident: Identifier, options: Map[String, String]): HudiliteTable =
    found(ident, options, dataFrame = false).getOrElse {
      NamedMetadata.refuse(ident, tableOf)
      throw missing(NamedMetadata.parentOf(ident))
    }

  // Error for a missing table. The analyzer hides Spark's own error, since it goes on to look for a plain file with
  // that path. All other callers, such as `saveAsTable`, rely on Spark's error.
  private def missing(ident: Identifier): Throwable =
    notFound(ident).filter(_ => Catalogs.areAskedByAnalyzer).getOrElse(new NoSuchTableException(ident))

  private def found(ident: Identifier, options: Map[String, String], dataFrame: Boolean): Option[HudiliteTable] =
    if (isName(ident)) names.find(ident).map(names.load(_, options, dataFrame))
    else Some(HudiliteCatalog.table(session, pathOf(ident), options, dataFrame).ofStatement).filter(_.table.isDefined)

  override def present(ident: Identifier, dataFrame: Boolean): Option[HudiliteTable] =
    found(ident, Map.empty, dataFrame)

  override def newPlace(ident: Identifier, location: Option[String], options: Map[String, String]): HudiliteTable =
    if (isName(ident)) names.newPlace(ident, location, options)
    else HudiliteCatalog.table(session, pathOf(ident), options, dataFrame = true).ofStatement

  override def isPath(ident: Identifier): Boolean = !isName(ident)

  override def notFound(ident: Identifier): Option[InvalidInput] =
    if (isPath(ident))
      Some(InvalidInput("TABLE_NOT_FOUND", "path" -> HudiliteCatalog.qualified(session, pathOf(ident))))
    else None

  override def creates(ident: Identifier, provider: Option[String]): Boolean = true

  private[catalog] override def metadataTable(ident: Identifier): Option[InspectTable] =
    NamedMetadata.find(session, ident, tableOf)

  private def tableOf(ident: Identifier): Option[Table] =
    present(ident, dataFrame = false).flatMap(_.table)

  override def tableExists(ident: Identifier): Boolean =
    (if (isName(ident)) names.find(ident).isDefined else tableOf(ident).isDefined) ||
      metadataTable(ident).isDefined

  /** Creates the table at once, unless rows of a query follow, whose write creates it with its own options. */
  override def createTable(ident: Identifier, schema: StructType, partitions: Array[Transform],
      properties: JMap[String, String]): SparkTable = {
    val asked = CreateRequest.of(partitions, properties)
    if (isName(ident)) names.create(ident, schema, asked)
    else {
      if (!hasFolders(ident)) throw UnsupportedStatement.NoPath(ident.name).of(pathOf(ident))
      asked.checkAgainst(pathOf(ident))
      Options.check(asked.own) // a path has no entry that keeps them
      val place = HudiliteCatalog.table(session, pathOf(ident), asked.ofNewTable.options, dataFrame = true).ofStatement
      place.request.writing // raises an error for options of reads
      if (asked.byWrite) place
      else {
        ColumnRules.refuse(schema)
        EmptyTable.create(place, ColumnRules.stored(place.name(), asked.ordered(place.name(), schema)))
        loadTable(ident)
      }
    }
  }

  override def alterTable(ident: Identifier, changes: TableChange*): SparkTable = {
    named(ident) match {
      case Some(table) => names.alter(table, changes)
      case None =>
        val columns = ColumnStatements.among(changes)
        if (columns.size < changes.size) throw UnsupportedStatement.Alter.of(pathOf(ident))
        present(ident, dataFrame = false).foreach(ColumnStatements.run(_, columns))
    }
    loadTable(ident)
  }

  /** Deletes no table that is named by its path: raises `InvalidInput` when there is one. */
  override def dropTable(ident: Identifier): Boolean = dropped(ident, purge = false)

  override def purgeTable(ident: Identifier): Boolean = dropped(ident, purge = true)

  private def dropped(ident: Identifier, purge: Boolean): Boolean =
    if (isName(ident)) named(ident).exists(names.drop(_, purge))
    else if (tableExists(ident)) throw UnsupportedStatement.Drop.of(pathOf(ident))
    else false

  override def renameTable(from: Identifier, to: Identifier): Unit =
    named(from).fold(throw UnsupportedStatement.Rename.of(pathOf(from)))(names.rename(_, to))

  override def invalidateTable(ident: Identifier): Unit =
    if (isName(ident)) named(ident).foreach(table => HudiliteCatalog.forget(session, table.path))
    else HudiliteCatalog.forget(session, pathOf(ident))

  private def named(ident: Identifier): Option[Registered] = if (isName(ident)) names.find(ident) else None

  // True for two parts without a slash, a database and a table, since no path is written so.
  private def isName(ident: Identifier): Boolean =
    ident.namespace().length == 1 && !hasFolders(ident)

  private def hasFolders(ident: Identifier): Boolean = (ident.namespace() :+ ident.name()).exists(_.contains('/'))

  private def pathOf(ident: Identifier): String =
    HudiliteCatalog.required(Some((ident.namespace() :+ ident.name()).mkString("/")))
}

object HudiliteCatalog {

  val Name = "hudilite"

  private val Setting = s"spark.sql.catalog.$Name"

  /** Registers hudilite.`/path` in the session, unless the user configured a catalog of that name. */
  def register(session: SparkSession): Unit =
    if (session.conf.getOption(Setting).isEmpty) session.conf.set(Setting, classOf[HudiliteCatalog].getName)

  /** Loads the catalog into the session, unless another catalog has the name. Needs the session's analyzer. */
  def load(session: SparkSession): Unit =
    if (session.conf.getOption(Setting).contains(classOf[HudiliteCatalog].getName))
      Catalogs.load(session, Name)

  /** The table at a path, or its place when there is none. Raises `InvalidInput` for an unknown option. */
  def table(session: SparkSession, path: String, options: Map[String, String], dataFrame: Boolean): HudiliteTable = {
    val request = RequestOptions.of(session, options)
    val conf = Sessions.hadoopConf(session)
    val basePath = qualified(path, conf)
    val storage = TableStorage.of(new HadoopStorage(conf), basePath)
    HudiliteTable(session, basePath, storage, Table.find(storage, basePath), request, dataFrame)
  }

  /** The table at the path among the options of a read. Raises `TABLE_NOT_FOUND` when there is none. */
  def existing(session: SparkSession, options: Map[String, String]): HudiliteTable = {
    val found = table(session, pathOf(options), options, dataFrame = false)
    if (found.table.isEmpty) throw InvalidInput("TABLE_NOT_FOUND", "path" -> found.basePath)
    found
  }

  /** The table of these options for a reader or writer that was given a schema. */
  def ofGivenSchema(options: Map[String, String]): SparkTable = new TableOfGivenSchema(pathOf(options))

  /** The path among the options of a read or write. */
  private[catalog] def pathOf(options: Map[String, String]): String = {
    def option(name: String): Option[String] = options.collectFirst {
      case (key, text) if key.equalsIgnoreCase(name) =>
        text
    }
    option("paths").foreach(given =>
      throw InvalidInput("INVALID_OPTION_VALUE", "option" -> "paths", "value" -> given,
        "reason" -> "a read has one table; load each of several tables, and join or union them"))
    required(option("path").map(_.trim))
  }

  private def required(path: Option[String]): String = path.filter(_.nonEmpty).getOrElse(
    throw InvalidInput("MISSING_OPTION", "option" -> "path", "reason" -> "the table lies at this path"))

  /** Forgets the listed files of the table at a path. */
  def forget(session: SparkSession, path: String): Unit = {
    val conf = Sessions.hadoopConf(session)
    FileMemory.forget(new HadoopStorage(conf), qualified(path, conf))
  }

  /** The path in the spelling of tables. */
  private[catalog] def qualified(session: SparkSession, path: String): String =
    qualified(path, Sessions.hadoopConf(session))

  private def qualified(path: String, conf: Configuration): String = {
    val p = new Path(path)
    p.getFileSystem(conf).makeQualified(p).toString
  }
}

/** Loads the catalog of paths with the first statement of a session. From then on the session keeps it, even after
  * RESET removes the setting that names it.
  */
final case class PathCatalogRule(session: SparkSession) extends Rule[LogicalPlan] {

  private lazy val loaded: Unit = HudiliteCatalog.load(session)

  override def apply(plan: LogicalPlan): LogicalPlan = {
    loaded
    plan
  }
}

package io.hudilite.spark.catalog.metastore

import io.hudilite.config.{Options, QueryType, ReadOptions}
import io.hudilite.error.InvalidInput

import java.nio.charset.StandardCharsets.UTF_8
import java.security.MessageDigest
import java.util.Locale

import org.apache.hadoop.fs.Path
import org.apache.spark.sql.catalyst.catalog.{CatalogStatistics, CatalogTable, CatalogTableType}
import org.apache.spark.sql.connector.catalog.TableCatalog

/** A Hudi table as the session's catalog registers it, by hudilite or by Apache Hudi.
  *
  * @param hasRules
  *   its columns say what rows must be like
  */
final case class Registered private (entry: CatalogTable, provider: String, hasRules: Boolean) {

  def database: Option[String] = entry.identifier.database

  def name: String = (database.toSeq :+ entry.identifier.table).mkString(".")

  /** Path of the table. */
  def path: String = new Path(entry.location).toString

  /** True when the session's catalog chose the place, and removes it with the table. */
  def isManaged: Boolean = entry.tableType == CatalogTableType.MANAGED

  /** True when the entry has the shape that Apache Hudi's own catalog gives it. */
  def byHudi: Boolean = provider == Registered.Hudi && !entry.properties.contains(Registered.Alone)

  /** Options of each write by this name. Apache Hudi registers facts of the table and settings of its own writers. Of
    * the latter only those are heeded without which a write could not find its file group.
    */
  def kept: Map[String, String] =
    if (byHudi) TableProperty.ofSimpleBuckets(entry.storage.properties ++ entry.properties)
    else TableProperty.kept(entry.properties)

  /** Properties of a user's own. Catalogs have some of theirs among the properties of an entry. */
  def own: Map[String, String] =
    if (byHudi) Map.empty
    else entry.properties.filter { case (name, _) =>
      !Registered.OfCatalogs(name) && !name.startsWith("spark.") && Options.isOfOthers(name)
    }

  /** Options of each read. Apache Hudi's sync registers a merge-on-read table twice, once without its log files. */
  def reads: Map[String, String] =
    if (entry.storage.properties.get(Registered.ReadOptimized).exists(_.trim == "true"))
      Map(ReadOptions.QueryType.name -> QueryType.ReadOptimized.name)
    else Map.empty

  /** Statistics of ANALYZE TABLE; `None` when they are of another state. */
  def statistics(state: => String): Option[CatalogStatistics] = for {
    mark <- entry.properties.get(Registered.Analyzed)
    found <- entry.stats if mark == Registered.mark(state, found)
  } yield found

  /** Properties of the entry, as Spark shows them. */
  def properties: Map[String, String] = kept ++ own ++ entry.comment.map(TableCatalog.PROP_COMMENT -> _) ++
    Option(entry.owner).filter(_.nonEmpty).map(TableCatalog.PROP_OWNER -> _) +
    (if (isManaged) TableCatalog.PROP_IS_MANAGED_LOCATION -> "true" else TableCatalog.PROP_EXTERNAL -> "true")
}

object Registered {

  val Hudilite = "hudilite"
  val Hudi = "hudi"

  /** Class by which a statement names Hudi where Hudi's own classes may be missing. */
  val HudiName = "hudi.DefaultSource"

  /** True where Apache Hudi's own classes are on the class path. */
  lazy val isHudiHere: Boolean =
    Thread.currentThread.getContextClassLoader.getResource("org/apache/hudi/common/table/HoodieTableConfig.class") !=
      null

  /** Raises `InvalidInput` where classes of hudilite's that bear names of Apache Hudi's would stand in the way of these. */
  def requireNoHudi(): Unit = if (isHudiHere)
    throw InvalidInput("OPTION_NOT_SUPPORTED", "option" -> "spark.jars", "value" -> "hudilite-hudi",
      "reason" -> "Apache Hudi's own jar is on the class path, too, and keeps its names; leave one of the two jars out")

  private val OfCatalogs: Set[String] = Set("provider", "path", "type", "owner", "comment", "EXTERNAL",
    "TRANSLATED_TO_EXTERNAL", "transient_lastDdlTime", "last_modified_by", "last_modified_time", "bucketing_version",
    "numFiles", "numRows", "rawDataSize", "totalSize", "numFilesErasureCoded", "numPartitions", "COLUMN_STATS_ACCURATE")

  /** A property of an entry that reads base files alone. */
  private[spark] val ReadOptimized = "hoodie.query.as.ro.table"

  /** Short names and class of the data source, in lower case. */
  private val Providers = Map(Hudilite -> Hudilite, "io.hudilite.spark.hudilitesource" -> Hudilite, Hudi -> Hudi,
    "org.apache.hudi" -> Hudi, "org.apache.hudi.defaultsource" -> Hudi, HudiName.toLowerCase(Locale.ROOT) -> Hudi)

  /** The table of an entry; `None` for a table of another format, and for a view. Raises no error. */
  def of(entry: CatalogTable): Option[Registered] =
    if (entry.tableType == CatalogTableType.VIEW || entry.storage.locationUri.isEmpty) None
    else entry.provider.flatMap(providerOf).map(Registered(entry, _, hasRules = true))

  def providerOf(name: String): Option[String] = Providers.get(name.toLowerCase(Locale.ROOT))

  /** A property of an entry `USING hudi` that was made where Hudi itself was not there, in the shape of hudilite's own. */
  val Alone = "hudilite.alone"

  /** A property of the table's entry: which state of the table the statistics are of that the catalog keeps. They know no
    * states, and other engines and `ANALYZE TABLES` may put their own in the place of ours.
    */
  private[metastore] val Analyzed = "hudilite.analyzed"

  /** Tells these statistics of this state from all others. */
  private[metastore] def mark(state: String, found: CatalogStatistics): String = {
    val columns = found.colStats.toSeq.sortBy(_._1).flatMap { case (name, of) => of.toMap(name).toSeq.sorted }
    val text = (Seq(state, found.sizeInBytes, found.rowCount) ++ columns).mkString("\n")
    MessageDigest.getInstance("SHA-256").digest(text.getBytes(UTF_8)).map(byte => f"$byte%02x").mkString
  }
}

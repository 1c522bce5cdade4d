package io.hudilite.sync

import io.hudilite.config.key.ConfigKey
import io.hudilite.error.InvalidInput

import java.util.Locale

/** Names of a table in the session's catalog, as a write is to keep them up.
  *
  * @param uris
  *   the metastore that is meant; `None` = the session's
  * @param raises
  *   true when the write ends with an error where it cannot do so
  * @param fields
  *   partition columns of the names; `None` = those of the table
  * @param extractor
  *   how values are taken from a path; `None` = as the columns are
  * @param decodes
  *   true when `%XX` in a path stands for a character; `None` = as the table writes them
  * @param strategy
  *   names of a merge-on-read table: ALL, RO or RT
  * @param schemaLength
  *   letters of a property in a Hive metastore, at most
  * @param batch
  *   partitions that are sent at once
  * @param onlyOnChange
  *   true when the last commit is noted only where something else has changed
  */
final case class SyncConf(uris: Option[String], database: Option[String], table: Option[String],
    createsDatabase: Boolean, raises: Boolean, fields: Option[Seq[String]], extractor: Option[Extractor],
    decodes: Option[Boolean], skipsSuffix: Boolean, strategy: String, snapshotByName: Boolean, comments: Boolean,
    omitsMeta: Boolean, properties: Map[String, String], serde: Map[String, String], schemaLength: Int, batch: Int,
    incremental: Boolean, onlyOnChange: Boolean)

object SyncConf {

  import SyncOptions._

  private val Tool = "org.apache.hudi.hive.HiveSyncTool"

  /** `None` when no names are to be kept up. Raises `InvalidInput` for what the session's catalog does not do. */
  def of(said: Map[String, String]): Option[SyncConf] =
    if (!Hive(said) && !Meta(said)) None else Some(asked(said))

  private def asked(said: Map[String, String]): SyncConf = {
    checkWay(said)
    fixed.foreach { case (key, value, reason) =>
      key.get(said).filterNot(_.trim.equalsIgnoreCase(value)).foreach(refuse(key, _, reason))
    }
    SyncConf(text(Uris, said), text(Database, said), text(Table, said), CreatesDatabase(said),
      IgnoresErrors.get(said).contains(false), PartitionFields.get(said).filter(_.nonEmpty),
      text(ExtractorClass, said).map(named), Decodes.get(said), SkipsSuffix(said), Strategy(said),
      SnapshotByName(said), Comments(said), OmitsMeta(said), lines(TableProperties, said),
      lines(SerdeProperties, said), SchemaLength(said), Batch(said), Incremental(said), OnChange(said))
  }

  private def text(key: ConfigKey[String], said: Map[String, String]): Option[String] =
    key.get(said).map(_.trim).filter(_.nonEmpty)

  private val Instead =
    "the session's catalog is kept up, as the mode hms would; set that mode, and have the session " +
      "use the metastore"

  private def checkWay(said: Map[String, String]): Unit = {
    val mode = text(Mode, said)
    mode.filterNot(_.equalsIgnoreCase("hms")).foreach(refuse(Mode, _, Instead))
    if (mode.isEmpty) {
      text(UsesJdbc, said).filter(_.equalsIgnoreCase("true")).foreach(refuse(UsesJdbc, _, Instead))
      text(JdbcUrl, said).foreach(refuse(JdbcUrl, _, Instead))
    }
    if (Meta(said)) Tools.get(said).getOrElse(Nil).filterNot(_ == Tool).foreach(refuse(Tools, _,
        s"only the session's catalog is kept up, for which $Tool stands, and which may be Glue's"))
  }

  private def named(name: String): Extractor = Extractor.of(name).getOrElse(
    refuse(ExtractorClass, name, s"known are ${Extractor.all.map(_.name).mkString(", ")}"))

  private def refuse(key: ConfigKey[_], value: String, reason: String): Nothing =
    throw InvalidInput("OPTION_NOT_SUPPORTED", "option" -> key.name, "value" -> value, "reason" -> reason)

  private def lines(key: ConfigKey[String], said: Map[String, String]): Map[String, String] =
    key(said).split('\n').map(_.trim).filter(_.nonEmpty).map(line =>
      line.split("=", 2) match {
        case Array(name, value) if name.trim.nonEmpty => name.trim -> value.trim
        case _ => throw InvalidInput.option(key.name, line, "a line must be of the form key=value")
      }).toMap
}

/** How the values of partition columns are taken from the path of a partition.
  *
  * @param name
  *   name of Hudi's class, without its package
  * @param columns
  *   number of columns that it has values for; `None` = one for each folder
  */
sealed abstract class Extractor(val name: String, val columns: Option[Int]) extends Serializable {

  /** The values; `None` for a path of another form. */
  def values(path: String): Option[Seq[String]]

  // Hudi takes folders with and without the name of their column.
  protected def plain(level: String): String = level.substring(level.indexOf('=') + 1)

  protected def slashed(path: String, levels: Int): Option[Seq[String]] =
    Some(path.split("/", -1).toSeq.map(plain)).filter(_.size == levels).map(parts => Seq(parts.mkString("-")))
}

object Extractor {

  case object Unpartitioned extends Extractor("NonPartitionedExtractor", Some(0)) {
    override def values(path: String): Option[Seq[String]] = Some(Nil)
  }
  case object Whole extends Extractor("SinglePartPartitionValueExtractor", Some(1)) {
    override def values(path: String): Option[Seq[String]] = Some(Seq(path))
  }
  case object HiveStyle extends Extractor("HiveStylePartitionValueExtractor", Some(1)) {
    override def values(path: String): Option[Seq[String]] =
      if (path.indexOf('=') > 0) Some(Seq(plain(path))) else None
  }
  case object Levels extends Extractor("MultiPartKeysValueExtractor", None) {
    override def values(path: String): Option[Seq[String]] =
      if (path.isEmpty) Some(Nil) else Some(path.split("/", -1).toSeq.map(plain))
  }
  case object Day extends Extractor("SlashEncodedDayPartitionValueExtractor", Some(1)) {
    override def values(path: String): Option[Seq[String]] = slashed(path, levels = 3)
  }
  case object Hour extends Extractor("SlashEncodedHourPartitionValueExtractor", Some(1)) {
    override def values(path: String): Option[Seq[String]] = slashed(path, levels = 4)
  }

  val all: Seq[Extractor] = Seq(Unpartitioned, Whole, HiveStyle, Levels, Day, Hour)

  /** The extractor by the name of Hudi's class, of any package. */
  def of(className: String): Option[Extractor] = {
    val simple = className.trim.toLowerCase(Locale.ROOT)
    all.find(known =>
      simple == known.name.toLowerCase(Locale.ROOT) || simple.endsWith(s".${known.name.toLowerCase(
          Locale.ROOT)}"))
  }

  /** The extractor that Hudi takes for so many columns. */
  def fitting(columns: Int, hiveStyle: Boolean): Extractor = columns match {
    case 0 => Unpartitioned
    case 1 => if (hiveStyle) HiveStyle else Whole
    case _ => Levels
  }
}

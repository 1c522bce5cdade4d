package io.hudilite.spark.scan.plan

import io.hudilite.config.{KeyGeneratorType, TableConfig, TableKeys}
import io.hudilite.filegroup.Partitions
import io.hudilite.record.{FolderValues, KeyEncoding}
import io.hudilite.spark.basefile.read.PossibleValues
import io.hudilite.spark.row.{FieldTypes, PathText}

import java.util.Locale

import org.apache.spark.sql.types._
import org.apache.spark.unsafe.types.UTF8String

/** Reads values of columns back from partition paths, and spells the paths of values: pure.
  *
  * A path holds the spelling of the values, so only columns whose spelling can be read back count; every other column may
  * have any value. Times are formatted by the table's own rule and are never read back.
  *
  * @param typesKept
  *   the partition columns always had their types, so that all paths are spelled alike
  * @param withFields
  *   fields of structs count, too
  */
private[scan] final class PartitionLevels(config: TableConfig, schema: StructType, typesKept: Boolean,
    withFields: Boolean = true) {

  import PartitionLevels._

  private val dropped = config.droppedColumns.toSet

  // Folders that were there before Hudi came have Spark's name and Hive's for null, and any other for its text.
  private val defaults: Set[String] = if (config.isBootstrapped) Set(KeyEncoding.DefaultPartition) else Defaults

  private val columns: IndexedSeq[PartitionColumn] = config.partitionItems.map { item =>
    val name = item.takeWhile(_ != ':')
    val path = name.split('.').toList
    val told = dropped(name) || (!isFormatted(item) && typesKept && (withFields || path.size == 1))
    val dataType = if (told) FieldTypes.at(schema, path) else None
    PartitionColumn(name, path, dataType.filter(PathText.tells))
  }.toIndexedSeq

  // Below version 8 Hudi keeps no types of a custom key generator in the table.
  private def isFormatted(item: String): Boolean = config.knownKeyGenerator match {
    case _ if config.properties.get(TableKeys.SlashSeparatedDates).exists(_.equalsIgnoreCase("true")) => true
    case None | Some(KeyGeneratorType.Timestamp) => true
    case Some(KeyGeneratorType.Custom) => !item.toUpperCase(Locale.ROOT).endsWith(":SIMPLE")
    case _ => false
  }

  /** Columns that can be read back, as paths of names. */
  val readable: Set[Seq[String]] = columns.filter(_.dataType.isDefined).map(_.path: Seq[String]).toSet

  /** Possible values of each partition column in this partition. */
  def ofPartition(partition: String): Map[Seq[String], PossibleValues] =
    if (dropped.isEmpty) ofLevels(partition) else onlyThere(partition)

  // A partition without a level for each column can have what the folders on the way to it can lead to.
  private def onlyThere(partition: String): Map[Seq[String], PossibleValues] =
    FolderValues.of(partition, columns.map(_.name)).fold(ofFolder(partition))(texts =>
      columns.zip(texts).flatMap { case (column, text) => ofText(column, text) }.toMap)

  private def ofText(column: PartitionColumn, text: Option[String]): Option[(Seq[String], PossibleValues)] = for {
    dataType <- column.dataType
    value <- text.fold[Option[Any]](Some(null))(PathText.read(_, dataType))
  } yield column.path -> PossibleValues.OneOfThese(Seq(value))

  private def ofLevels(partition: String): Map[Seq[String], PossibleValues] = {
    val levels = if (columns.size == 1) Array(partition) else partition.split("/", -1)
    if (columns.isEmpty || levels.length != columns.size) Map.empty
    else columns.zip(levels).flatMap { case (column, level) => valueOf(column, level) }.toMap
  }

  /** Possible values of them in a partition whose path begins with this folder.
    *
    * A text that is not encoded may have slashes in it: then the folder may be the beginning of one value, and nothing can
    * be told of the columns behind it.
    */
  def ofFolder(folder: String): Map[Seq[String], PossibleValues] = {
    val levels = folder.split("/", -1)
    val told = columns.zip(levels).takeWhile { case (column, _) => fillsOneLevel(column) }
    val values = told.flatMap { case (column, level) => valueOf(column, level) }
    val begun = columns.zip(levels).drop(told.size).headOption.flatMap { case (column, level) =>
      beginningOf(column, if (columns.size == 1) folder else level)
    }
    (values ++ begun).toMap
  }

  private def fillsOneLevel(column: PartitionColumn): Boolean =
    column.dataType.exists(_ != StringType || config.urlEncode)

  private def valueOf(column: PartitionColumn, level: String): Option[(Seq[String], PossibleValues)] =
    if (dropped(column.name)) ofText(column, FolderValues.ofLevel(level))
    else
      for {
        dataType <- column.dataType
        text <- levelText(column, level)
        values <- read(text, dataType)
      } yield column.path -> PossibleValues.OneOfThese(values)

  private def beginningOf(column: PartitionColumn, level: String): Option[(Seq[String], PossibleValues)] = for {
    _ <- column.dataType
    text <- if (dropped(column.name)) Some(level.stripPrefix(s"${column.name}=")) else levelText(column, level)
    if !defaults(text) && (dropped.isEmpty || FolderValues.isPlain(column.name, level))
  } yield column.path -> PossibleValues.TextFrom(UTF8String.fromString(text))

  private def levelText(column: PartitionColumn, level: String): Option[String] =
    if (config.isBootstrapped) Some(ofAnyStyle(column, level)) else ofTable(column, level)

  /** A bootstrap keeps the names of folders as they were, which Spark and Hive begin with the column and encode. */
  private def ofAnyStyle(column: PartitionColumn, level: String): String = {
    val prefix = s"${column.name}="
    if (level.startsWith(prefix)) KeyEncoding.unescape(level.drop(prefix.length))
    else if (config.urlEncode) KeyEncoding.unescape(level)
    else level
  }

  private def ofTable(column: PartitionColumn, level: String): Option[String] = {
    val prefix = s"${column.name}="
    val text =
      if (!config.hiveStyle) Some(level) else if (level.startsWith(prefix)) Some(level.drop(prefix.length)) else None
    text.map(t => if (config.urlEncode) KeyEncoding.unescape(t) else t)
  }

  /** Every path that a partition with these values can have; `None` when that is not certain, or they are too many. Only a
    * text is sure to be its own spelling: numbers and days are looked for, since other engines may spell them otherwise.
    *
    * @param values
    *   by column the values that it must have one of
    */
  def spelled(values: Map[Seq[String], Seq[Any]]): Option[Seq[String]] =
    if (config.isBootstrapped) None else spelledByTable(values)

  private def spelledByTable(values: Map[Seq[String], Seq[Any]]): Option[Seq[String]] = {
    val levels = allOf(columns.map { column =>
      for (wanted <- values.get(column.path); names <- allOf(wanted.map(spell(column, _)))) yield names.flatten.distinct
    })
    levels.filter(l => l.nonEmpty && l.map(_.size.toLong).product <= MostPaths).map(_.reduce { (paths, names) =>
      for (path <- paths; name <- names) yield s"$path/$name"
    })
  }

  /** Filters compare with this text only what a path can tell from it: where texts are not encoded, one with an empty level
    * leads to the folder of another.
    */
  def isCertain(text: UTF8String): Boolean = config.urlEncode || Partitions.mayBe(text.toString)

  private def spell(column: PartitionColumn, value: Any): Option[Seq[String]] = {
    val texts = value match {
      case _ if !column.dataType.contains(StringType) || dropped.nonEmpty => None
      case text: UTF8String if text.numBytes == 0 => Some(Defaults.toSeq)
      case text: UTF8String if config.urlEncode => Some(Seq(encoded(text.toString)))
      case text: UTF8String => Some(Seq(text.toString)).filter(_ => Partitions.mayBe(text.toString))
      case _ => None
    }
    texts.map(_.map(text => if (config.hiveStyle) s"${column.name}=$text" else text))
  }

  private def encoded(text: String): String = if (Defaults(text)) text else KeyEncoding.escape(text)

  /** The values whose spelling is `text`; `null` is one of those behind the default partition. */
  private def read(text: String, dataType: DataType): Option[Seq[Any]] =
    if (defaults(text))
      Some(if (dataType == StringType) Seq(null, UTF8String.EMPTY_UTF8, UTF8String.fromString(text)) else Seq(null))
    else PathText.read(text, dataType).map(Seq(_))
}

private[scan] final case class PartitionColumn(name: String, path: List[String], dataType: Option[DataType])

private[scan] object PartitionLevels {

  /** More paths than this are rather looked for than asked for one by one. */
  private val MostPaths = 1000L

  /** Partitions of rows whose text is null or empty, today's and that of Hudi before 0.12; either can be a value, too. */
  private val Defaults = Set(KeyEncoding.DefaultPartition, "default")

  private def allOf[T](items: Seq[Option[T]]): Option[Seq[T]] =
    if (items.forall(_.isDefined)) Some(items.flatten) else None
}

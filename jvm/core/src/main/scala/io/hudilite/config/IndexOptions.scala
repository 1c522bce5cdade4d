package io.hudilite.config

import io.hudilite.config.key.ConfigKey
import io.hudilite.error.InvalidInput

/** Options of the indexes in metadata tables. */
object IndexOptions {

  private val Upkeep = "Without it, those that are there are kept up; false removes them."

  val ColumnStats: ConfigKey[Boolean] = ConfigKey.flag("hoodie.metadata.index.column.stats.enable", default = false,
    s"In a write: make statistics of columns in the metadata table, where it has none. $Upkeep")

  val Columns: ConfigKey[Seq[String]] = ConfigKey.list("hoodie.metadata.index.column.stats.column.list",
    "The columns with statistics, with dots for nested ones; statistics of others are made anew.")

  val MostColumns: ConfigKey[Int] = ConfigKey.int("hoodie.metadata.index.column.stats.max.columns.to.index", 32,
    "Of the table's columns so many have statistics, the first ones, where no list names them.", 1, "columns")

  val ColumnGroups: ConfigKey[Int] = groups("column.stats", 2)

  val PartitionStats: ConfigKey[Boolean] = ConfigKey.flag("hoodie.metadata.index.partition.stats.enable",
    default = false,
    "In a write: make statistics of columns by partition, beside those by file; where these are made, both are unless it " +
      s"is false. $Upkeep")

  val PartitionGroups: ConfigKey[Int] = groups("partition.stats", 1)

  val BloomFilters: ConfigKey[Boolean] = ConfigKey.flag("hoodie.metadata.index.bloom.filter.enable", default = false,
    s"In a write: keep the bloom filters of base files in the metadata table, too. $Upkeep")

  val BloomGroups: ConfigKey[Int] = groups("bloom.filter", 4)

  private def groups(of: String, default: Int): ConfigKey[Int] = ConfigKey.int(
    s"hoodie.metadata.index.$of.file.group.count", default, "File groups of that partition of the metadata table.", 1,
    "file groups", max = 10000)

  val all: Seq[ConfigKey[_]] = Seq(ColumnStats, Columns, MostColumns, ColumnGroups, PartitionStats, PartitionGroups,
    BloomFilters, BloomGroups)

  def of(options: Map[String, String]): IndexesConf = {
    def when(key: ConfigKey[Boolean]): Option[Boolean] = if (key.isSet(options)) Some(key(options)) else None
    val conf = IndexesConf(when(ColumnStats), Columns.get(options).getOrElse(Nil), MostColumns(options),
      ColumnGroups(options), when(PartitionStats), PartitionGroups(options), when(BloomFilters), BloomGroups(options))
    if (ReadOptions.UsesMetadata.isSet(options) && !ReadOptions.UsesMetadata(options))
      conf.asked.headOption.foreach(name =>
        throw InvalidInput.option(name, "true",
          s"${ReadOptions.UsesMetadata.name} is false, so that there is no metadata table"))
    if (conf.partitionStats.contains(true) && conf.columnStats.contains(false))
      throw InvalidInput.option(PartitionStats.name, "true", s"${ColumnStats.name} is false, from which they come")
    conf
  }
}

/** Partitions of the metadata table that a write asks for beside `files`.
  *
  * @param columnStats
  *   true to make statistics of columns where there are none, false to remove them; one that is there is kept up otherwise,
  *   and so are the others
  * @param columns
  *   columns with statistics, with dots for nested ones; the first ones of the table where none are named
  * @param mostColumns
  *   number of columns where none are named
  * @param columnGroups
  *   file groups of the partition, where it is made
  */
final case class IndexesConf(
    columnStats: Option[Boolean] = None, columns: Seq[String] = Nil, mostColumns: Int = 32, columnGroups: Int = 2,
    partitionStats: Option[Boolean] = None, partitionGroups: Int = 1,
    bloomFilters: Option[Boolean] = None, bloomGroups: Int = 4) {

  /** Options that ask for a partition, by their names. */
  def asked: Seq[String] = Seq(columnStats -> IndexOptions.ColumnStats, partitionStats -> IndexOptions.PartitionStats,
    bloomFilters -> IndexOptions.BloomFilters).collect { case (Some(true), key) => key.name }
}

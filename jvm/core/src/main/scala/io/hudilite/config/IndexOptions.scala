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

  val AsksForKeys: ConfigKey[Boolean] = ConfigKey.flag("hoodie.bloom.index.use.metadata", default = false,
    "Lookups and reads by key take ranges and bloom filters of record keys from the metadata table, where it has " +
      "column_stats and bloom_filters; of a file that it does not know the footer is asked.")

  private val OfKeys = "hoodie.metadata.global.record.level.index"
  private val OfKeysBefore = "hoodie.metadata.record.index"
  private val OfPartitionKeys = "hoodie.metadata.record.level.index"

  val Keys: ConfigKey[Boolean] = ConfigKey.flag(s"$OfKeys.enable", default = false,
    s"In a write: keep the place of each record key in the metadata table, of all partitions together. $Upkeep",
    alternatives = Seq(s"$OfKeysBefore.enable"))

  val PartitionKeys: ConfigKey[Boolean] = ConfigKey.flag(s"$OfPartitionKeys.enable", default = false,
    s"In a write: keep the place of each record key in the metadata table, partition by partition. $Upkeep")

  val LeastKeyGroups: ConfigKey[Int] = keyGroups(OfKeys, "min", "At least", 10, Seq(OfKeysBefore))
  val MostKeyGroups: ConfigKey[Int] = keyGroups(OfKeys, "max", "At most", 10000, Seq(OfKeysBefore))
  val LeastPartitionKeyGroups: ConfigKey[Int] =
    keyGroups(OfPartitionKeys, "min", "For each partition of the table at least", 1)
  val MostPartitionKeyGroups: ConfigKey[Int] =
    keyGroups(OfPartitionKeys, "max", "For each partition of the table at most", 10)

  val KeyGrowth: ConfigKey[Double] = ConfigKey.double(s"$OfKeysBefore.growth.factor", 2.0,
    "A record index is made for so many times the keys that there are, 22 million of them in a file group.",
    growth => growth >= 1 && growth <= 1000, "between 1 and 1000")

  private def keyGroups(of: String, bound: String, doc: String, default: Int, before: Seq[String] = Nil)
      : ConfigKey[Int] = ConfigKey.int(s"$of.$bound.filegroup.count", default,
    s"$doc so many file groups of the record index, where it is made.", 1, "file groups",
    before.map(name => s"$name.$bound.filegroup.count"), max = 10000)

  private def groups(of: String, default: Int): ConfigKey[Int] = ConfigKey.int(
    s"hoodie.metadata.index.$of.file.group.count", default, "File groups of that partition of the metadata table.", 1,
    "file groups", max = 10000)

  val all: Seq[ConfigKey[_]] = Seq(ColumnStats, Columns, MostColumns, ColumnGroups, PartitionStats, PartitionGroups,
    BloomFilters, BloomGroups, AsksForKeys, Keys, LeastKeyGroups, MostKeyGroups, PartitionKeys, LeastPartitionKeyGroups,
    MostPartitionKeyGroups, KeyGrowth)

  /** Lookups ask the metadata table, which the options leave there. */
  private[config] def asksForKeys(options: Map[String, String]): Boolean =
    AsksForKeys(options) && ReadOptions.UsesMetadata(options)

  def of(options: Map[String, String]): IndexesConf = {
    def when(key: ConfigKey[Boolean]): Option[Boolean] = if (key.isSet(options)) Some(key(options)) else None
    val conf = IndexesConf(when(ColumnStats), Columns.get(options).getOrElse(Nil), MostColumns(options),
      ColumnGroups(options), when(PartitionStats), PartitionGroups(options), when(BloomFilters), BloomGroups(options),
      KeyIndexConf(when(Keys), LeastKeyGroups(options), MostKeyGroups(options)),
      KeyIndexConf(when(PartitionKeys), LeastPartitionKeyGroups(options), MostPartitionKeyGroups(options)),
      KeyGrowth(options))
    if (ReadOptions.UsesMetadata.isSet(options) && !ReadOptions.UsesMetadata(options))
      conf.asked.headOption.foreach(name =>
        throw InvalidInput.option(name, "true",
          s"${ReadOptions.UsesMetadata.name} is false, so that there is no metadata table"))
    if (conf.partitionStats.contains(true) && conf.columnStats.contains(false))
      throw InvalidInput.option(PartitionStats.name, "true", s"${ColumnStats.name} is false, from which they come")
    if (conf.keys.isAsked && conf.partitionKeys.isAsked) throw InvalidInput.option(PartitionKeys.name, "true",
      s"${Keys.name} is true, and a table has one record index")
    Seq(conf.keys -> LeastKeyGroups, conf.partitionKeys -> LeastPartitionKeyGroups).foreach { case (asked, key) =>
      if (asked.isAsked && asked.least > asked.most) throw InvalidInput.option(key.name, asked.least.toString,
        s"it is more than ${asked.most}, the most of them")
    }
    conf
  }
}

/** A record index that a write asks for.
  *
  * @param isWanted
  *   true to make it where there is none, false to remove it; one that is there is kept up otherwise
  * @param least
  *   number of file groups, of each partition of the table where it is partitioned
  */
final case class KeyIndexConf(isWanted: Option[Boolean], least: Int, most: Int) {
  def isAsked: Boolean = isWanted.contains(true)
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
  * @param keyGrowth
  *   a record index is made for so many times its keys
  * @param columnGroups
  *   file groups of the partition, where it is made
  */
final case class IndexesConf(
    columnStats: Option[Boolean] = None, columns: Seq[String] = Nil, mostColumns: Int = 32, columnGroups: Int = 2,
    partitionStats: Option[Boolean] = None, partitionGroups: Int = 1,
    bloomFilters: Option[Boolean] = None, bloomGroups: Int = 4,
    keys: KeyIndexConf = KeyIndexConf(None, 10, 10000), partitionKeys: KeyIndexConf = KeyIndexConf(None, 1, 10),
    keyGrowth: Double = 2.0) {

  /** Options that ask for a partition, by their names. */
  def asked: Seq[String] = Seq(columnStats -> IndexOptions.ColumnStats, partitionStats -> IndexOptions.PartitionStats,
    bloomFilters -> IndexOptions.BloomFilters, keys.isWanted -> IndexOptions.Keys,
    partitionKeys.isWanted -> IndexOptions.PartitionKeys).collect { case (Some(true), key) => key.name }
}

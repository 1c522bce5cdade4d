package io.hudilite.upkeep

import io.hudilite.config.{IndexOptions, IndexesConf}
import io.hudilite.error.InvalidInput
import io.hudilite.filegroup.FileNames
import io.hudilite.metadata.{ExpressionIndex, IndexedColumns, MetadataPartition, SecondaryIndex}
import io.hudilite.metadata.MetadataPartition.{BloomFilters, ColumnStats, PartitionStats, RecordIndex}
import io.hudilite.table.Table

/** Partitions of a metadata table to be made beside `files`.
  *
  * @param groups
  *   number of file groups of each
  * @param columns
  *   columns with statistics
  * @param expressions
  *   those of the partitions that are indexes of expressions, which are defined by now
  * @param keys
  *   the record index
  * @param values
  *   secondary indexes
  */
private[hudilite] final case class IndexesToMake(groups: Map[MetadataPartition, Int], columns: Seq[String],
    expressions: Seq[ExpressionIndex] = Nil, keys: Option[KeysToMake] = None,
    values: Seq[ValuesToMake] = Nil) {

  def isEmpty: Boolean = groups.isEmpty && keys.isEmpty && values.isEmpty

  /** The partitions in the order in which Apache Hudi makes them. */
  def partitions: Seq[MetadataPartition] =
    (Seq(ColumnStats, BloomFilters, RecordIndex) ++ expressions.map(_.partition) ++ ofValues :+ PartitionStats)
      .filter(p => groups.contains(p) || (p == RecordIndex && keys.isDefined) || ofValues.contains(p))

  private def ofValues: Seq[MetadataPartition] = values.map(_.index.partition)
}

/** A record index to be made.
  *
  * @param least
  *   number of file groups, of each partition of the table where it is partitioned
  * @param growth
  *   it is made for so many times its keys
  */
private[hudilite] final case class KeysToMake(isPartitioned: Boolean, least: Int, most: Int, growth: Double)

/** A secondary index to be made, with its number of file groups as [[KeysToMake]] has it. */
private[hudilite] final case class ValuesToMake(index: SecondaryIndex, least: Int, most: Int, growth: Double)

private[hudilite] object IndexesToMake {

  val Nothing: IndexesToMake = IndexesToMake(Map.empty, Nil)

  // From this version of tables on.
  private val FirstWithPartitionStats = 8

  /** Those that a write asks for and that are not kept. Raises `INVALID_OPTION_VALUE` where the table cannot have one.
    *
    * @param defined
    *   columns with statistics as they are
    * @param isPartitioned
    *   the record index that is kept is one by partition
    */
  def of(asked: IndexesConf, table: Table, kept: Seq[MetadataPartition], defined: => Seq[String],
      isPartitioned: => Boolean = false): IndexesToMake = {
    check(asked, table)
    if (kept.contains(RecordIndex)) checkKind(asked, isPartitioned)
    val again = asked.columnStats.contains(true) && kept.contains(ColumnStats) && isOther(asked, defined)
    def isMissing(partition: MetadataPartition): Boolean = again || !kept.contains(partition)
    val columns = asked.columnStats.contains(true) && isMissing(ColumnStats)
    val besides = columns && asked.partitionStats.isEmpty && canHavePartitions(table)
    val partitions = besides ||
      (asked.partitionStats.contains(true) && isMissing(PartitionStats) &&
        (columns || kept.contains(ColumnStats)))
    val blooms = asked.bloomFilters.contains(true) && !kept.contains(BloomFilters)
    IndexesToMake(
      (Seq(ColumnStats -> asked.columnGroups).filter(_ => columns) ++
        Seq(PartitionStats -> asked.partitionGroups).filter(_ => partitions) ++
        Seq(BloomFilters -> asked.bloomGroups).filter(_ => blooms)).toMap,
      if (columns) columnsOf(asked, table) else if (partitions) defined else Nil,
      keys = if (kept.contains(RecordIndex)) None else keysOf(asked))
  }

  private def checkKind(asked: IndexesConf, isPartitioned: => Boolean): Unit = {
    if (asked.keys.isAsked && isPartitioned) throw InvalidInput.option(IndexOptions.Keys.name, "true",
      "the table has a record index by partition; set it to false to remove that first")
    if (asked.partitionKeys.isAsked && !isPartitioned)
      throw InvalidInput.option(IndexOptions.PartitionKeys.name, "true",
        "the table has a record index of all partitions together; set it to false to remove that first")
  }

  private def keysOf(asked: IndexesConf): Option[KeysToMake] =
    Seq(false -> asked.keys, true -> asked.partitionKeys).collectFirst {
      case (isPartitioned, of) if of.isAsked =>
        KeysToMake(isPartitioned, of.least, of.most, asked.keyGrowth)
    }

  private def columnsOf(asked: IndexesConf, table: Table): Seq[String] = IndexedColumns.of(
    table.storedJson.getOrElse(NoColumns), table.config.version, table.config.populateMetaFields, asked.columns,
    asked.mostColumns)

  private val NoColumns = """{"type":"record","name":"none","fields":[]}"""

  // Meta columns always have statistics.
  private def isOther(asked: IndexesConf, defined: Seq[String]): Boolean = asked.columns.nonEmpty &&
    asked.columns.filterNot(IndexedColumns.isMeta).toSet != defined.filterNot(IndexedColumns.isMeta).toSet

  /** Those that a write wants to be gone. */
  def unwanted(asked: IndexesConf): Map[MetadataPartition, String] =
    (Seq(asked.columnStats -> (IndexOptions.ColumnStats.name -> Seq(ColumnStats, PartitionStats)),
      asked.partitionStats -> (IndexOptions.PartitionStats.name -> Seq(PartitionStats)),
      asked.bloomFilters -> (IndexOptions.BloomFilters.name -> Seq(BloomFilters))).collect {
      case (Some(false), (name, partitions)) => partitions.map(_ -> s"$name is false")
    }).flatten.toMap ++ unwantedKeys(asked)

  private def unwantedKeys(asked: IndexesConf): Map[MetadataPartition, String] =
    if (asked.keys.isAsked || asked.partitionKeys.isAsked) Map.empty
    else Seq(IndexOptions.Keys -> asked.keys, IndexOptions.PartitionKeys -> asked.partitionKeys).collect {
      case (key, of) if of.isWanted.contains(false) => RecordIndex -> s"${key.name} is false"
    }.toMap

  private def check(asked: IndexesConf, table: Table): Unit = {
    if (asked.partitionStats.contains(true) && !canHavePartitions(table))
      throw InvalidInput.option(IndexOptions.PartitionStats.name, "true",
        if (table.config.version < FirstWithPartitionStats) s"tables of version ${table.config.version} have none"
        else "the table has no partition columns")
    checkKeys(asked, table)
    if (asked.bloomFilters.contains(true) && !table.config.populateMetaFields)
      throw InvalidInput.option(IndexOptions.BloomFilters.name, "true", WithoutKeys)
    for (schema <- table.storedJson.toSeq; name <- asked.columns;
      reason <- IndexedColumns.refusal(name, schema, table.config.version))
      throw InvalidInput.option(IndexOptions.Columns.name, asked.columns.mkString(","), reason)
  }

  val WithoutKeys = "the rows of the table do not have their keys as meta columns"

  private def checkKeys(asked: IndexesConf, table: Table): Unit =
    Seq(asked.keys -> IndexOptions.Keys, asked.partitionKeys -> IndexOptions.PartitionKeys).foreach {
      case (of, key) if of.isAsked =>
        def refused(reason: String): InvalidInput = InvalidInput.option(key.name, "true", reason)
        if (!table.config.populateMetaFields)
          throw refused(WithoutKeys)
        if (key == IndexOptions.PartitionKeys && table.config.version < FirstWithPartitionKeys)
          throw refused(s"tables of version ${table.config.version} have none by partition")
      case _ =>
    }

  /** From this version of tables on, a record index may have keys by partition. */
  val FirstWithPartitionKeys = 9

  private def canHavePartitions(table: Table): Boolean =
    table.config.version >= FirstWithPartitionStats && table.config.partitionFields.nonEmpty

  /** Those that are kept, to be made anew. */
  def again(home: MetadataHome): IndexesToMake = {
    val kept = home.partitions.filterNot(_ == MetadataPartition.Files)
    val ids = kept.map(p =>
      p -> home.storage.list(home.folderOf(p)).map(_.name).flatMap(name =>
        FileNames.parseBaseFile(name).map(_.fileId).orElse(FileNames.parseLogFile(name).map(_.fileId))).distinct).toMap
    val counts = ids.collect { case (p, some) if some.nonEmpty => p -> some.size }
    IndexesToMake((counts - RecordIndex).filterNot(_._1.isSecondary), home.defined, home.expressions,
      ids.get(RecordIndex).map(again(home, _)),
      for (index <- home.secondary; count <- counts.get(index.partition)) yield ValuesToMake(index, count, count, 1))
  }

  private def again(home: MetadataHome, ids: Seq[String]): KeysToMake = {
    val byPartition = ids.groupBy(_.dropRight(NumberLength)).values.map(_.size)
    val count = if (byPartition.isEmpty) 1 else byPartition.max
    KeysToMake(home.isPartitionedByKey, count, count, growth = 1)
  }

  private val NumberLength = "0000-0".length
}

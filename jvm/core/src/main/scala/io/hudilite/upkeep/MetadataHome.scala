package io.hudilite.upkeep

import io.hudilite.config.{TableConfig, TableKeys, TableProperties}
import io.hudilite.error.CorruptTable
import io.hudilite.metadata.{
  ExpressionIndex,
  IndexDefinition,
  IndexDefinitions,
  MetadataAction,
  MetadataChanges,
  MetadataPartition,
  MetadataRecords,
  MetadataShape,
  MetadataState,
  SecondaryIndex
}
import io.hudilite.storage.{FileInfo, Parallel, Storage}
import io.hudilite.table.Table
import io.hudilite.timeline.{Timeline, TimelineStore}

import org.slf4j.LoggerFactory

/** Place of a table's metadata table, for whoever writes it. The caller holds the lock of the table.
  *
  * @param data
  *   access to the timeline of the table, with its properties as they are now
  */
private[hudilite] final class MetadataHome(val data: TimelineStore) {

  val storage: Storage = data.storage
  val basePath: String = data.basePath
  val folder: String = MetadataHome.folder(basePath)
  val version: Int = data.config.version

  /** Access to its timeline. Raises `CORRUPT_FILE` where there is no metadata table. */
  lazy val store: TimelineStore = new TimelineStore(storage, folder,
    TableProperties.find(storage, folder).getOrElse(
      throw CorruptTable("CORRUPT_FILE", "path" -> folder, "reason" -> "it is listed, but not there")))

  /** False where the properties of the table list what somebody has removed. */
  def isThere: Boolean = TableProperties.exists(storage, folder)

  def timeline: Timeline = store.load()

  /** As [[MetadataHome.isKept]]. */
  def isKept: Boolean = MetadataHome.isKept(storage, basePath, data.config)

  /** The partitions that the properties list. */
  def partitions: Seq[MetadataPartition] = data.config.metadataPartitions.flatMap(MetadataPartition.of)

  /** Those of its partitions that are indexes of expressions which hudilite keeps up. */
  def expressions: Seq[ExpressionIndex] =
    MetadataHome.expressions(storage, basePath, data.config).flatMap(_._2.toOption)

  /** Those of its partitions that are secondary indexes which hudilite keeps up. */
  def secondary: Seq[SecondaryIndex] =
    MetadataHome.secondary(storage, basePath, data.config).flatMap(_._2.toOption)

  /** Those of them that a table with these columns loses as it is written. */
  def withoutColumn(schema: String): Seq[MetadataPartition] =
    secondary.filter(_.refusal(schema).nonEmpty).map(_.partition)

  /** Why the table cannot have this secondary index. */
  def refusal(index: SecondaryIndex): Option[String] = MetadataHome.unkept(data.config, index,
    storage.read(definitions).flatMap(content =>
      CorruptTable.guard(definitions)(IndexDefinitions.parse(content)).get(MetadataPartition.RecordIndex.name)))

  /** The secondary indexes that go with these partitions, each with the reason. */
  def secondariesWithout(lost: Set[MetadataPartition]): Map[MetadataPartition, String] =
    if (!lost(MetadataPartition.RecordIndex)) Map.empty
    else partitions.filter(p => p.isSecondary && !lost(p)).map(_ -> "the record index goes, on which it rests").toMap

  /** Records of an action for the partition `files`. */
  def changes(action: MetadataAction): MetadataChanges =
    changes(action, MetadataState(MetadataShape(Set(MetadataPartition.Files), version)))

  def changes(action: MetadataAction, before: MetadataState): MetadataChanges = MetadataRecords.of(action, before)

  /** Absolute path of a partition's folder. */
  def folderOf(partition: MetadataPartition): String = s"$folder/${partition.name}"

  /** This place with the properties as they are. */
  def current: MetadataHome =
    new MetadataHome(new TimelineStore(storage, basePath, TableProperties.read(storage, basePath)))

  /** Makes an empty metadata table in the place of one that no reader trusts. */
  def create(): Unit = {
    MetadataHome.delete(storage, folder)
    TableProperties.create(storage, folder, MetadataHome.properties(data.config))
  }

  /** Has readers trust these partitions and no others. */
  def list(partitions: Seq[MetadataPartition]): MetadataHome = {
    val defined = if (partitions.exists(MetadataHome.isDefined))
      Map(TableKeys.IndexDefinitionsPath -> IndexDefinitions.Path)
    else Map.empty[String, String]
    val config = TableProperties.update(storage, basePath)(_ ++ defined ++ Map(
        TableKeys.MetadataPartitions -> partitions.map(_.name).sorted.mkString(","),
        TableKeys.MetadataPartitionsInflight -> ""))
    new MetadataHome(new TimelineStore(storage, basePath, config))
  }

  /** Takes partitions out of service, each with the reason: readers stop to trust them before anything of them goes. */
  def without(those: Map[MetadataPartition, String]): MetadataHome = {
    val reasons = secondariesWithout(those.keySet) ++ those
    reasons.toSeq.sortBy(_._1.name).foreach { case (partition, reason) =>
      MetadataHome.log.warn(s"Removing ${partition.name} from the metadata table of $basePath: $reason")
    }
    val left = list(partitions.filterNot(reasons.contains))
    val defined = reasons.keys.filter(MetadataHome.isDefined).map(_.name).toSeq
    if (defined.nonEmpty) storage.read(definitions).foreach(content =>
      storage.replace(definitions, IndexDefinitions.without(content, defined)))
    reasons.keys.foreach(partition => MetadataHome.deleteBelow(storage, folderOf(partition)))
    left
  }

  /** Takes partitions of any kind out of service, by their names: readers stop to trust them before anything of them goes,
    * and all others stay listed.
    */
  def drop(names: Set[String]): Unit = {
    TableProperties.update(storage, basePath)(properties =>
      properties ++ Map(TableKeys.MetadataPartitions -> data.config.metadataPartitions.filterNot(names).mkString(",")))
    storage.read(definitions).foreach(content =>
      storage.replace(definitions, IndexDefinitions.without(content, names.toSeq)))
    names.foreach(name => MetadataHome.deleteBelow(storage, s"$folder/$name"))
  }

  /** Columns that have statistics, where a readable definition says so. */
  def defined: Seq[String] = storage.read(definitions).fold(Seq.empty[String])(content =>
    CorruptTable.guard(definitions)(IndexDefinitions.parse(content)).get(MetadataPartition.ColumnStats.name).toSeq
      .flatMap(_.columns))

  /** Says which columns have statistics. */
  def define(columns: Seq[String]): Unit =
    storage.replace(definitions, IndexDefinitions.withColumns(storage.read(definitions), columns, version))

  /** Says of what an index of an expression is.
    *
    * @param function
    *   Apache Hudi's name of it
    */
  def define(index: ExpressionIndex, function: String, words: Map[String, String]): Unit =
    storage.replace(definitions,
      IndexDefinitions.withExpression(storage.read(definitions), index, function, words, version))

  /** Says of what a secondary index is. */
  def define(index: SecondaryIndex): Unit = storage.replace(definitions,
    IndexDefinitions.withValues(storage.read(definitions), index.partition.name, index.column, version))

  /** Says of the record index if it is partitioned. */
  def defineKeys(isPartitioned: Boolean): Unit =
    storage.replace(definitions, IndexDefinitions.withKeys(storage.read(definitions), isPartitioned))

  /** The record index has file groups of its own for each partition of the table, where a readable definition says so. */
  def isPartitionedByKey: Boolean = storage.read(definitions).exists(content =>
    CorruptTable.guard(definitions)(IndexDefinitions.parse(content)).get(MetadataPartition.RecordIndex.name)
      .exists(_.isPartitioned))

  private def definitions: String = s"${basePath.stripSuffix("/")}/${IndexDefinitions.Path}"
}

private[hudilite] object MetadataHome {

  private val log = LoggerFactory.getLogger("io.hudilite.upkeep.MetadataHome")

  /** Definitions say of what the partition is. */
  private def isDefined(partition: MetadataPartition): Boolean =
    partition == MetadataPartition.ColumnStats || partition == MetadataPartition.RecordIndex ||
      partition.isSecondary || isExpression(partition.name)

  private val Kept: Set[String] = MetadataRecords.Made.map(_.name)

  /** True when the properties list partitions that hudilite keeps up, and nothing is being built beside them. */
  def isKept(storage: Storage, basePath: String, data: TableConfig): Boolean =
    data.metadataPartitions.contains(MetadataPartition.Files.name) &&
      data.metadataPartitions.forall(name => Kept(name) || isExpression(name) || isSecondary(name)) &&
      data.metadataPartitionsInflight.isEmpty && expressions(storage, basePath, data).forall(_._2.isRight) &&
      secondary(storage, basePath, data).forall(_._2.isRight)

  private[upkeep] def isExpression(name: String): Boolean = name.startsWith(MetadataPartition.ExpressionPrefix)

  private def isSecondary(name: String): Boolean = name.startsWith(MetadataPartition.SecondaryPrefix)

  /** The indexes of expressions that the properties list by their names, or why they are not kept up. */
  private def expressions(storage: Storage, basePath: String, data: TableConfig)
      : Seq[(String, Either[String, ExpressionIndex])] =
    defined(storage, basePath, data.metadataPartitions.filter(isExpression))((name, definitions) =>
      ExpressionIndex.of(name, definitions.get(name)).filterOrElse(index =>
          !data.droppedColumns.contains(index.column), "files do not have its column"))

  /** As [[expressions]], the secondary indexes. */
  private def secondary(storage: Storage, basePath: String, data: TableConfig)
      : Seq[(String, Either[String, SecondaryIndex])] =
    defined(storage, basePath, data.metadataPartitions.filter(isSecondary))((name, definitions) =>
      SecondaryIndex.of(name, definitions.get(name), data.version).flatMap(index =>
        unkept(data, index, definitions.get(MetadataPartition.RecordIndex.name)).toLeft(index)).filterOrElse(
        index => keepsName(storage, basePath, data, index.column), "its column has had another name, or has been away"))

  // Files are asked for the column by its name of now. Of most tables there is no history.
  private def keepsName(storage: Storage, basePath: String, data: TableConfig, column: String): Boolean =
    !new TimelineStore(storage, basePath, data).schemaFiles.exist || {
      val table = Table.load(storage, basePath, data)
      table.evolved(table.schema).forall(_.keepsName(column))
    }

  /** Why a table cannot have a secondary index that hudilite keeps up.
    *
    * @param keys
    *   definition of the record index
    */
  private def unkept(data: TableConfig, index: SecondaryIndex, keys: Option[IndexDefinition]): Option[String] =
    withoutValues(data, index.column).orElse(SecondaryIndex.several(data, index.partition.name)).orElse(
      if (!data.metadataPartitions.contains(MetadataPartition.RecordIndex.name)) Some("there is no record index")
      else if (keys.exists(_.isPartitioned)) Some("the record index has the keys of each partition by themselves")
      else None)

  /** Why no index of such a table tells the values of this column, whatever its record index is like. */
  def withoutValues(data: TableConfig, column: String): Option[String] =
    if (data.version < GroupFiles.LogsNameTheirWrite) Some(s"tables of version ${data.version} have none")
    else if (data.droppedColumns.contains(column)) Some(s"files do not have the column $column")
    else None

  private def defined[T](storage: Storage, basePath: String, names: Seq[String])(
      of: (String, Map[String, IndexDefinition]) => Either[String, T]): Seq[(String, Either[String, T])] = {
    lazy val path = s"${basePath.stripSuffix("/")}/${IndexDefinitions.Path}"
    lazy val definitions = storage.read(path).fold(Map.empty[String, IndexDefinition])(content =>
      CorruptTable.guard(path)(IndexDefinitions.parse(content)))
    names.map(name =>
      name ->
        (try of(name, definitions)
        catch { case e: CorruptTable => Left(e.getMessage) }))
  }

  def folder(basePath: String): String = s"${basePath.stripSuffix("/")}/.hoodie/metadata"

  /** Properties of the metadata table of a table. The checksum is of its name alone, without a database. */
  def properties(data: TableConfig): TableConfig = TableConfig(
    Map(
      TableKeys.Name -> s"${data.name}_metadata",
      TableKeys.Type -> "MERGE_ON_READ",
      TableKeys.Version -> data.version.toString,
      TableKeys.Layout -> data.layout.toString,
      TableKeys.BaseFileFormat -> "HFILE",
      TableKeys.RecordKeyFields -> "key",
      TableKeys.PopulateMetaFields -> "false",
      TableKeys.PayloadClass -> "org.apache.hudi.metadata.HoodieMetadataPayload",
      TableKeys.StrategyId -> "00000000-0000-0000-0000-000000000000",
      TableKeys.KeyGeneratorType -> "HOODIE_TABLE_METADATA",
      TableKeys.TimelinePath -> "timeline",
      TableKeys.HistoryPath -> "history",
      TableKeys.ArchiveFolder -> (if (data.layout == 1) "archived" else "history"),
      TableKeys.DropPartitionColumns -> "false") ++ ofLayout(data) ++ zone(data))

  private def ofLayout(data: TableConfig): Map[String, String] =
    if (data.layout == 1) Map.empty
    else Map(TableKeys.InitialVersion -> data.version.toString, TableKeys.MergeMode -> "CUSTOM")

  // Both timelines are compared with each other, and Hudi's default is the local time.
  private def zone(data: TableConfig): Map[String, String] =
    if (data.zoneName == "UTC") Map(TableKeys.TimelineZone -> "UTC") else Map.empty

  /** Deletes the files that are listed now, and folders that hold none, since Apache Hudi may begin to build the table
    * again at any time. The properties go first: without them there is no metadata table.
    */
  def delete(storage: Storage, folder: String): Unit = {
    TableProperties.delete(storage, folder)
    deleteBelow(storage, folder)
  }

  /** Removes it with the definitions of its indexes from a table that is no more. */
  def remove(storage: Storage, basePath: String): Unit = {
    delete(storage, folder(basePath))
    storage.delete(s"${basePath.stripSuffix("/")}/${IndexDefinitions.Path}")
    ()
  }

  private[upkeep] def deleteBelow(storage: Storage, folder: String): Unit = {
    def below(level: Seq[String]): Seq[FileInfo] =
      if (level.isEmpty) Nil
      else {
        val found = storage.list(level).values.flatten.toSeq
        found ++ below(found.filter(_.isDirectory).map(_.path))
      }
    val (folders, files) = below(Seq(folder)).partition(_.isDirectory)
    Parallel.map(files)(f => storage.delete(f.path))
    (folder +: folders.map(_.path)).sortBy(-_.length).foreach(storage.deleteIfEmpty)
  }
}

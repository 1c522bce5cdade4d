package io.hudilite.upkeep

import io.hudilite.config.{TableConfig, TableKeys, TableProperties}
import io.hudilite.error.CorruptTable
import io.hudilite.metadata.{
  IndexDefinitions,
  MetadataAction,
  MetadataChanges,
  MetadataPartition,
  MetadataRecords,
  MetadataShape,
  MetadataState
}
import io.hudilite.storage.{FileInfo, Parallel, Storage}
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

  /** The partitions that the properties list. */
  def partitions: Seq[MetadataPartition] = data.config.metadataPartitions.flatMap(MetadataPartition.of)

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
    val defined = if (partitions.exists(MetadataHome.Defined))
      Map(TableKeys.IndexDefinitionsPath -> IndexDefinitions.Path)
    else Map.empty[String, String]
    val config = TableProperties.update(storage, basePath)(_ ++ defined ++ Map(
        TableKeys.MetadataPartitions -> partitions.map(_.name).sorted.mkString(","),
        TableKeys.MetadataPartitionsInflight -> ""))
    new MetadataHome(new TimelineStore(storage, basePath, config))
  }

  /** Takes partitions out of service, each with the reason: readers stop to trust them before anything of them goes. */
  def without(reasons: Map[MetadataPartition, String]): MetadataHome = {
    reasons.toSeq.sortBy(_._1.name).foreach { case (partition, reason) =>
      MetadataHome.log.warn(s"Removing ${partition.name} from the metadata table of $basePath: $reason")
    }
    val left = list(partitions.filterNot(reasons.contains))
    val defined = reasons.keys.filter(MetadataHome.Defined).map(_.name).toSeq
    if (defined.nonEmpty) storage.read(definitions).foreach(content =>
      storage.replace(definitions, IndexDefinitions.without(content, defined)))
    reasons.keys.foreach(partition => MetadataHome.deleteBelow(storage, folderOf(partition)))
    left
  }

  /** Columns that have statistics, where a readable definition says so. */
  def defined: Seq[String] = storage.read(definitions).fold(Seq.empty[String])(content =>
    CorruptTable.guard(definitions)(IndexDefinitions.parse(content)).get(MetadataPartition.ColumnStats.name).toSeq
      .flatMap(_.columns))

  /** Says which columns have statistics. */
  def define(columns: Seq[String]): Unit =
    storage.replace(definitions, IndexDefinitions.withColumns(storage.read(definitions), columns, version))

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

  /** Partitions with definitions. */
  private val Defined: Set[MetadataPartition] = Set(MetadataPartition.ColumnStats, MetadataPartition.RecordIndex)

  private val Kept: Set[String] = MetadataRecords.Made.map(_.name)

  /** True when the properties list partitions that hudilite keeps up, and nothing is being built beside them. */
  def isKept(data: TableConfig): Boolean = data.metadataPartitions.contains(MetadataPartition.Files.name) &&
    data.metadataPartitions.forall(Kept) && data.metadataPartitionsInflight.isEmpty

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

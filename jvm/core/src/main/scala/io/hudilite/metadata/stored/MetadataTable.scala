package io.hudilite.metadata.stored

import io.hudilite.config.{TableConfig, TableProperties}
import io.hudilite.error.CorruptTable
import io.hudilite.filegroup.{FileGroupId, FileNames, FileSlice, FileSystemView, LogFile, NamedLogs, ViewInstants}
import io.hudilite.metadata.{
  IndexDefinition,
  IndexDefinitions,
  MetadataInstants,
  MetadataKeys,
  MetadataPartition,
  MetadataRecord
}
import io.hudilite.metadata.MetadataPayload.Names
import io.hudilite.storage.{FileInfo, Storage}
import io.hudilite.timeline.{Action, CommitMetadata, Instant, Timeline, TimelineStore}

/** The table's content as its metadata table has it.
  *
  * @param files
  *   lengths of the files by their names, by partition path
  */
final case class NamedContent(partitions: Set[String], files: Map[String, Map[String, Long]])

object NamedContent {

  /** @param merged
    *   records of the partition `files`
    */
  def of(merged: Seq[MetadataRecord]): NamedContent = {
    val records = merged.collect { case MetadataRecord(key, names: Names) => key -> names.entries }.toMap
    NamedContent(
      records.get(MetadataKeys.AllPartitions).fold(Set.empty[String])(_.keySet).map(MetadataKeys.path),
      (records - MetadataKeys.AllPartitions).map { case (key, files) =>
        MetadataKeys.path(key) -> files.map { case (name, file) => name -> file.bytes }
      })
  }
}

/** The metadata table that Apache Hudi keeps beside a table, as far as it can be trusted: whatever is not as it should be
  * raises `CORRUPT_FILE`, of the whole or of one of its files (docs/format.md#metadata-table).
  *
  * Storage is asked when something is asked, and each file once.
  *
  * @param data
  *   access to the timeline of the table
  * @param dataTimeline
  *   its timeline when it was opened; writes that completed later may be seen or not
  */
final class MetadataTable(data: TimelineStore, dataTimeline: Timeline) {

  private val storage: Storage = data.storage
  private val folder = s"${data.basePath.stripSuffix("/")}/.hoodie/metadata"

  /** Partitions that the properties of the table list. */
  val listed: Seq[String] = data.config.metadataPartitions

  private lazy val config: TableConfig = {
    if (!listed.contains(MetadataPartition.Files.name)) throw distrusted("it is not listed in the table's properties")
    val found = TableProperties.find(storage, folder).getOrElse(throw distrusted("it is listed, but not there"))
    if (!TableConfig.Versions.contains(found.version) || found.layout != data.config.layout)
      throw distrusted(s"it has the version ${found.version}")
    found
  }

  private lazy val store = new TimelineStore(storage, folder, config)

  /** Its own timeline. */
  lazy val timeline: Timeline = store.load()

  private lazy val instants: MetadataInstants = {
    val found = new MetadataInstants(dataTimeline, timeline)
    if (timeline.writes.isEmpty) throw distrusted("it was never initialised")
    found.unknown(store.hasArchive).find(leftFiles).foreach(i =>
      throw distrusted(s"it does not know the ${i.action} ${i.time}"))
    found
  }

  // A write may have changed columns alone.
  private def leftFiles(instant: Instant): Boolean = !Action.Writes(instant.action) || {
    val metadata = data.readCommit(instant)
    metadata.allStats.nonEmpty || metadata.replaced.nonEmpty
  }

  /** Definitions of the indexes by their partitions; none where older writers have kept none. */
  lazy val definitions: Map[String, IndexDefinition] = {
    val path = s"${data.basePath.stripSuffix("/")}/${IndexDefinitions.Path}"
    storage.read(path).fold(Map.empty[String, IndexDefinition])(content =>
      CorruptTable.guard(path)(IndexDefinitions.parse(content)))
  }

  /** The merged records of a partition. */
  def records(partition: MetadataPartition): Iterator[MetadataRecord] = slices(partition).iterator.flatMap(records)

  /** The merged records of a slice. */
  def records(slice: FileSlice): Iterator[MetadataRecord] =
    new SliceRecords(storage, folder, config.version, instants.counts).of(slice)

  /** The partitions and files of the table that the partition `files` names. */
  def named(): NamedContent = NamedContent.of(records(MetadataPartition.Files).toSeq)

  /** The newest slices of a partition, in the order of the numbers in their ids. */
  def slices(partition: MetadataPartition): Seq[FileSlice] = {
    if (!listed.contains(partition.name)) throw distrusted(s"${partition.name} is not listed in the table's properties")
    if (partition != MetadataPartition.Files)
      IndexDefinitions.unreadable(partition.name, definitions).foreach(reason => throw distrusted(reason))
    val files = storage.list(s"$folder/${partition.name}")
    val logs = namedLogs(partition, files)
    val found = FileSystemView.slices(view, Map(partition.name -> files), logs).getOrElse(partition.name, Nil)
    MetadataPartition.incomplete(partition, found.map(_.fileId)).foreach(reason => throw distrusted(reason))
    namedBases(partition).diff(files.map(_.name).toSet).foreach(name =>
      throw distrusted(s"its file $name of ${partition.name} is missing"))
    found.iterator.flatMap(_.logs).flatMap(logs.damage(_)).take(1).foreach(throw _)
    found.sortBy(_.fileId).map(slice => slice.copy(logs = slice.logs.sortBy(order)))
  }

  // From version 8 on a log file has one write, and what completed later is newer.
  private def order(log: LogFile): (String, String, Int, String) =
    (timeline.completionTime(log.time).getOrElse(""), log.time, log.version, log.writeToken.getOrElse(""))

  /** Facts of its timeline that tell which of its files count. */
  lazy val view: ViewInstants = ViewInstants(isCommitted, timeline.completionTime, Set.empty, pending,
    config.version)

  // Log files of version 6 bear the instant of their slice, and each of their blocks is asked for.
  private def isCommitted(time: String): Boolean = instants.counts(time)

  /** Instants of pending compactions of its file groups. */
  def pending: Map[FileGroupId, String] =
    (for ((instant, plan) <- store.pendingCompactions(timeline); operation <- plan.operations)
      yield FileGroupId(operation.partition, operation.fileId) -> instant.time).toMap

  private lazy val compacted: Option[Instant] = timeline.writes.filter(_.action == Action.Commit).lastOption

  private lazy val sinceCompaction: Seq[(Instant, CommitMetadata)] =
    store.readCommits(timeline.writes.filter(i =>
        i.action == Action.DeltaCommit && !compacted.exists(_.time > i.completionTime.getOrElse(i.time)))).toSeq

  /** The log files that writes since the last compaction have named. A missing one would hide what it says. */
  private def namedLogs(partition: MetadataPartition, files: Seq[FileInfo]): NamedLogs = {
    val made = madeAt(files)
    NamedLogs.of(folder,
      sinceCompaction.collect {
        case (i, metadata) if !i.completionTime.exists(t => made.exists(t < _)) =>
          i.time -> metadata
      }, Set(partition.name))
  }

  /** Completion time of the initialisation that these files of a partition are from. After a restore, Apache Hudi deletes
    * partitions and makes them again, without the files that earlier writes name.
    */
  private def madeAt(files: Seq[FileInfo]): Option[String] = files.map(_.name)
    .flatMap(name => FileNames.parseBaseFile(name).map(_.instant).orElse(FileNames.parseLogFile(name).map(_.time)))
    .filter(MetadataInstants.isInitial).sorted.lastOption.flatMap(timeline.completionTime)

  /** The base files that the last compaction has named, or the first writes where there was none. A slice without its
    * base file would look whole.
    */
  private def namedBases(partition: MetadataPartition): Set[String] =
    (if (compacted.isEmpty) sinceCompaction.map(_._2) else compacted.toSeq.map(store.readCommit))
      .flatMap(_.allStats).filter(stat => stat.path == s"${partition.name}/${stat.fileName}")
      .map(_.fileName).filter(_.endsWith(".hfile")).toSet

  private def distrusted(reason: String): CorruptTable =
    CorruptTable("CORRUPT_FILE", "path" -> folder, "reason" -> reason)
}

package io.hudilite.table

import io.hudilite.config.{NewTable, TableConfig, TableProperties}
import io.hudilite.error.{CorruptTable, UnsupportedTable}
import io.hudilite.filegroup.{FileGroupId, FileNames, FileSlice, FileSystemView, Partitions, ViewInstants}
import io.hudilite.log.BlockInstants
import io.hudilite.storage.{FileInfo, Place, Storage}
import io.hudilite.timeline.{Action, Instant, Timeline, TimelineStore}

/** A table as it was when it was opened: its configuration, its timeline and its schema.
  *
  * Everything asked of it later refers to that timeline, so that one `Table` is one snapshot; `refresh` opens it anew.
  * Opening costs one read of the properties, one listing of the timeline and one read of a commit file.
  *
  * @param schemaJson
  *   Avro schema without meta columns; `None` for a table without commits that was created without a schema
  */
final case class Table(
    storage: Storage, basePath: String, config: TableConfig, timeline: Timeline, schemaJson: Option[String]) {

  /** Access to the files of the timeline. */
  val store: TimelineStore = new TimelineStore(storage, basePath, config)

  /** Where the table lies, whatever its path is spelled like. */
  def place: Place = storage.place(basePath)

  // The listing of all partitions, taken at most once and from then on the source of every slice.
  private lazy val discovered: Map[String, Seq[FileInfo]] = {
    val found = Partitions.discover(storage, basePath)
    listedAll = true
    found
  }
  @volatile private var listedAll = false

  /** Instant at which a file group was taken out by a completed replacecommit. */
  lazy val replacedAt: Map[FileGroupId, String] = {
    val replacecommits = timeline.writes.filter(_.action == Action.ReplaceCommit)
    val replaced = for {
      (instant, metadata) <- store.readCommits(replacecommits)
      (partition, fileIds) <- metadata.replaced.toSeq
      fileId <- fileIds
    } yield FileGroupId(partition, fileId) -> instant.time
    replaced.groupBy(_._1).map { case (group, times) => group -> times.map(_._2).min }
  }

  /** File groups with a pending compaction and its instant; a group in two of them raises `CorruptTable`. */
  lazy val pendingCompactions: Map[FileGroupId, String] = {
    val taken = for ((instant, plan) <- store.pendingCompactions(timeline); operation <- plan.operations)
      yield FileGroupId(operation.partition, operation.fileId) -> instant.time
    taken.groupBy(_._1).map { case (group, plans) =>
      val times = plans.map(_._2).distinct
      if (times.size > 1) throw CorruptTable("COMPACTIONS_OVERLAP", "path" -> basePath, "fileId" -> group.fileId,
        "partition" -> group.partition, "instants" -> times.sorted.mkString(", "))
      group -> times.head
    }
  }

  /** File groups with a pending log compaction and its instant; nobody lays files out by it. */
  lazy val pendingLogCompactions: Map[FileGroupId, String] =
    (for ((instant, plan) <- store.pendingLogCompactions(timeline); operation <- plan.operations)
      yield FileGroupId(operation.partition, operation.fileId) -> instant.time).toMap

  /** File groups that a pending clustering is about to replace; they must not be written. */
  lazy val pendingClusterings: Map[FileGroupId, String] =
    (for ((instant, plan) <- store.pendingClusterings(timeline); input <- plan.groups.flatten)
      yield FileGroupId(input.partition, input.fileId) -> instant.time).toMap

  /** Partition paths, sorted; the unpartitioned table has the one empty path. */
  def partitions(): Seq[String] = discovered.keys.toList.sorted

  /** The newest committed slice of every file group of these partitions, each listed once: here, or when the
    * partitions were asked for.
    *
    * @param asOf
    *   instant up to which, by requested time and inclusive, writes count
    */
  def slices(partitions: Seq[String], asOf: Option[String] = None): Map[String, Seq[FileSlice]] =
    FileSystemView.slices(asOf.fold(everything)(upTo), committedFiles(listing(partitions)))

  private[table] def listing(partitions: Seq[String]): Map[String, Seq[FileInfo]] =
    if (listedAll) partitions.map(p => p -> discovered.getOrElse(p, Nil)).toMap
    else Partitions.list(storage, basePath, partitions)

  /** As [[slices]] for all partitions, in the one pass that also finds them. */
  def allSlices(asOf: Option[String] = None): Map[String, Seq[FileSlice]] =
    FileSystemView.slices(asOf.fold(everything)(upTo), committedFiles(discovered))

  /** What an incremental read of the range has to look at. */
  def incremental(range: IncrementalRange): IncrementalFiles = new IncrementalSelection(this).select(range)

  /** Completed write with the greatest instant. */
  def lastInstant: Option[Instant] = timeline.lastCompleted

  /** Which log blocks count for a reader who sees writes up to `asOf`, by requested time and inclusive. */
  def blockInstants(asOf: Option[String] = None): BlockInstants =
    BlockInstants(config.version, asOf, timeline.writes.map(_.time).toSet, timeline.firstWriteInstant.map(_.time))

  /** The table as it is now. */
  def refresh(): Table = Table.open(storage, basePath)

  private[table] def everything: ViewInstants = view(timeline.isCommitted, _ => true)

  private[table] def upTo(time: String): ViewInstants = view(t => t <= time && timeline.isCommitted(t), _ <= time)

  private[table] def view(isCommitted: String => Boolean, happened: String => Boolean): ViewInstants =
    ViewInstants(isCommitted, completionTime, replacedAt.filter { case (_, time) => happened(time) }.keySet,
      pendingCompactions.filter { case (_, time) => happened(time) }, config.version)

  // Only log files ask for completion times, so the archived timeline is read for few tables.
  private def completionTime(time: String): Option[String] =
    timeline.completionTime(time).orElse(if (timeline.beforeStart(time)) archivedCompletion.get(time) else None)

  private lazy val archivedCompletion: Map[String, String] =
    store.archivedCompleted().flatMap(i => i.completionTime.map(i.time -> _)).toMap

  /** The listing without stray files: where more than one attempt of a task left files the commit names the right ones. */
  private[table] def committedFiles(listing: Map[String, Seq[FileInfo]]): Map[String, Seq[FileInfo]] = {
    listing.values.flatten.find(f => FileNames.isExternalFile(f.name)).foreach(f =>
      throw UnsupportedTable("UNSUPPORTED_TABLE_FEATURE", "path" -> basePath,
        "feature" -> s"the external file ${f.name}",
        "reason" -> "files registered in place from other formats are not read"))
    val doubtful = FileSystemView.instantsWithRetries(listing, config.version)
    if (doubtful.isEmpty) listing
    else {
      val commits = store.readCommits(timeline.writes.filter(i => doubtful(i.time)))
      val named = commits.map { case (instant, metadata) => instant.time -> metadata.allPaths }.toMap
      FileSystemView.withoutStrays(listing, named, config.version)
    }
  }
}

object Table {

  /** Opens the table for reading; one that hudilite cannot read right raises `UnsupportedTable`. */
  def open(storage: Storage, basePath: String): Table = {
    val config = TableProperties.read(storage, basePath)
    TableSupport.checkReadable(config, basePath)
    load(storage, basePath, config)
  }

  /** Opens a table whatever its features are. */
  private[hudilite] def load(storage: Storage, basePath: String, config: TableConfig): Table = {
    val store = new TimelineStore(storage, basePath, config)
    val timeline = store.load()
    Table(storage, basePath, config, timeline, store.schema(timeline))
  }

  /** Creates an empty table and opens it; an existing one raises `TABLE_ALREADY_EXISTS`. */
  def create(storage: Storage, basePath: String, table: NewTable): Table = {
    TableProperties.create(storage, basePath, TableConfig.create(table))
    open(storage, basePath)
  }
}

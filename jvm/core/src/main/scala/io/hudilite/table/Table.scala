package io.hudilite.table

import io.hudilite.config.{TableConfig, TableDefinition, TableProperties}
import io.hudilite.error.{CorruptTable, HudiliteException, Listed}
import io.hudilite.filegroup.{
  BootstrapIndex,
  FileGroupId,
  FileSlice,
  FolderSource,
  KeptFolders,
  ListedFolders,
  OtherFiles,
  PathSelection,
  ViewInstants
}
import io.hudilite.index.BucketIndex
import io.hudilite.log.BlockInstants
import io.hudilite.metadata.stored.{
  ExpressionRanges,
  MetadataFolders,
  MetadataTable,
  RecordIndex,
  StoredKeyFacts,
  StoredRanges
}
import io.hudilite.schema.{EvolvedColumns, SchemaHistory, SchemaJson}
import io.hudilite.stats.{ColumnRanges, KnownKeys}
import io.hudilite.storage.{FileInfo, Place, Storage, TableStorage}
import io.hudilite.timeline.{Action, DroppedColumns, Instant, TableSchema, Timeline, TimelineStore}
import io.hudilite.timeline.plan.CompactionPlan

import java.io.IOException

/** A table as it was when it was opened: its configuration, its timeline and its schema.
  *
  * Later calls refer to that timeline, so one `Table` is one snapshot; `refresh` opens it anew. Opening costs one read
  * of the properties, one listing of the timeline and one read of a commit file.
  *
  * @param schema
  *   its columns; `None` for a table without commits that was created without a schema
  * @param memory
  *   files that are known by now
  * @param metadata
  *   how to ask the table's metadata table for its files; `None`: not
  */
final case class Table(storage: Storage, basePath: String, config: TableConfig, timeline: Timeline,
    schema: Option[TableSchema])(memory: FileMemory, metadata: Option[MetadataUse] = None) {

  /** Access to the files of the timeline. */
  val store: TimelineStore = new TimelineStore(storage, basePath, config)

  /** The columns as an Avro schema without meta columns. */
  def schemaJson: Option[String] = schema.map(_.avroJson)

  /** Those of them that files hold. */
  def storedJson: Option[String] = schemaJson.map(DroppedColumns.without(config, _))

  /** The columns as of an instant, by requested time and inclusive; those of now when nothing was written by then. */
  def schemaAsOf(time: String): Option[TableSchema] = store.schema(timeline.upTo(time)).orElse(schema)

  /** The columns of the files that a service writes at its instant. Files are read by the version of the columns at
    * their instant. So where columns have ids the service keeps to that version, whatever has changed since it was
    * planned.
    */
  def schemaForService(instant: String): Option[TableSchema] =
    if (schema.exists(_.byId.isDefined)) schemaAsOf(instant) else schema

  /** Names of these columns in the files, where Hudi's schema-on-read has changed some; asks storage only then. */
  def evolved(columns: Option[TableSchema]): Option[EvolvedColumns] = columns.flatMap(_.byId).map { json =>
    EvolvedColumns.of(CorruptTable.guard(basePath)(SchemaJson.version(json)), schemaHistory)
  }

  private lazy val schemaHistory: SchemaHistory = store.schemaFiles.newest(timeline) match {
    case Some(json) => CorruptTable.guard(s"$basePath/.hoodie/.schema")(SchemaJson.history(json))
    case None => throw CorruptTable("SCHEMA_HISTORY_MISSING", "path" -> basePath)
  }

  /** The place of the table, however its path is spelled. */
  def place: Place = storage.place(basePath)

  private lazy val metadataTable: Option[MetadataTable] =
    metadata.map(use => new MetadataTable(store, timeline, use.isAsked))

  /** Ranges of columns in files by the metadata table, where that is asked and keeps such statistics. */
  private[hudilite] lazy val storedRanges: Option[ColumnRanges] =
    metadataTable.filter(_.hasColumnStatistics).map(new StoredRanges(_, basePath))

  /** Ranges of functions over columns in files, where the metadata table is asked and has indexes of such. */
  private[hudilite] lazy val expressionRanges: Option[ExpressionRanges] =
    metadataTable.filter(_.hasExpressions).map(new ExpressionRanges(_, basePath))

  /** Facts on record keys in files, where the metadata table is asked. */
  private[hudilite] lazy val knownKeys: Option[KnownKeys] =
    metadataTable.map(new StoredKeyFacts(_, storedRanges, basePath))

  /** Its metadata table is asked, and lists a record index. */
  private[hudilite] def hasRecordIndex: Boolean = metadataTable.exists(_.hasRecordIndex)

  /** That index, where it knows the place of every row of the newest state; else the reason why nobody can go by it. */
  private[hudilite] def recordIndex: Either[String, RecordIndex] =
    try askedIndex
    catch { case e: IOException => Left(WholeIndex.unused(this, e)) } // the next reader asks again

  /** As [[recordIndex]], but raises `IOException` where the storage does not answer. */
  private[table] def askedIndex: Either[String, RecordIndex] = known.recordIndex(
    metadataTable.filter(_.hasRecordIndex).fold[Either[String, RecordIndex]](Left("there is none"))(
      new WholeIndex(this, _).found))

  /** Secondary indexes of its metadata table, where that is asked. */
  private[hudilite] lazy val valueIndexes: ValueIndexes = new ValueIndexes(this, metadataTable, known)

  /** Partitions have file groups of their own in that index; `None` where that cannot be told. */
  private[table] def hasPartitionedIndex: Option[Boolean] =
    try metadataTable.filter(_.hasRecordIndex).map(_.hasPartitionedIndex)
    catch { case _: HudiliteException | _: IOException => None }

  private lazy val folders: FolderSource = {
    val listed = new KeptFolders(new ListedFolders(storage, basePath), memory.folders)
    metadataTable.fold[FolderSource](listed)(named =>
      new KeptFolders(known.named(new MetadataFolders(named, listed, new NewestFiles(this))), known.folders))
  }

  private def known: FileMemory = metadata.fold(memory)(use => memory.ofMetadata(use.isAsked))

  /** This table with its files from the metadata table of Apache Hudi, where there is one that can be trusted: for reads.
    * An older state may need files that a cleaning under way has deleted, of which the metadata table learns at its end.
    */
  def readingMetadata(use: MetadataUse): Table =
    if (metadata.isDefined || !MetadataTable.namesFiles(config)) this
    else if (use.ofPast && timeline.pending.exists(_.action == Action.Clean)) this
    else new Table(storage, basePath, config, timeline, schema)(memory, Some(use))

  /** This table as a reader who asks for its metadata table has it, however long its archive is. */
  private[table] def askingMetadata: Table =
    if (metadata.exists(_.isAsked)) this
    else new Table(storage, basePath, config, timeline, schema)(memory).readingMetadata(MetadataUse(isAsked = true))

  /** The newest committed slices, partition by partition. */
  lazy val files: TableFiles = new TableFiles(folders,
    listing => {
      OtherFiles.tell(basePath, listing)
      slicesOf(everything, listing)
    }, named, known.slices)

  /** The newest committed slices as of an instant, by requested time and inclusive. */
  def filesAsOf(instant: String): TableFiles = {
    val view = upTo(instant)
    new TableFiles(folders, slicesOf(view, _), named)
  }

  /** Like [[files]], but file groups with missing files are among them. For callers that take file groups out of the
    * table.
    */
  lazy val groups: TableFiles = new TableFiles(folders, committed.whole(everything, _), named)

  /** The newest slices of these partitions whose files are left. Some may be missing. */
  private[hudilite] def found(partitions: Seq[String]): Map[String, Seq[FileSlice]] =
    new TableFiles(folders, found => withSources(committed.withoutBases(everything, found))).slices(partitions)

  /** The slices as of an instant whose files are left. Some may be missing. */
  private[table] def foundAsOf(instant: String): Map[String, Seq[FileSlice]] = {
    val view = upTo(instant)
    new TableFiles(folders, committed.withoutBases(view, _)).find(PathSelection.All)
  }

  private def named: Iterable[String] = committed.bases.partitions

  /** Equal tables are one snapshot of one table, whichever storage reads it. */
  override def equals(other: Any): Boolean = other match {
    case that: Table => (this eq that) ||
      (storage.caches == that.storage.caches && basePath == that.basePath && timeline == that.timeline &&
        config == that.config && schema == that.schema)
    case _ => false
  }

  override def hashCode(): Int = (basePath, timeline).hashCode

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

  /** Pending compactions with their plans. */
  private[table] lazy val compactionPlans: Seq[(Instant, CompactionPlan)] = store.pendingCompactions(timeline)

  /** File groups with a pending compaction and its instant; a group in two of them raises `CorruptTable`. */
  lazy val pendingCompactions: Map[FileGroupId, String] = {
    val taken = for ((instant, plan) <- compactionPlans; operation <- plan.operations)
      yield FileGroupId(operation.partition, operation.fileId) -> instant.time
    taken.groupBy(_._1).map { case (group, plans) =>
      val times = plans.map(_._2).distinct
      if (times.size > 1) throw CorruptTable("COMPACTIONS_OVERLAP", "path" -> basePath, "fileId" -> group.fileId,
        "partition" -> group.partition, "instants" -> Listed.of(times.sorted))
      group -> times.head
    }
  }

  /** File groups with a pending log compaction and its instant. No layout of files depends on it. */
  lazy val pendingLogCompactions: Map[FileGroupId, String] =
    (for ((instant, plan) <- store.pendingLogCompactions(timeline); operation <- plan.operations)
      yield FileGroupId(operation.partition, operation.fileId) -> instant.time).toMap

  /** File groups that a pending clustering is about to replace; they must not be written. */
  lazy val pendingClusterings: Map[FileGroupId, String] =
    (for ((instant, plan) <- store.pendingClusterings(timeline); input <- plan.groups.flatten)
      yield FileGroupId(input.partition, input.fileId) -> instant.time).toMap

  private[table] lazy val buckets: Buckets = new Buckets(this)

  /** The bucket index of the table as its commits state it. */
  def statedBuckets: Option[BucketIndex] = bucketStatement.map(_.index)

  private[hudilite] lazy val bucketStatement: Option[BucketStatement] =
    StatedBuckets.newest(store, timeline, buckets.hasRings)

  /** Partition paths, sorted; the unpartitioned table has the one empty path. */
  def partitions(): Seq[String] = files.partitions()

  /** The newest committed slice of every file group of these partitions.
    *
    * @param asOf
    *   the last instant whose writes count, by requested time
    */
  def slices(partitions: Seq[String], asOf: Option[String] = None): Map[String, Seq[FileSlice]] =
    asOf.fold(files)(filesAsOf).slices(partitions)

  /** The files in the folders of these partitions. */
  private[hudilite] def listing(partitions: Seq[String]): Map[String, Seq[FileInfo]] =
    folders.read(partitions).map { case (path, folder) => path -> folder.files }

  /** As [[slices]] for all partitions. */
  def allSlices(asOf: Option[String] = None): Map[String, Seq[FileSlice]] =
    asOf.fold(files)(filesAsOf).find(PathSelection.All)

  /** Files and commit times for an incremental read of the range. Where versions of rows that a range with an end left
    * behind are gone, `RANGE_NOT_RETAINED` is raised, or those that are left are read.
    */
  def incremental(range: IncrementalRange, orWhatIsLeft: Boolean = false): IncrementalFiles =
    new IncrementalSelection(this, orWhatIsLeft).select(range)

  /** Raises `InvalidInput` unless the state as of an instant, by requested time and inclusive, is still whole. */
  def checkRetained(asOf: String): Unit = new Retention(this).check(asOf)

  /** Completed write with the greatest instant. */
  def lastInstant: Option[Instant] = timeline.lastCompleted

  /** Log blocks that count for a reader of writes up to `asOf`, by requested time and inclusive. */
  def blockInstants(asOf: Option[String] = None): BlockInstants =
    BlockInstants(config.version, asOf, timeline.writes.map(_.time).toSet, timeline.firstWriteInstant.map(_.time))

  /** The table in another storage, as another timeline shows it or with other columns, which knows no files yet. */
  private[hudilite] def copy(storage: Storage = storage, timeline: Timeline = timeline,
      schema: Option[TableSchema] = schema): Table =
    Table(storage, basePath, config, timeline, schema)(new FileMemory)

  /** The table as it is now. */
  def refresh(): Table = Table.open(storage, basePath)

  /** The table as it is now, with properties that were just read. */
  private[hudilite] def refresh(now: TableConfig): Table = Table.opened(storage, basePath, now)

  private[table] lazy val everything: ViewInstants = view(timeline.isCommitted, _ => true)

  private[table] def upTo(time: String): ViewInstants = view(t => t <= time && timeline.isCommitted(t), _ <= time)

  private[table] def view(isCommitted: String => Boolean, happened: String => Boolean): ViewInstants =
    ViewInstants(isCommitted, completionTime, replacedAt.filter { case (_, time) => happened(time) }.keySet,
      pendingCompactions.filter { case (_, time) => happened(time) }, config.version)

  // Only log files ask for completion times, so the archived timeline is read for few tables.
  private def completionTime(time: String): Option[String] =
    timeline.completionTime(time).orElse(if (timeline.beforeStart(time)) archivedCompletion.get(time) else None)

  private lazy val archivedCompletion: Map[String, String] =
    store.archivedCompleted().flatMap(i => i.completionTime.map(i.time -> _)).toMap

  /** The newest slices that the view sees in a listing, compared with the files that the writes say they left. */
  private[table] def slicesOf(view: ViewInstants, listing: Map[String, Seq[FileInfo]]): Map[String, Seq[FileSlice]] =
    withSources(committed.of(view, listing))

  /** The slices, each skeleton with the file outside of the table that has its other columns. */
  private[hudilite] def withSources(slices: Map[String, Seq[FileSlice]]): Map[String, Seq[FileSlice]] =
    if (config.isBootstrapped) new BootstrapIndex(storage, basePath).attached(slices) else slices

  /** Slices, compared with the files that writes name. */
  private[table] lazy val committed: CommittedSlices = memory.committed(new CommittedSlices(this))

  /** The listing without stray files. Where more than one attempt of a task left files, the commit names the right
    * ones.
    */
  private[hudilite] def committedFiles(listing: Map[String, Seq[FileInfo]]): Map[String, Seq[FileInfo]] =
    committed.committedFiles(listing)
}

object Table {

  /** Opens the table for reading. One that hudilite cannot read right raises `UnsupportedTable`. */
  def open(storage: Storage, basePath: String): Table =
    opened(storage, basePath, TableProperties.read(storage, basePath))

  private def opened(storage: Storage, basePath: String, config: TableConfig): Table = {
    TableSupport.checkReadable(config, basePath)
    load(storage, basePath, config)
  }

  /** Like [[open]]; `None` where there is no table. Files that this process knows of this snapshot are taken over, see
    * [[FileMemory]].
    */
  def find(storage: Storage, basePath: String): Option[Table] = TableProperties.find(storage, basePath).map { config =>
    TableSupport.checkReadable(config, basePath)
    load(storage, basePath, config, FileMemory.of(storage, basePath, config, _))
  }

  /** Opens a table whatever its features are. */
  private[hudilite] def load(storage: Storage, basePath: String, config: TableConfig): Table =
    load(storage, basePath, config, _ => new FileMemory)

  private def load(storage: Storage, basePath: String, config: TableConfig, memory: Timeline => FileMemory): Table = {
    val ofTable = TableStorage.of(storage, basePath)
    val store = new TimelineStore(ofTable, basePath, config)
    val timeline = store.load()
    Table(ofTable, basePath, config, timeline, store.schema(timeline))(memory(timeline))
  }

  /** Creates an empty table and opens it. An existing one raises `TABLE_ALREADY_EXISTS`. */
  def create(storage: Storage, basePath: String, table: TableDefinition): Table = {
    TableProperties.create(TableStorage.of(storage, basePath), basePath, TableConfig.create(table))
    open(storage, basePath)
  }
}

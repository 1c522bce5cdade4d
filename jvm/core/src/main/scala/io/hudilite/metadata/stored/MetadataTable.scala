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

import java.util.concurrent.ConcurrentHashMap

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
  * @param isAsked
  *   a reader asks for it, whatever may have gone wrong before the timeline begins; else actions that have left the
  *   timeline must be known to it, too
  */
final class MetadataTable(data: TimelineStore, dataTimeline: Timeline, isAsked: Boolean = true) {

  import MetadataTable.MostArchivedBytes

  private val storage: Storage = data.storage
  private val folder = s"${data.basePath.stripSuffix("/")}/.hoodie/metadata"

  /** Partitions that the properties of the table list. */
  val listed: Seq[String] = data.config.metadataPartitions

  /** It is said to keep statistics of columns of files. */
  def hasColumnStatistics: Boolean = listed.contains(MetadataPartition.ColumnStats.name)

  /** It is said to know values of functions over columns. */
  def hasExpressions: Boolean = listed.exists(_.startsWith(MetadataPartition.ExpressionPrefix))

  /** Version of the table. */
  private[stored] def version: Int = data.config.version

  /** It is said to know where record keys are. */
  def hasRecordIndex: Boolean = listed.contains(MetadataPartition.RecordIndex.name)

  private lazy val config: TableConfig = {
    if (!MetadataTable.namesFiles(data.config)) throw distrusted("it is not listed in the table's properties")
    val found = TableProperties.find(storage, folder).getOrElse(throw distrusted("it is listed, but not there"))
    if (!TableConfig.Versions.contains(found.version) || found.layout != data.config.layout)
      throw distrusted(s"it has the version ${found.version}")
    found
  }

  private lazy val store = new TimelineStore(storage, folder, config)

  /** Its own timeline. */
  lazy val timeline: Timeline = store.load()

  private lazy val instants: MetadataInstants = trusted.getOrElse(throw distrusted("its archive is long"))

  /** `None` where it would take long to find out if it can be trusted. */
  private lazy val trusted: Option[MetadataInstants] = {
    val found = new MetadataInstants(dataTimeline, timeline)
    if (timeline.writes.isEmpty) throw distrusted("it was never initialised")
    for {
      gone <- if (isAsked) Some(Nil) else left
      missing = found.unknown(store.hasArchive)
      // Its beginning, or what it knows of older writes of the table, may have left its timeline.
      own <- if (missing.isEmpty && found.unknown(gone, Nil).isEmpty) Some(Nil) else leftOwn
    } yield {
      found.unknown(missing, own).find(leftFiles).foreach(i =>
        throw distrusted(s"it does not know the ${i.action} ${i.time}"))
      found.unknown(gone, own).headOption.foreach(i =>
        throw distrusted(s"it does not know the ${i.action} ${i.time}, which is archived"))
      found
    }
  }

  /** False where it would take long to find out if it can be trusted. */
  def isWithinReach: Boolean = isAsked || (left.isDefined && trusted.isDefined)

  /** Completed actions that have left the table's timeline, where they are compared. */
  private lazy val left: Option[Seq[Instant]] = if (isAsked) None else data.archivedCompleted(MostArchivedBytes)

  /** Those that have left its own. */
  private lazy val leftOwn: Option[Seq[Instant]] =
    if (isAsked) Some(store.archivedCompleted()) else store.archivedCompleted(MostArchivedBytes)

  private lazy val leftTimes: Option[Set[String]] = left.map(_.map(_.time).toSet)

  /** The file is one of a write that is older than the timeline, and nothing is known of the write: it may have been taken
    * back when the metadata table did not know it yet, which leaves the names of its files there.
    */
  def isOfNobody(fileName: String): Boolean = leftTimes.exists(left =>
    writeOf(fileName).exists(time =>
      dataTimeline.beforeStart(time) && !dataTimeline.isCompleted(time) && !left(time)))

  // Before version 8 a log file bears the instant of its slice.
  private def writeOf(fileName: String): Option[String] = FileNames.parseBaseFile(fileName).map(_.instant).orElse(
    if (data.config.layout == 1) None else FileNames.parseLogFile(fileName).map(_.time))

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
  def records(partition: MetadataPartition): Iterator[MetadataRecord] =
    slices(partition).iterator.flatMap(reader(partition).of(_))

  /** The merged records of those of the keys that the partition has. Only file groups that may hold one are asked, and of
    * their base files only the blocks that may.
    */
  def records(partition: MetadataPartition, keys: Set[String]): Seq[MetadataRecord] =
    if (keys.isEmpty) Nil
    else {
      val groups = slices(partition)
      val numbers = MetadataPartition.groupsOf(partition, groups.map(_.fileId), keys)
      numbers.toSeq.sortBy(_._1).flatMap { case (number, some) =>
        reader(partition).of(groups(number), AskedKeys.These(some))
      }
    }

  /** The merged records whose keys begin with one of these texts, of all file groups of the partition. */
  def recordsBeginning(partition: MetadataPartition, prefixes: Set[String]): Seq[MetadataRecord] =
    if (prefixes.isEmpty) Nil
    else slices(partition).flatMap(reader(partition).of(_, AskedKeys.Beginning(prefixes)))

  /** The merged records of one file group of the partition whose keys begin with one of these texts. Whoever does not take
    * all of them closes the iterator, where it is a `Closeable`.
    *
    * @param number
    *   place of the file group among [[slices]]
    */
  private[stored] def recordsBeginning(partition: MetadataPartition, number: Int, prefixes: Set[String])
      : Iterator[MetadataRecord] = reader(partition).of(slices(partition)(number), AskedKeys.Beginning(prefixes))

  /** Counts the records of the file groups of a partition, in their order. */
  private[stored] def tally(partition: MetadataPartition): Seq[Tally] = reader(partition).tally(slices(partition))

  /** An action that has not completed in the table's timeline, and whose records may count as if it had. */
  private[stored] def ahead: Option[Instant] = instants.ahead

  private def reader(partition: MetadataPartition): SliceRecords =
    new SliceRecords(storage, folder, if (partition == MetadataPartition.Files) blocksOfNames else blocks.of)

  /** The file groups of the record index as tasks look keys up in them. */
  private[stored] def shards: StoredShards = StoredShards(folder, config.version, instants,
    slices(MetadataPartition.RecordIndex).toIndexedSeq, hasPartitionedIndex)

  /** The bloom filters of base files as tasks read them. */
  private[stored] def filters(basePath: String): StoredFilters = StoredFilters(basePath, folder, config.version,
    instants, slices(MetadataPartition.BloomFilters).toIndexedSeq)

  /** Partitions of the table have file groups of their own in its record index. */
  lazy val hasPartitionedIndex: Boolean =
    definitions.get(MetadataPartition.RecordIndex.name).exists(_.isPartitioned) ||
      slices(MetadataPartition.RecordIndex).exists(slice => StoredShards.partitionOf(slice.fileId).isDefined)

  private lazy val blocks = new SliceBlocks(storage, folder, config.version, instants.counts)

  // Names are asked for query by query, and their log files are small.
  private def blocksOfNames(slice: FileSlice): Seq[SliceBlock] =
    keptBlocks.computeIfAbsent(slice.fileId, _ => blocks.of(slice))

  private val keptBlocks = new ConcurrentHashMap[String, Seq[SliceBlock]]()

  /** Raises an error where what the partition `files` says cannot be trusted, as far as that shows without its records. */
  def checkNames(): Unit = {
    slices(MetadataPartition.Files)
    ()
  }

  /** A reader of slices of this state, which ships to tasks. */
  def stored: StoredSlices = new StoredSlices(folder, config.version, instants)

  /** The merged records of a slice. */
  def records(slice: FileSlice): Iterator[MetadataRecord] = new SliceRecords(storage, folder, blocks.of).of(slice)

  /** Reads file groups of the record index also where this table is not. */
  def placeReader: PlaceReader = new PlaceReader(folder, config.version, instants)

  /** The partitions of the table. */
  def partitions(): Set[String] = {
    val found = records(MetadataPartition.Files, Set(MetadataKeys.AllPartitions)).collect {
      case MetadataRecord(_, names: Names) => names.entries.keySet.map(MetadataKeys.path)
    }
    if (found.isEmpty && dataTimeline.writes.nonEmpty) throw distrusted("it does not say which partitions there are")
    found.headOption.getOrElse(Set.empty)
  }

  /** Lengths of the files of these partitions, by their names; none for a partition that it has nothing of. */
  def named(paths: Set[String]): Map[String, Map[String, Long]] =
    namesIn(records(MetadataPartition.Files, paths.map(MetadataKeys.ofPartition)).iterator)

  /** The partitions and files of the table that the partition `files` names. */
  def named(): NamedContent = NamedContent.of(records(MetadataPartition.Files).toSeq)

  private def namesIn(records: Iterator[MetadataRecord]): Map[String, Map[String, Long]] = records.collect {
    case MetadataRecord(key, names: Names) =>
      MetadataKeys.path(key) -> names.entries.map { case (name, file) => name -> file.bytes }
  }.toMap

  /** The newest slices of a partition, in the order of the numbers in their ids. */
  def slices(partition: MetadataPartition): Seq[FileSlice] =
    known.computeIfAbsent(partition.name, _ => trustedSlices(partition))

  private val known = new ConcurrentHashMap[String, Seq[FileSlice]]()

  private def trustedSlices(partition: MetadataPartition): Seq[FileSlice] = {
    if (!listed.contains(partition.name)) throw distrusted(s"${partition.name} is not listed in the table's properties")
    if (partition != MetadataPartition.Files)
      IndexDefinitions.unreadable(partition.name, definitions).foreach(reason => throw distrusted(reason))
    val listing = Map(partition.name -> storage.list(s"$folder/${partition.name}"))
    val found = shown(FileSystemView.slices(view, listing).getOrElse(partition.name, Nil))
    val made = madeAt(listing(partition.name))
    val told = toldSince(partition, found, made)
    val bases = namedBases(partition, found, told.map(_._2), made)
    bases.diff(listing(partition.name).map(_.name).toSet).foreach(name =>
      throw distrusted(s"its file $name of ${partition.name} is missing"))
    val logs = NamedLogs.of(folder, told.map { case (i, metadata) => i.time -> metadata }, Set(partition.name))
    whole(partition, FileSystemView.slices(view, listing, logs).getOrElse(partition.name, Nil), logs)
  }

  private def whole(partition: MetadataPartition, slices: Seq[FileSlice], logs: NamedLogs): Seq[FileSlice] = {
    MetadataPartition.incomplete(partition, slices.map(_.fileId)).foreach(reason => throw distrusted(reason))
    slices.iterator.flatMap(_.logs).flatMap(logs.damage(_)).take(1).foreach(throw _)
    slices.sortBy(_.fileId).map(slice => slice.copy(logs = slice.logs.sortBy(order)))
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

  private lazy val sinceCompaction: Seq[Instant] = timeline.writes.filter(i =>
    i.action == Action.DeltaCommit && !compacted.exists(_.time > i.completionTime.getOrElse(i.time)))

  /** The initialisation that these files of a partition are from. Partitions go and are made again, without the files that
    * earlier writes name.
    */
  private def madeAt(files: Seq[FileInfo]): Option[Instant] = files.map(_.name)
    .flatMap(name => FileNames.parseBaseFile(name).map(_.instant).orElse(FileNames.parseLogFile(name).map(_.time)))
    .filter(MetadataInstants.isMade).sorted.lastOption.flatMap(time => timeline.writes.find(_.time == time))

  private def isBefore(write: Instant, made: Instant): Boolean = (write.completionTime, made.completionTime) match {
    case (Some(completed), Some(made)) => completed < made
    case _ => write.time < made.time
  }

  /** Writes since the last compaction with what they say of their files. A missing one would hide what it says. A write of which
    * the partition `files` shows the only file that it has there is not asked.
    */
  private def toldSince(partition: MetadataPartition, shown: Set[String], made: Option[Instant])
      : Seq[(Instant, CommitMetadata)] = store.readCommits(sinceCompaction
      .filterNot(i => made.exists(isBefore(i, _)))
      .filterNot(i => partition == MetadataPartition.Files && shown(i.time)))

  /** Instants of the writes that a listing of `files` shows to be there: by the log file that each has from version 8 on,
    * and by the base file that the partition began with.
    */
  private def shown(slices: Seq[FileSlice]): Set[String] =
    if (config.layout == 1) Set.empty
    else slices.flatMap(_.logs).map(_.time).filterNot(MetadataInstants.isInitial).toSet ++
      slices.flatMap(_.base).map(_.instant)

  /** The base files that the last compaction has named, or the first writes. A slice without its base file would look
    * whole.
    */
  private def namedBases(partition: MetadataPartition, shown: Set[String], told: Seq[CommitMetadata],
      made: Option[Instant]): Set[String] =
    (told ++ compacted.filterNot(i =>
      made.exists(isBefore(i, _)) || (partition == MetadataPartition.Files && shown(i.time))).map(store.readCommit))
      .flatMap(_.allStats).filter(stat => stat.path == s"${partition.name}/${stat.fileName}")
      .map(_.fileName).filter(_.endsWith(".hfile")).toSet

  private def distrusted(reason: String): CorruptTable =
    CorruptTable("CORRUPT_FILE", "path" -> folder, "reason" -> reason)
}

object MetadataTable {

  // Of archived timelines that are compared unasked: some thousand actions.
  private val MostArchivedBytes = 8L << 20

  /** True when a table has a metadata table that names its files, by the table's properties. */
  def namesFiles(config: TableConfig): Boolean = config.metadataPartitions.contains(MetadataPartition.Files.name)
}

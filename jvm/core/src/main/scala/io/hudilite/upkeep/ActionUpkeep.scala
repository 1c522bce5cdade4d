package io.hudilite.upkeep

import io.hudilite.config.TableConfig
import io.hudilite.error.{CorruptTable, HudiliteException, UnsupportedTable}
import io.hudilite.metadata.{
  IndexedColumns,
  KnownFile,
  MetadataAction,
  MetadataChanges,
  MetadataPartition,
  MetadataRecord,
  MetadataRecords,
  MetadataShape,
  MetadataState
}
import io.hudilite.metadata.MetadataPartition.{BloomFilters, ColumnStats, Files, PartitionStats, RecordIndex}
import io.hudilite.metadata.MetadataPayload.Bloom
import io.hudilite.metadata.known.{KnownState, ToldFile, WantedFacts}
import io.hudilite.metadata.stored.MetadataTable
import io.hudilite.storage.Parallel
import io.hudilite.table.{MetadataUse, Table}
import io.hudilite.timeline.{
  CleanMetadata,
  CommitMetadata,
  DroppedColumns,
  TableSchema,
  Timeline,
  TimelineStore,
  WriteStat
}

/** Writes into a metadata table what an action of the table changes, in all of its partitions that are kept up. The caller
  * holds the lock of the table.
  *
  * A partition of which something cannot be known goes before, alone: its readers look at folders and footers then. Where
  * nothing of the metadata table can be trusted, `CORRUPT_FILE` is raised.
  *
  * @param now
  *   timeline of the table as it is
  * @param losing
  *   asked before partitions go, and raises an error where they must not
  * @param keys
  *   of the action
  */
private[hudilite] final class ActionUpkeep(home: MetadataHome, now: Timeline, losing: Seq[MetadataPartition] => Unit,
    keys: KeyWork = KeyWork()) {

  import ActionUpkeep._

  /** A write, a service that writes, or a change of columns.
    *
    * @param before
    *   the table before it
    * @param columns
    *   Avro schema of the table after it; `None` where it stays as it is
    */
  def written(instant: String, commit: CommitMetadata, before: Table, columns: Option[String]): Unit = {
    val changed = columns.orElse(before.storedJson).fold(Map.empty: Reasons)(after =>
      (home.expressions.flatMap(index => index.refusal(after).map(index.partition -> _)) ++
        home.secondary.flatMap(index =>
          index.lost(before.storedJson, after).map(index.partition -> _))).toMap) ++ tooMany(commit)
    if (changed.nonEmpty) without(changed).written(instant, commit, before, columns)
    else record(instant) { (metadata, shape) =>
      val grown = if (!shape.partitions(ColumnStats)) shape
      else shape.copy(columns = columns.map(DroppedColumns.without(before.config, _)).fold(shape.columns)(
        IndexedColumns.grown(shape.columns, before.storedJson, _, home.version)))
      val action = MetadataAction.Written(instant, commit, facts(commit, grown))
      action -> new KnownState(asNow(before), metadata).before(action, grown)
    }((so, metadata) =>
      orLost(RecordIndex)(new KeyUpkeep(so, keys).written(instant, commit, before, metadata)) ++
        so.secondary.flatMap(index =>
          orLost(index.partition)(new PairUpkeep(so, index.in(columns.orElse(before.storedJson)), keys.jobs)
              .written(instant, commit, before, asNow(grown(before, columns)), keys.told.isEmpty)(metadata))))
  }

  // Its files are read as the new ones are, whose columns may be wider. Where columns have ids, an instant has its own.
  private def grown(before: Table, columns: Option[String]): Table =
    if (before.schema.exists(_.byId.isDefined)) before
    else before.copy(schema = columns.map(TableSchema(_)).orElse(before.schema))

  // Names from the metadata table spare a listing.
  private def asNow(before: Table): Table = before.copy(timeline = now).readingMetadata(MetadataUse(isAsked = true))

  // Before the driver has them in memory.
  private def tooMany(commit: CommitMetadata): Reasons = {
    val filters = home.expressions.filter(_.isFilter)
    val files = commit.allStats.count(_.path.nonEmpty).toLong
    if (!areTooMany(files * filters.size)) Map.empty
    else filters.map(_.partition -> s"one action has filters of $files files").toMap
  }

  /** A cleaning, whose files are gone. */
  def cleaned(instant: String, clean: CleanMetadata): Unit =
    record(instant)((_, shape) => MetadataAction.Cleaned(instant, clean) -> MetadataState(shape))((_, _) => Nil)

  // Tasks tell them of their files; others have just been written, and are read side by side.
  private def facts(commit: CommitMetadata, shape: MetadataShape): Map[String, KnownFile] =
    if (!Footers.exists(shape.partitions) && shape.expressions.isEmpty) Map.empty
    else {
      val wanted = WantedFacts(shape.columns, shape.partitions(BloomFilters), shape.expressions)
      val files = wanted.on(home.storage)
      val base = home.basePath.stripSuffix("/")
      val told = commit.allStats.filter(_.path.nonEmpty).map(s => s -> ToldFile.of(s, wanted))
      val others = told.collect { case (stat, None) => stat }
      (told.collect { case (stat, Some(file)) => stat.path -> file } ++ others.map(_.path)
        .zip(Parallel.map(others)(s => files.of(s"$base/${s.path}", s.fileSizeInBytes)))).toMap
    }

  private def record(instant: String)(made: (MetadataTable, MetadataShape) => (MetadataAction, MetadataState))(
      ofKeys: (MetadataHome, MetadataTable) => Seq[WriteStat]): Unit = {
    new OwnWrites(home).makeWay(instant)
    val metadata = new MetadataTable(home.data, now)
    metadata.checkNames()
    val wrong = unreadable(metadata)
    val told = if (wrong.nonEmpty) Left(wrong) else changes(metadata, made)
    told match {
      case Left(reasons) =>
        without(reasons).record(instant)(made)(ofKeys)
      case Right((columns, changes)) =>
        if (columns != definedIn(metadata)) home.define(columns)
        def keyed = if (home.partitions.contains(RecordIndex)) ofKeys(home, metadata) else Nil
        if (changes.records.nonEmpty)
          try new MetadataWriter(home).write(instant, changes, metadata, now, keyed)
          catch { case lost: Lost => withoutOrRefused(lost).record(instant)(made)(ofKeys) }
    }
  }

  // As its files are read, which is late: the write of the metadata table is pending.
  private def orLost[T](partition: MetadataPartition)(body: => T): T =
    try body
    catch { case e: UnsupportedTable => throw new Lost(Map(partition -> e.getMessage), e) }

  /** As it goes on once these partitions are gone. */
  private def without(reasons: Reasons): ActionUpkeep = {
    val lost = withDependents(reasons)
    losing(lost.keys.toSeq)
    new ActionUpkeep(home.without(lost), now, losing, keys)
  }

  // Its own error says more than that of the policy.
  private def withoutOrRefused(lost: Lost): ActionUpkeep =
    try without(lost.reasons)
    catch {
      case e: UnsupportedTable =>
        lost.refusal.addSuppressed(e)
        throw lost.refusal
    }

  private def changes(metadata: MetadataTable, made: (MetadataTable, MetadataShape) => (MetadataAction, MetadataState))
      : Either[Reasons, (Seq[String], MetadataChanges)] = {
    val others = home.partitions.filterNot(_ == Files)
    def unknown(e: Throwable): Reasons = others.map(_ -> String.valueOf(e.getMessage)).toMap
    try {
      val shape =
        MetadataShape(home.partitions.toSet, home.version, definedIn(metadata), expressions = home.expressions)
      val (action, before) = made(metadata, shape)
      val found = home.changes(action, before)
      val lost = tooLarge(found) ++ MetadataRecords.withoutBounds(action, before).map(PartitionStats -> _) ++
        MetadataRecords.withoutValues(action, before)
      if (lost.isEmpty) Right(before.shape.columns -> found) else Left(lost)
    } catch {
      case e: Throwable with HudiliteException if others.nonEmpty => Left(unknown(e))
      case e: IllegalArgumentException if others.nonEmpty => Left(unknown(e))
    }
  }

  /** Partitions that cannot be read, or that nobody can go on with. */
  private def unreadable(metadata: MetadataTable): Reasons =
    home.partitions.filterNot(_ == Files).flatMap(p => unreadable(p, metadata).map(p -> _)).toMap

  private def unreadable(partition: MetadataPartition, metadata: MetadataTable): Option[String] =
    try {
      metadata.slices(partition)
      partition match {
        case ColumnStats if definedIn(metadata).isEmpty => Some("no definition says which columns it has")
        case PartitionStats if !home.partitions.contains(ColumnStats) => Some("there are no statistics of files")
        case _ => None
      }
    } catch { case e: CorruptTable => Some(e.getMessage) }

  private def definedIn(metadata: MetadataTable): Seq[String] =
    if (home.partitions.contains(ColumnStats)) metadata.definitions.get(ColumnStats.name).toSeq.flatMap(_.columns)
    else Nil

  private def withDependents(reasons: Reasons): Reasons = home.secondariesWithout(reasons.keySet) ++
    (if (reasons.contains(ColumnStats) && home.partitions.contains(PartitionStats))
       Map(PartitionStats -> "the statistics of files go") ++ reasons
     else reasons)
}

private[hudilite] object ActionUpkeep {

  /** The facts on its files that a write is asked for as it completes; `None` where none are.
    *
    * @param before
    *   the table before it, with its properties as they are now
    * @param after
    *   Avro schema of the table after it
    */
  def wanted(before: Table, config: TableConfig, after: String): Option[WantedFacts] = {
    val home = new MetadataHome(new TimelineStore(before.storage, before.basePath, config))
    if (!home.isKept || (!home.partitions.exists(Footers) && home.expressions.isEmpty)) None
    else
      try {
        val defined = if (home.partitions.contains(ColumnStats)) home.defined else Nil
        val columns =
          if (defined.isEmpty) Nil
          else IndexedColumns.grown(defined, before.storedJson, DroppedColumns.without(config, after), home.version)
        Some(WantedFacts(columns, home.partitions.contains(BloomFilters), home.expressions))
      } catch { case _: CorruptTable => None } // told as it completes
  }

  private type Reasons = Map[MetadataPartition, String]

  private final class Lost(val reasons: Reasons, val refusal: UnsupportedTable) extends RuntimeException(refusal)

  private val Footers: Set[MetadataPartition] = Set(ColumnStats, PartitionStats, BloomFilters)

  // One process writes them, and each file of the metadata table is made in memory.
  private val MostRecords = 2000000
  private val MostBloomBytes = 256L << 20

  // Filters of values are read as they are made, and those of ten actions to lay them out again.
  private val MostFilterBytes = 64L << 20

  // A bloom filter of values of a function.
  private val FilterBytes = 431380L

  /** So many filters of values of functions are more than one process should write at once. */
  private[upkeep] def areTooMany(filters: Long): Boolean = filters * FilterBytes > MostFilterBytes

  /** Partitions with more records than one process should write at once. */
  private[upkeep] def tooLarge(changes: MetadataChanges): Map[MetadataPartition, String] =
    for ((partition, records) <- changes.records; reason <- tooLarge(partition, records)) yield partition -> reason

  private def isOfFilters(partition: MetadataPartition): Boolean =
    partition == BloomFilters || MetadataHome.isExpression(partition.name)

  private def tooLarge(partition: MetadataPartition, records: Seq[MetadataRecord]): Option[String] = {
    lazy val bytes = records.map(_.payload).collect { case bloom: Bloom => bloom.text.length.toLong }.sum
    if (partition == Files) None
    else if (records.size > MostRecords) Some(s"one action has ${records.size} records of it")
    else if (isOfFilters(partition) && bytes > MostBloomBytes) Some(s"one action has filters of $bytes bytes")
    else None
  }
}

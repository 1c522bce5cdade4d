package io.hudilite.upkeep

import io.hudilite.config.TableType
import io.hudilite.filegroup.{FileGroupId, FileSlice}
import io.hudilite.metadata.{GroupRecords, MetadataPartition, MetadataRecord, SecondaryIndex, SecondaryKey}
import io.hudilite.metadata.MetadataPayload.{Pair, Place}
import io.hudilite.metadata.stored.{MetadataTable, PlaceReader}
import io.hudilite.record.KeyChange
import io.hudilite.storage.{Storage, WeightedCache}
import io.hudilite.table.{RowCounts, Table}
import io.hudilite.timeline.{CommitMetadata, WriteStat}

import scala.collection.mutable

/** Writes into a secondary index what an action changes, or makes it (docs/format.md#secondary-indexes).
  * As for the record index, a delta commit of the metadata table is pending meanwhile.
  */
private[upkeep] final class PairUpkeep(home: MetadataHome, index: SecondaryIndex, jobs: KeyJobs) {

  /** The log files that the action makes. A row with a place in the record index is never without its pair: where rows that
    * stay may get one, their pairs come again.
    *
    * @param before
    *   the table before the action
    * @param now
    *   as its timeline is now, with the columns that it has after the action
    * @param all
    *   rows that stay may get a place
    */
  def written(instant: String, commit: CommitMetadata, before: Table, now: => Table, all: Boolean)(
      metadata: MetadataTable): Seq[WriteStat] = {
    lazy val current = now
    lazy val merged = mergedPairs(current, instant)
    val sources =
      if (KeyUpkeep.isQuiet(commit)) Nil
      else if (commit.operation == CommitMetadata.Cluster) clustered(commit, current)
      // A compaction may have completed beside the write, and its log files lie on top of that.
      else changes(commit, if (isMerged) current else before, all, merged)
    if (sources.isEmpty) Nil
    else {
      val pending = metadata.pending
      val shards = metadata.slices(index.partition).toIndexedSeq.map(slice =>
        IndexShard(slice, GroupFiles.logName(home.version, slice, pending.get(slice.groupId), instant), isNew = false))
      jobs.run(sources,
        PairShards(home.basePath, home.folder, home.version, instant, index, shards,
          places(metadata, changed(commit, sources), current), all, merged), home.storage)
    }
  }

  private def mergedPairs(before: => Table, instant: String): Option[MergedPairs] =
    if (!isMerged) None
    else {
      val table = before
      jobs.mergedPairs(table, index, (table.timeline.lastTime.toSeq :+ instant).max)
    }

  private def isMerged: Boolean = home.data.config.tableType == TableType.MergeOnRead

  /** `None` where no two rows have one key, so that a pair that leaves is that of no other. To count rows takes longer than
    * to look for a few keys.
    */
  private def places(metadata: MetadataTable, changed: Long, before: => Table): Option[PlacesBefore] =
    if (changed > CommitShards.KeysAtOnce && before.recordIndex.isRight) None
    else Some(places(metadata))

  /** Rows that come, go or change. Of replaced file groups only their bytes are known. */
  private def changed(commit: CommitMetadata, sources: Seq[KeySource]): Long =
    if (commit.replaced.nonEmpty) sources.map(_.estimate).sum
    else files(commit).map(stat => stat.numInserts + stat.numUpdateWrites + stat.numDeletes).sum

  private def places(metadata: MetadataTable): PlacesBefore = {
    val slices = metadata.slices(MetadataPartition.RecordIndex).toIndexedSeq
    PlacesBefore(IndexGroups(slices.map(_.fileId), isPartitioned = false), slices, metadata.placeReader)
  }

  // Where each row has a place, each has its pair.
  private def clustered(commit: CommitMetadata, now: Table): Seq[KeySource] =
    if (now.recordIndex.isRight) Nil
    else files(commit).map(ChangedPairs.written(home.basePath, _, None, index, all = true))

  private def files(commit: CommitMetadata): Seq[WriteStat] = commit.allStats.filter(_.path.nonEmpty).toSeq

  private def changes(commit: CommitMetadata, before: Table, all: Boolean, merged: => Option[MergedPairs])
      : Seq[KeySource] = {
    val files = this.files(commit)
    val slices = before.slices((commit.replaced.keySet ++ files.map(_.partitionPath)).toSeq)
    val byId = slices.map { case (partition, some) => partition -> some.map(slice => slice.fileId -> slice).toMap }
    def of(partition: String, fileId: String): Option[FileSlice] = byId.get(partition).flatMap(_.get(fileId))
    val replaced = commit.replaced.toSeq.flatMap { case (partition, ids) => ids.distinct.flatMap(of(partition, _)) }
    val written = files.groupBy(stat => FileGroupId(stat.partitionPath, stat.fileId)).toSeq
    replaced.map(leaving(_, merged)) ++ written.map { case (group, stats) =>
      this.written(stats, of(group.partition, group.fileId), all, merged)
    }
  }

  private def leaving(slice: FileSlice, merged: => Option[MergedPairs]): KeySource =
    if (slice.logs.isEmpty) ChangedPairs.leaving(home.basePath, slice, index)
    else LoggedPairs.leaving(home.basePath, slice, index, orUntold(merged, slice.fileId))

  private def written(stats: Seq[WriteStat], before: Option[FileSlice], all: Boolean, merged: => Option[MergedPairs])
      : KeySource =
    if (stats.exists(_.isLog) || before.exists(_.logs.nonEmpty))
      LoggedPairs.written(home.basePath, stats, before, index, all, orUntold(merged, stats.head.fileId))
    else ChangedPairs.written(home.basePath, stats.head, before, index, all)

  private def orUntold(merged: Option[MergedPairs], fileId: String): MergedPairs =
    merged.getOrElse(throw LoggedPairs.untold(home.basePath, fileId, index))

  /** Makes it of the rows of the newest slices, or says why it cannot be made.
    *
    * @param instant
    *   that no other write of the metadata table has
    */
  def made(table: Table, asked: ValuesToMake, instant: String): Option[String] = {
    val slices = table.allSlices().values.flatten.toSeq
    val merged = mergedPairs(table, instant)
    if (merged.isEmpty && slices.exists(_.logs.nonEmpty))
      Some("some file groups have log files, whose values are not merged here; compact the table first")
    else {
      val sources = slices.map(slice =>
        merged.filter(_ => slice.logs.nonEmpty).fold[KeySource](ChangedPairs.staying(home.basePath, slice, index))(
          LoggedPairs.staying(home.basePath, slice, index, _)))
      MetadataHome.deleteBelow(home.storage, home.folderOf(index.partition))
      home.define(index)
      // An estimate: a file group of the index has room for 22 million keys.
      val rows = if (asked.least == asked.most) 0L else RowCounts.estimate(table, slices.flatMap(_.base)).getOrElse(0L)
      val ids = (0 until IndexGroups.reckoned(rows, asked.least, asked.most, asked.growth))
        .map(GroupRecords(index.partition, _, Nil).fileId)
      new MetadataWriter(home).begin(index.partition, ids, instant, table.timeline)(
        jobs.run(sources, InitialPairs(home.folder, home.version, instant, index, ids), home.storage))
      None
    }
  }
}

/** The places of record keys before an action. */
private[upkeep] final case class PlacesBefore(groups: IndexGroups, slices: IndexedSeq[FileSlice], reader: PlaceReader) {
  def of(storage: Storage, keys: Set[String]): Map[String, Place] =
    keys.groupBy(groups.numberOf(_, "")).toSeq.flatMap { case (number, some) =>
      reader.places(storage, slices(number), some)
    }.toMap
}

/** The secondary index of a table that a write changes. A pair that comes anywhere is there, whatever it leaves. One that
  * leaves a file group stays where a row at the place of its key has it: another one of that key.
  *
  * @param shards
  *   in the order of the groups
  * @param places
  *   `None` where no two rows have one key
  * @param all
  *   pairs of rows that stay in their file group are written, too
  * @param merged
  *   reads slices with log files
  */
private[upkeep] final case class PairShards(basePath: String, folder: String, version: Int, instant: String,
    index: SecondaryIndex,
    shards: IndexedSeq[IndexShard], places: Option[PlacesBefore], all: Boolean, merged: Option[MergedPairs])
    extends KeyShards {

  override def inTasks: Boolean = merged.isDefined

  override def count: Int = shards.size

  override def numberOf(key: String, partition: String): Int = index.groupOf(key, shards.size)

  override def write(storage: Storage, number: Int, changes: Iterator[KeyChange]): Option[WriteStat] = {
    val shard = shards(number)
    val records = new CommitShards.ByKey(changes).grouped(CommitShards.KeysAtOnce).flatMap(changed(storage, _))
    new KeyFiles(storage, folder, version, index.partition).log(shard.slice.fileId, shard.logName, instant, records)
      .map(_.copy(prevCommit = instant))
  }

  private def changed(storage: Storage, lot: Seq[(String, Seq[KeyChange])]): Seq[MetadataRecord] = {
    def comes(some: Seq[KeyChange]): Boolean = some.exists(_.fileId.isDefined)
    val leaving = lot.collect { case (key, some) if !comes(some) => SecondaryKey.parse(key).recordKey }.toSet
    val known = if (leaving.isEmpty) Map.empty[String, Place]
    else places.fold(Map.empty[String, Place])(_.of(storage, leaving))
    def isElsewhere(key: String, some: Seq[KeyChange]): Boolean =
      known.get(SecondaryKey.parse(key).recordKey).exists(place =>
        !some.exists(_.leaves(place.partition, place.fileId)))
    def stays(some: Seq[KeyChange]): Boolean =
      !all && some.exists(came => came.fileId.exists(group => some.exists(_.leaves(came.partition, group))))
    lazy val there = pairsThere(storage, known,
      lot.collect { case (key, some) if !comes(some) && isElsewhere(key, some) => key }.toSet)
    lot.filterNot { case (key, some) => if (comes(some)) stays(some) else isElsewhere(key, some) && there(key) }
      .map { case (key, some) => MetadataRecord(key, Pair(isDeleted = !comes(some))) }
  }

  /** Those of the pairs that the rows at the places of their keys have before the action. */
  private def pairsThere(storage: Storage, known: Map[String, Place], pairs: Set[String]): Set[String] = {
    val groups = pairs.flatMap(pair => known.get(SecondaryKey.parse(pair).recordKey)).map(place =>
      FileGroupId(place.partition, place.fileId))
    there.of(storage, basePath, index, groups, merged).flatMap(_.filter(pairs)).toSet
  }

  // Of all lots and shards of a process.
  @transient private lazy val there = new PairsOfFiles
}

/** Pairs in the files of file groups before an action. The table is opened once, and a file is read once as long as its
  * pairs are few.
  */
private[upkeep] final class PairsOfFiles {

  import PairsOfFiles._

  private var opened: Option[Table] = None
  private val slices = mutable.HashMap.empty[String, Seq[FileSlice]]
  private val known = new WeightedCache[FileGroupId, Seq[String]](MostLetters)

  /** The pairs of each of these file groups that is there.
    *
    * @param merged
    *   reads slices with log files
    */
  def of(storage: Storage, basePath: String, index: SecondaryIndex, groups: Set[FileGroupId],
      merged: Option[MergedPairs]): Iterator[Iterator[String]] = {
    val missing = groups.map(_.partition).filterNot(slices.contains)
    if (missing.nonEmpty) {
      val table = opened.getOrElse(Table.open(storage, basePath))
      opened = Some(table)
      val found = table.slices(missing.toSeq)
      slices ++= missing.iterator.map(path => path -> found.getOrElse(path, Nil))
    }
    groups.iterator.flatMap(group => slices(group.partition).find(_.groupId == group)).map { slice =>
      def read: Iterator[String] = LoggedPairs.of(storage, basePath, index, slice, merged).map(_.text)
      known.get(slice.groupId).map(_.iterator).getOrElse(
        if (slice.totalLength > MostFileBytes) read else kept(slice.groupId, read).iterator)
    }
  }

  private def kept(group: FileGroupId, read: Iterator[String]): Seq[String] = {
    val pairs = read.toVector
    known.put(group, pairs, pairs.iterator.map(_.length + LettersOfText).sum)
    pairs
  }
}

private object PairsOfFiles {
  private val MostLetters = 16L << 20
  private val LettersOfText = 32L
  // Packed, so that it may have some more letters than that.
  private val MostFileBytes = 4L << 20
}

/** A secondary index that is being made.
  *
  * @param ids
  *   of its file groups, in their order
  */
private[upkeep] final case class InitialPairs(folder: String, version: Int, instant: String, index: SecondaryIndex,
    ids: IndexedSeq[String]) extends KeyShards {

  override def count: Int = ids.size

  override def numberOf(key: String, partition: String): Int = index.groupOf(key, ids.size)

  override def write(storage: Storage, number: Int, changes: Iterator[KeyChange]): Option[WriteStat] =
    new KeyFiles(storage, folder, version, index.partition).base(ids(number), instant,
      new CommitShards.ByKey(changes).map { case (key, _) => MetadataRecord(key, Pair(isDeleted = false)) })
}

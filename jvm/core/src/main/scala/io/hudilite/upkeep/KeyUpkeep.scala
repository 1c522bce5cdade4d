package io.hudilite.upkeep

import io.hudilite.error.{CommitConflict, UnsupportedTable}
import io.hudilite.filegroup.FileSlice
import io.hudilite.metadata.MetadataPartition
import io.hudilite.metadata.stored.MetadataTable
import io.hudilite.table.Table
import io.hudilite.timeline.{CommitMetadata, InstantTime, WriteStat}

import java.time.ZoneId

/** Keys of a commit and the means to keep up a record index by them.
  *
  * @param told
  *   all keys that the tasks of the write have brought and taken; `None` where nobody has told, so that its files are read
  * @param newGroups
  *   file groups that a partitioned index gets for a new partition of the table
  */
private[hudilite] final case class KeyWork(told: Option[ToldKeys] = None, jobs: KeyJobs = DriverKeyJobs,
    newGroups: Int = 1)

/** Writes into the record index of a table what an action changes. The delta commit of the metadata table is pending, which
  * has whoever takes the action back find the files.
  */
private[upkeep] final class KeyUpkeep(home: MetadataHome, work: KeyWork) {

  import KeyUpkeep._

  /** The log files that the action makes.
    *
    * @param before
    *   the table before the action
    */
  def written(instant: String, commit: CommitMetadata, before: Table, metadata: MetadataTable): Seq[WriteStat] = {
    val sources = if (isQuiet(commit)) Nil else changes(instant, commit, before)
    if (sources.isEmpty) Nil
    else {
      val slices = metadata.slices(MetadataPartition.RecordIndex)
      val found = IndexGroups(slices.map(_.fileId).toIndexedSeq, isPartitioned(metadata, slices))
      val written = commit.stats.collect { case (partition, stats) if stats.exists(_.path.nonEmpty) => partition }
      val missing = if (found.isPartitioned) found.missing(written ++ commit.replaced.keys, work.newGroups) else Nil
      if (missing.nonEmpty) KeyUpkeep.checkNames(home, written)
      if (missing.nonEmpty) new GroupFiles(home).begin(MetadataPartition.RecordIndex, missing, instant)
      val groups = found.copy(ids = (found.ids ++ missing).sorted)
      val shards = shardsOf(slices, missing, metadata, instant)
      work.jobs.run(sources,
        CommitShards(home.folder, home.version, instant,
          InstantTime.toEpochMillis(instant, ZoneId.systemDefault), groups, groups.ids.map(shards),
          metadata.placeReader, isRead = work.told.isEmpty, KeyUpkeep.limit(home)), home.storage)
    }
  }

  private def isPartitioned(metadata: MetadataTable, slices: Seq[FileSlice]): Boolean =
    metadata.definitions.get(MetadataPartition.RecordIndex.name).fold(
      slices.exists(_.fileId.length != MetadataPartition.RecordIndex.prefix.length + NumberLength))(_.isPartitioned)

  private def shardsOf(slices: Seq[FileSlice], missing: Seq[String], metadata: MetadataTable, instant: String)
      : Map[String, IndexShard] = {
    val pending = metadata.pending
    def shard(slice: FileSlice, isNew: Boolean): (String, IndexShard) = slice.fileId ->
      IndexShard(slice,
        GroupFiles.logName(home.version, slice, pending.get(slice.groupId), instant,
          // Its first file is one of the same write.
          if (isNew) GroupFiles.SecondToken else GroupFiles.Token), isNew)
    (slices.map(shard(_, isNew = false)) ++
      missing.map(id =>
        shard(FileSlice(MetadataPartition.RecordIndex.name, id, instant, None, Nil), isNew = true))).toMap
  }

  // Of its records only a merge with the slice says which ones stay. The next attempt sees the index and tells.
  private def untold(instant: String, log: WriteStat): CommitConflict =
    CommitConflict("COMMIT_CONFLICT", "instant" -> instant, "path" -> home.basePath,
      "reason" ->
        s"the table got a record index since this write began, and ${log.path} does not tell which of its rows stay")

  private def changes(instant: String, commit: CommitMetadata, before: Table): Seq[KeySource] = {
    // A clustering writes each row again, whose new place counts.
    val isMoved = commit.operation == CommitMetadata.Cluster
    val replaced = if (isMoved) Map.empty[String, Seq[String]] else commit.replaced
    val files = commit.allStats.filter(_.path.nonEmpty).toSeq
    if (work.told.isEmpty && !isMoved) files.find(_.isLog).foreach(log => throw untold(instant, log))
    val rewritten = if (work.told.isDefined || isMoved) Nil else files.filterNot(_.isLog)
    val slices = before.slices((replaced.keySet ++ rewritten.map(_.partitionPath)).toSeq)
    def former(groups: Map[String, Set[String]]): Seq[FileSlice] = groups.toSeq.flatMap { case (partition, ids) =>
      slices.getOrElse(partition, Nil).filter(slice => ids(slice.fileId))
    }
    val leaving = former(replaced.map { case (p, ids) => p -> ids.toSet }) ++
      former(rewritten.groupBy(_.partitionPath).map { case (p, stats) => p -> stats.map(_.fileId).toSet })
    leaving.distinct.flatMap(SliceKeys.leaving(home.basePath, _)) ++
      work.told.fold(files.map(SliceKeys.written(home.basePath, _)))(_.parts)
  }
}

private[upkeep] object KeyUpkeep {
  private val NumberLength = "0000-0".length

  /** Of the keys of a record index. */
  def limit(home: MetadataHome): KeyLimit = KeyLimit(home.basePath,
    s"a record index of ${home.data.config.recordKeyFields.mkString(", ")}", "a record key")

  /** Raises `UNSUPPORTED_TABLE_FEATURE` where a partition of the table would have file groups of its own whose log files
    * nobody takes for such by their names.
    */
  def checkNames(home: MetadataHome, partitions: Iterable[String]): Unit =
    partitions.find(_.contains('.')).foreach(partition =>
      throw UnsupportedTable("UNSUPPORTED_TABLE_FEATURE", "path" -> home.basePath,
        "feature" -> s"a record index by partition, with '$partition' among these",
        "reason" ->
          "names of its log files have the partition in them, and no dot; drop the index, or make one of the whole table"))

  /** Rows stay where they are, as they are. */
  def isQuiet(commit: CommitMetadata): Boolean =
    commit.operation == CommitMetadata.Compact || commit.isLogCompaction || commit.compacted
}

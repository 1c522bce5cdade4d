package io.hudilite.upkeep

import io.hudilite.filegroup.FileSlice
import io.hudilite.metadata.MetadataPartition
import io.hudilite.table.{RowCounts, Table}
import io.hudilite.timeline.InstantTime

import java.time.ZoneId

/** Makes the record index of a table, of the keys of its newest slices (docs/format.md#record-index). The caller holds the
  * lock of the table, and has readers trust the index then.
  */
private[upkeep] final class KeyInitialisation(home: MetadataHome, jobs: KeyJobs) {

  /** Makes it, or says why it cannot be made.
    *
    * @param table
    *   the table as it is
    * @param instant
    *   that no other write of the metadata table has
    */
  def made(table: Table, asked: KeysToMake, instant: String): Option[String] = {
    val slices = table.allSlices().values.flatten.toSeq
    if (asked.isPartitioned) KeyUpkeep.checkNames(home, slices.map(_.partition).distinct)
    sources(table, slices) match {
      case Left(reason) => Some(reason)
      case Right(found) =>
        MetadataHome.deleteBelow(home.storage, home.folderOf(MetadataPartition.RecordIndex))
        home.defineKeys(asked.isPartitioned)
        val groups = groupsOf(table, slices, asked)
        val shards = InitialShards(home.folder, home.version, instant, groups,
          slices.map(s =>
            s.groupId -> InstantTime.toEpochMillis(s.instant, ZoneId.systemDefault)).toMap, KeyUpkeep.limit(home))
        new MetadataWriter(home).begin(MetadataPartition.RecordIndex, groups.ids, instant, table.timeline)(
          jobs.run(found, shards, home.storage))
        None
    }
  }

  private def sources(table: Table, slices: Seq[FileSlice]): Either[String, Seq[KeySource]] = {
    val (logged, plain) = slices.partition(_.logs.nonEmpty)
    val merged = if (logged.isEmpty) Some(Nil) else jobs.merged(table, logged)
    merged.map(_ ++ plain.flatMap(SliceKeys.staying(home.basePath, _))).toRight(
      s"${logged.size} file groups have log files, whose keys are not merged here; compact the table first")
  }

  private def groupsOf(table: Table, slices: Seq[FileSlice], asked: KeysToMake): IndexGroups = {
    def count(of: Seq[FileSlice]): Int = {
      // An estimate: a file group of the index has room for 22 million keys.
      def rows = RowCounts.estimate(table, of.flatMap(_.base)).getOrElse(0L)
      if (asked.least == asked.most) asked.least else IndexGroups.reckoned(rows, asked.least, asked.most, asked.growth)
    }
    if (asked.isPartitioned)
      IndexGroups.partitioned(slices.groupBy(_.partition).map { case (partition, of) => partition -> count(of) })
    else IndexGroups.global(count(slices))
  }
}

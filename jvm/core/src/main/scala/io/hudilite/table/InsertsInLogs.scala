package io.hudilite.table

import io.hudilite.filegroup.{FileGroupId, FileSlice}
import io.hudilite.timeline.{Action, CommitMetadata, Instant, WriteStat}

/** File groups whose log files may hold keys that their base files do not have (docs/format.md#writing-log-files).
  *
  * Writers whose index knows log files put new rows there, as Apache Hudi does with its in-memory index, and Flink. What
  * they said of their log files tells it, so that no log file is opened for it; of an archived write nobody knows.
  */
private[hudilite] final class InsertsInLogs(table: Table) {

  /** Those of the slices that have both a base file and such log files. */
  def among(slices: Seq[FileSlice]): Set[FileGroupId] = {
    val both = slices.filter(s => s.base.isDefined && s.logs.nonEmpty)
    if (both.isEmpty) Set.empty
    else {
      val active = InsertsInLogs.writersOf(both, table.timeline.writes, table.config.layout)
      val commits = table.store.readCommits(active)
      val groups = InsertsInLogs.addedTo(commits)
      val known = active.map(_.time).toSet
      lazy val appended =
        commits.flatMap(_._2.allStats).filter(_.isLog).groupBy(s => FileGroupId(s.partitionPath, s.fileId))
      both.filter(s =>
        groups(s.groupId) || !isTold(s, known) || isOlder(s, appended.getOrElse(s.groupId, Nil))).map(_.groupId).toSet
    }
  }

  /** Some of the log files were there before the base file was: they were written while the compaction that made it was
    * pending. What they update may be rows of the base file before that one, which log files before the compaction's plan
    * had deleted, so that the new one does not have them.
    *
    * @param appended
    *   what the writes of the log files said of them
    */
  private def isOlder(slice: FileSlice, appended: => Seq[WriteStat]): Boolean = slice.base.exists { base =>
    if (table.config.layout == 1) {
      val logs = slice.logs.map(_.name).toSet
      appended.exists(s => logs(s.fileName) && !s.baseFile.contains(base.name))
    } else {
      // When an archived write completed, nobody knows.
      val completed = table.timeline.completionTime(base.instant)
      completed.forall(at => slice.logs.exists(l => table.timeline.completionTime(l.time).forall(_ < at)))
    }
  }

  /** Every write that may have made the log files is among those that are known. One that bears the instant of its slice is
    * of version 6, before an upgrade, and may be of any later write.
    */
  private def isTold(slice: FileSlice, known: Set[String]): Boolean =
    if (table.config.layout == 1) !table.timeline.beforeStart(slice.instant)
    else slice.logs.forall(l => known(l.time) && !slice.base.exists(_.instant == l.time))
}

private[table] object InsertsInLogs {

  /** The writes that made the log files. Before version 8 names tell no more than that it was after the slice began. */
  def writersOf(slices: Seq[FileSlice], writes: Seq[Instant], layout: Int): Seq[Instant] = {
    val deltas = writes.filter(_.action == Action.DeltaCommit)
    if (layout == 1) {
      val first = slices.map(_.instant).min
      deltas.filter(_.time > first)
    } else {
      val made = slices.flatMap(_.logs).map(_.time).toSet
      deltas.filter(i => made(i.time))
    }
  }

  /** File groups to whose log files these writes added keys. A log compaction repeats the records of others. */
  def addedTo(writes: Seq[(Instant, CommitMetadata)]): Set[FileGroupId] = (for {
    (_, metadata) <- writes
    stat <- metadata.allStats if stat.isLog && (stat.numInserts > 0 || metadata.isLogCompaction)
  } yield FileGroupId(stat.partitionPath, stat.fileId)).toSet
}

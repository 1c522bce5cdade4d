package io.hudilite.table

import io.hudilite.filegroup.{FileGroupId, FileSlice, RowsTaken}
import io.hudilite.record.MetaFields
import io.hudilite.timeline.{Action, CommitMetadata, Instant, WriteStat}

/** File groups whose log files may add or delete keys, besides new versions of rows (docs/format.md#writing-log-files).
  *
  * Writers whose index knows log files put new rows there: Apache Hudi with its in-memory index, and Flink. Any log
  * file may delete keys. The statistics of writes tell it, so no log file is opened. Archived writes are not known.
  */
private[hudilite] final class KeysInLogs(table: Table) {

  import KeysInLogs._

  /** File groups among those of the slices with log files. */
  def among(slices: Seq[FileSlice]): Groups = {
    val logged = slices.filter(_.logs.nonEmpty)
    if (logged.isEmpty) Groups.None
    else {
      val active = writersOf(logged, table.timeline.writes, table.config.layout)
      val commits = table.store.readCommits(active)
      val known = active.map(_.time).toSet
      val untold = logged.filterNot(isTold(_, known)).map(_.groupId).toSet
      lazy val appended =
        commits.flatMap(_._2.allStats).filter(_.isLog).groupBy(s => FileGroupId(s.partitionPath, s.fileId))
      val (adding, deleting) = (addedTo(commits), deletedFrom(commits))
      val added = logged.filter(s =>
        s.base.isDefined &&
          (adding(s.groupId) || untold(s.groupId) || isOlder(s, appended.getOrElse(s.groupId, Nil))))
      Groups(added.map(_.groupId).toSet,
        logged.map(_.groupId).filter(id => marksDeletes || deleting(id) || untold(id)).toSet)(
        RowsTaken.counted(commits, logged.filterNot(s => untold(s.groupId))))
    }
  }

  /** Rows of data blocks may be deletes, which no statistics count as such. */
  private def marksDeletes: Boolean =
    table.config.deleteMarker.isDefined || table.schema.exists(_.avroJson.contains(s""""${MetaFields.Operation}""""))

  /** Some of the log files are older than the base file: they were written while the compaction that made it was
    * pending. They may update rows of the base file before it, which earlier log files had deleted, so that the new
    * base file lacks them.
    *
    * @param appended
    *   statistics of the log files from their writes
    */
  private def isOlder(slice: FileSlice, appended: => Seq[WriteStat]): Boolean = slice.base.exists { base =>
    if (table.config.layout == 1) {
      val logs = slice.logs.map(_.name).toSet
      appended.exists(s => logs(s.fileName) && !s.baseFile.contains(base.name))
    } else {
      // The completion time of an archived write is not known.
      val completed = table.timeline.completionTime(base.instant)
      completed.forall(at => slice.logs.exists(l => table.timeline.completionTime(l.time).forall(_ < at)))
    }
  }

  /** True when every write that may have made the log files is known. A log file with the instant of its slice is of
    * version 6, before an upgrade, and may be of any later write.
    */
  private def isTold(slice: FileSlice, known: Set[String]): Boolean =
    if (table.config.layout == 1) !table.timeline.beforeStart(slice.instant)
    else slice.logs.forall(l => known(l.time) && !slice.base.exists(_.instant == l.time))
}

private[hudilite] object KeysInLogs {

  /** @param added
    *   log files may hold keys that the base file lacks; only groups with a base file
    * @param deleted
    *   log files may delete keys
    * @param counted
    *   gives [[taken]]
    */
  final case class Groups(added: Set[FileGroupId], deleted: Set[FileGroupId])(counted: => Map[FileGroupId, Long]) {

    /** Number of rows of the base file that log files have deleted, of groups whose writers have counted them. */
    lazy val taken: Map[FileGroupId, Long] = counted
  }

  object Groups {
    val None: Groups = Groups(Set.empty, Set.empty)(Map.empty)
  }

  /** The writes that made the log files. Before version 8 names say only that it was after the slice began. */
  private[table] def writersOf(slices: Seq[FileSlice], writes: Seq[Instant], layout: Int): Seq[Instant] = {
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
  private[table] def addedTo(writes: Seq[(Instant, CommitMetadata)]): Set[FileGroupId] =
    groupsOf(writes)(_.numInserts > 0)

  /** File groups from which the log files of these writes deleted rows. */
  private[table] def deletedFrom(writes: Seq[(Instant, CommitMetadata)]): Set[FileGroupId] =
    groupsOf(writes)(_.numDeletes > 0)

  private def groupsOf(writes: Seq[(Instant, CommitMetadata)])(does: WriteStat => Boolean): Set[FileGroupId] = (for {
    (_, metadata) <- writes
    stat <- metadata.allStats if stat.isLog && (does(stat) || metadata.isLogCompaction)
  } yield FileGroupId(stat.partitionPath, stat.fileId)).toSet
}

package io.hudilite.table

import io.hudilite.filegroup.{FileGroupId, FileSlice}
import io.hudilite.record.MetaFields
import io.hudilite.timeline.{Action, CommitMetadata, Instant, WriteStat}

/** What log files may say of keys beside new versions of rows (docs/format.md#writing-log-files).
  *
  * Writers whose index knows log files put new rows there, as Apache Hudi does with its in-memory index, and Flink; and any
  * log file may delete keys. What writes said of their log files tells it, so that no log file is opened for it; of an
  * archived write nobody knows.
  */
private[hudilite] final class KeysInLogs(table: Table) {

  import KeysInLogs._

  /** File groups of those of the slices that have log files. */
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
        logged.map(_.groupId).filter(id => marksDeletes || deleting(id) || untold(id)).toSet)
    }
  }

  /** Rows of data blocks may be deletes, which nobody counts as such. */
  private def marksDeletes: Boolean =
    table.config.deleteMarker.isDefined || table.schema.exists(_.avroJson.contains(s""""${MetaFields.Operation}""""))

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

private[hudilite] object KeysInLogs {

  /** @param added
    *   log files may hold keys that the base file, which there is, does not have
    * @param deleted
    *   log files may delete keys
    */
  final case class Groups(added: Set[FileGroupId], deleted: Set[FileGroupId])

  object Groups {
    val None: Groups = Groups(Set.empty, Set.empty)
  }

  /** The writes that made the log files. Before version 8 names tell no more than that it was after the slice began. */
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

  /** File groups from whose rows the log files of these writes took some away. */
  private[table] def deletedFrom(writes: Seq[(Instant, CommitMetadata)]): Set[FileGroupId] =
    groupsOf(writes)(_.numDeletes > 0)

  private def groupsOf(writes: Seq[(Instant, CommitMetadata)])(does: WriteStat => Boolean): Set[FileGroupId] = (for {
    (_, metadata) <- writes
    stat <- metadata.allStats if stat.isLog && (does(stat) || metadata.isLogCompaction)
  } yield FileGroupId(stat.partitionPath, stat.fileId)).toSet
}

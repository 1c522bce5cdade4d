package io.hudilite.table

import io.hudilite.filegroup.{FileGroupId, FileSlice}
import io.hudilite.timeline.{CommitMetadata, Instant, WriteStat}

/** The last file that some commits wrote to each file group. It shows if a slice is still whole: pure.
  *
  * @param byGroup
  *   instant of the commit and statistics of the file
  */
private[table] final case class LastWrites(byGroup: Map[FileGroupId, (String, WriteStat)]) {

  def groups: Iterable[FileGroupId] = byGroup.keys

  def without(gone: FileGroupId => Boolean): LastWrites = LastWrites(byGroup.filterNot { case (group, _) =>
    gone(group)
  })

  /** Leaves out file groups that one of these commits replaced after their last write. */
  def beforeReplacedBy(commits: Seq[(Instant, CommitMetadata)]): LastWrites = {
    val replaced = for {
      (instant, metadata) <- commits
      (partition, ids) <- metadata.replaced.toSeq
      id <- ids
    } yield FileGroupId(partition, id) -> instant.time
    val last = replaced.groupBy(_._1).map { case (group, times) => group -> times.map(_._2).max }
    LastWrites(byGroup.filterNot { case (group, (time, _)) => last.get(group).exists(_ > time) })
  }

  /** A file group whose slice has neither the last file nor a later one that took it in. */
  def lost(slices: Map[FileGroupId, FileSlice]): Option[FileGroupId] = byGroup.collectFirst {
    case (group, (time, stat)) if !slices.get(group).exists(holds(_, time, stat)) => group
  }

  private def holds(slice: FileSlice, time: String, stat: WriteStat): Boolean =
    slice.instant >= time || (stat.isLog && slice.logs.exists(_.name == stat.fileName))
}

private[table] object LastWrites {

  def of(commits: Seq[(Instant, CommitMetadata)]): LastWrites = LastWrites(
    commits.sortBy(_._1.time).flatMap { case (instant, metadata) =>
      metadata.allStats.filter(_.path.nonEmpty).map(s => FileGroupId(s.partitionPath, s.fileId) -> (instant.time -> s))
    }.toMap)

  def bySlice(slices: Map[String, Seq[FileSlice]]): Map[FileGroupId, FileSlice] =
    slices.values.flatten.map(s => s.groupId -> s).toMap
}

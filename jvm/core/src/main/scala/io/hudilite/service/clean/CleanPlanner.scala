package io.hudilite.service.clean

import io.hudilite.config.service.CleaningPolicy
import io.hudilite.filegroup.{FileGroupId, FileSlice}
import io.hudilite.table.PartitionVersions
import io.hudilite.timeline.{Action, Instant, Timeline}

/** Files that stay whatever their age.
  *
  * @param files
  *   names of files that savepoints protect, by partition
  * @param slices
  *   file groups with the base instant of the slice that a pending compaction of either kind will read
  */
final case class Protected(files: Map[String, Set[String]], slices: Set[(FileGroupId, String)]) {

  private[clean] def isSavepointed(slice: FileSlice): Boolean =
    files.get(slice.partition).exists(names => namesOf(slice).exists(names))

  private def namesOf(slice: FileSlice): Iterator[String] = slice.base.iterator.map(_.name) ++
    slice.logs.iterator.map(_.name)

  private[clean] def isNeeded(slice: FileSlice): Boolean = slices((slice.groupId, slice.instant))
}

/** Files of one partition that a cleaning deletes.
  *
  * @param files
  *   paths below the table's base path
  * @param isEmptied
  *   true when nothing but the partition's marker is left then
  */
final case class CleanedFiles(files: Seq[String], isEmptied: Boolean)

/** Choice of the files that a cleaning deletes, by Hudi's rules (docs/format.md#cleaning): pure. */
object CleanPlanner {

  /** The first instant whose state stays whole; `None` when the policy does not go by commits, or nothing is old
    * enough. Commits from the oldest pending one on stay, since its writer may read the state that it began with.
    *
    * @param hoursAgo
    *   function from a number of hours to the instant of that time
    */
  def earliestRetained(policy: CleaningPolicy, timeline: Timeline, hoursAgo: Int => String): Option[Instant] = {
    val writes = timeline.writes
    policy match {
      case CleaningPolicy.LatestCommits(n) =>
        if (writes.size <= n) None else heldBack(writes(writes.size - n), timeline)
      case CleaningPolicy.LatestHours(hours) =>
        writes.find(_.time >= hoursAgo(hours)).flatMap(heldBack(_, timeline))
      case CleaningPolicy.LatestVersions(_) => None
    }
  }

  // Pending compactions do not hold the instant back, since the slices that they read are protected.
  private def heldBack(earliest: Instant, timeline: Timeline): Option[Instant] =
    timeline.pending.find(i => Action.Writes(i.action) || i.action == Action.Clustering) match {
      case Some(pending) if pending.time < earliest.time => timeline.writes.filter(_.time < pending.time).lastOption
      case _ => Some(earliest)
    }

  /** Files of a partition that are deleted.
    *
    * @param earliest
    *   time of the first instant whose state stays whole; without it policies by commits delete nothing
    */
  def files(policy: CleaningPolicy, earliest: Option[String], partition: PartitionVersions, kept: Protected)
      : CleanedFiles = {
    val slices = policy match {
      case CleaningPolicy.LatestVersions(n) =>
        partition.groups.flatMap(beyondVersions(_, n, kept)) ++ partition.replaced.flatMap(_._2)
      case _ => earliest.toSeq.flatMap(e =>
          partition.groups.flatMap(before(_, e, kept)) ++
            partition.replaced.filter { case (at, _) => at < e }.flatMap(_._2))
    }
    val gone = slices.filterNot(kept.isSavepointed).flatMap(_.paths)
    CleanedFiles(gone, gone.nonEmpty && partition.isLeftEmptyBy(gone))
  }

  /** Slices of a file group, newest first, that no state from `earliest` on has. The newest of the older slices is not
    * among them, since a reader at that instant sees it.
    */
  private def before(slices: Seq[FileSlice], earliest: String, kept: Protected): Seq[FileSlice] =
    slices.drop(1).filter(_.instant < earliest)
      .drop(if (slices.headOption.exists(_.instant < earliest)) 0 else 1)
      .filterNot(kept.isNeeded)

  // A slice that a compaction will read counts as one of the versions that stay.
  private def beyondVersions(slices: Seq[FileSlice], versions: Int, kept: Protected): Seq[FileSlice] = {
    val (needed, free) = slices.partition(kept.isNeeded)
    val beyond = free.drop(if (needed.isEmpty) versions else versions - 1)
    beyond.filterNot(slices.headOption.contains)
  }
}

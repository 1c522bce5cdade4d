package io.hudilite.service.clean

import io.hudilite.config.service.CleaningPolicy
import io.hudilite.storage.{Cached, WeightedCache}
import io.hudilite.table.Table
import io.hudilite.timeline.{Action, CleanMetadata, CommitMetadata, Instant, WriteStat}

/** Partitions in which a cleaning has to look: those with file slices that were replaced since the last cleaning looked
  * there.
  *
  * Commits name these partitions, so a table that only grows is never listed. All partitions count where the progress
  * of the last cleaning is unknown, and for a policy that does not go by commits.
  *
  * @param incremental
  *   false when all partitions count
  */
private[clean] final class CleanScope(table: Table, policy: CleaningPolicy, incremental: Boolean) {

  private val timeline = table.timeline

  /** Partition paths, sorted.
    *
    * @param earliest
    *   time of the first instant whose state will stay whole
    */
  def partitions(earliest: Option[String]): Seq[String] = seen(earliest) match {
    case None => table.partitions()
    case Some(isSeen) =>
      val commits = timeline.writes.filter(i => earliest.forall(i.time < _) && !isSeen(i))
      replacedBy(commits)
  }

  /** True when this process knows that these commits have replaced nothing, or that the replaced files were looked at.
    * Only commits that this process has neither written nor read are asked of the storage.
    */
  def areSettled(commits: Seq[Instant]): Boolean =
    remembered.exists(isSeen => replacedBy(commits.filterNot(isSeen)).isEmpty)

  private def replacedBy(commits: Seq[Instant]): Seq[String] =
    table.store.readCommits(commits).flatMap { case (_, metadata) => replacedIn(metadata) }.distinct.sorted

  /** Commits that need not be looked at; `None` when these are unknown. */
  private def seen(earliest: Option[String]): Option[Instant => Boolean] =
    remembered.orElse(if (!incremental || earliest.isEmpty) None else sinceLast)

  private def remembered: Option[Instant => Boolean] =
    if (!incremental) None
    else CleanMemory.of(table).filter(m => m.policy == policy && m.savepoints == timeline.savepoints.toSet)
      .map(m => (i: Instant) => m.covers(i))

  // A cleaning with an empty file does not tell its progress, so that of the one before it counts.
  private def sinceLast: Option[Instant => Boolean] =
    timeline.completed.filter(i => i.action == Action.Clean && !i.isBlank).lastOption match {
      // All files were written by commits that are still in the timeline.
      case None => if (table.store.hasArchive) None else Some(_ => false)
      case Some(last) => Some(table.store.readClean(last)).filter(reaches).map { metadata => (i: Instant) =>
          i.time < metadata.earliestCommitToRetain && i.completionTime.getOrElse(i.time) < last.time
        }
    }

  // A removed savepoint leaves files to delete in any partition.
  private def reaches(last: CleanMetadata): Boolean =
    last.earliestCommitToRetain.nonEmpty && !timeline.beforeStart(last.earliestCommitToRetain) &&
      last.savepoints.forall(timeline.savepoints.contains)

  /** Partitions in which a file group got a new slice or was replaced. */
  private def replacedIn(metadata: CommitMetadata): Iterable[String] =
    metadata.allStats.filter(s => !s.isLog && s.prevCommit != WriteStat.NoPreviousCommit).map(_.partitionPath) ++
      metadata.replaced.keys
}

/** Progress of cleaning in a table, as far as this process knows. A cleaning that finds nothing leaves no trace in the
  * timeline, and the next one should not look at its commits again.
  *
  * @param earliest
  *   first instant whose state was to stay whole
  * @param writes
  *   times of the writes that had completed
  * @param plan
  *   cleaning that was planned for the found files; once somebody has removed the plan, the files are still there
  */
private[clean] final case class CleanMemory(policy: CleaningPolicy, savepoints: Set[String], earliest: Option[String],
    writes: Set[String], plan: Option[String]) {

  /** True when all files that the commit replaced were looked at, and went or stay for good. */
  def covers(commit: Instant): Boolean = writes(commit.time) && earliest.forall(commit.time < _)
}

private[clean] object CleanMemory {

  private val MaxTables = 256L

  private val recent = new Cached(new WeightedCache[String, CleanMemory](MaxTables))

  def of(table: Table): Option[CleanMemory] =
    recent.of(table.storage).get(table.basePath).filter(_.plan.forall(table.timeline.contains))

  def put(table: Table, memory: CleanMemory): Unit = recent.of(table.storage).put(table.basePath, memory)
}

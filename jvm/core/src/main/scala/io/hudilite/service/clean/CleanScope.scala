package io.hudilite.service.clean

import io.hudilite.config.service.CleaningPolicy
import io.hudilite.storage.{Cached, WeightedCache}
import io.hudilite.table.Table
import io.hudilite.timeline.{Action, CleanMetadata, CommitMetadata, Instant, WriteStat}

/** In which partitions a cleaning has to look: where file slices were replaced since the last one looked there.
  *
  * Commits say that; so a table that only grows is never listed. Where it is not known how far the last cleaning came,
  * and for a policy that does not go by commits, all partitions count.
  *
  * @param incremental
  *   otherwise all partitions count
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

  /** Whether it is known in this process that these commits have replaced nothing, or that what they replaced was looked
    * at. Storage is asked for commits alone that this process has neither written nor read.
    */
  def areSettled(commits: Seq[Instant]): Boolean =
    remembered.exists(isSeen => replacedBy(commits.filterNot(isSeen)).isEmpty)

  private def replacedBy(commits: Seq[Instant]): Seq[String] =
    table.store.readCommits(commits).flatMap { case (_, metadata) => replacedIn(metadata) }.distinct.sorted

  /** Which commits need not be looked at; `None` when that is not known. */
  private def seen(earliest: Option[String]): Option[Instant => Boolean] =
    remembered.orElse(if (!incremental || earliest.isEmpty) None else sinceLast)

  private def remembered: Option[Instant => Boolean] =
    if (!incremental) None
    else CleanMemory.of(table).filter(m => m.policy == policy && m.savepoints == timeline.savepoints.toSet)
      .map(m => (i: Instant) => m.covers(i))

  // One whose file is empty does not say how far it came: what the one before it left to do is looked at again.
  private def sinceLast: Option[Instant => Boolean] =
    timeline.completed.filter(i => i.action == Action.Clean && !i.isBlank).lastOption match {
      // All that there is was written by commits that are still there.
      case None => if (table.store.hasArchive) None else Some(_ => false)
      case Some(last) => Some(table.store.readClean(last)).filter(reaches).map { metadata => (i: Instant) =>
          i.time < metadata.earliestCommitToRetain && i.completionTime.getOrElse(i.time) < last.time
        }
    }

  // A savepoint that is gone leaves files behind in any partition.
  private def reaches(last: CleanMetadata): Boolean =
    last.earliestCommitToRetain.nonEmpty && !timeline.beforeStart(last.earliestCommitToRetain) &&
      last.savepoints.forall(timeline.savepoints.contains)

  /** Partitions in which a file group got a new slice or was replaced. */
  private def replacedIn(metadata: CommitMetadata): Iterable[String] =
    metadata.allStats.filter(s => !s.isLog && s.prevCommit != WriteStat.NoPreviousCommit).map(_.partitionPath) ++
      metadata.replaced.keys
}

/** How far cleaning has looked in a table, as far as this process knows: a cleaning that finds nothing leaves no trace in
  * the timeline, and the next one must not look at the same commits again.
  *
  * @param earliest
  *   first instant whose state was to stay whole
  * @param writes
  *   times of the writes that had completed
  * @param plan
  *   the cleaning that was planned for what was found; when somebody has taken the plan away all that is still there
  */
private[clean] final case class CleanMemory(policy: CleaningPolicy, savepoints: Set[String], earliest: Option[String],
    writes: Set[String], plan: Option[String]) {

  /** All that the commit replaced was looked at, and went or stays for good. */
  def covers(commit: Instant): Boolean = writes(commit.time) && earliest.forall(commit.time < _)
}

private[clean] object CleanMemory {

  private val MaxTables = 256L

  private val recent = new Cached(new WeightedCache[String, CleanMemory](MaxTables))

  def of(table: Table): Option[CleanMemory] =
    recent.of(table.storage).get(table.basePath).filter(_.plan.forall(table.timeline.contains))

  def put(table: Table, memory: CleanMemory): Unit = recent.of(table.storage).put(table.basePath, memory)
}

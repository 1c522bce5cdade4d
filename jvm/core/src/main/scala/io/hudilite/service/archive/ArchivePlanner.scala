package io.hudilite.service.archive

import io.hudilite.config.service.ArchiveConf
import io.hudilite.timeline.{Action, Instant, Timeline}

/** Facts of a table, besides its timeline, that archiving needs.
  *
  * @param layout
  *   layout of the timeline
  * @param retained
  *   first instant whose state a cleaning by the present settings leaves whole
  * @param uncleaned
  *   instants of replace commits whose replaced file groups still have files; without the commit a reader would take
  *   the groups for current
  * @param columns
  *   the newest write that Apache Hudi takes the columns of the table from
  */
final case class ArchiveFacts(layout: Int, mergeOnRead: Boolean, retained: Option[String] = None,
    uncleaned: Set[String] = Set.empty, columns: Option[String] = None)

/** Choice of the instants that leave the active timeline, by the rules of Hudi's archiving (docs/format.md#archiving):
  * pure.
  */
object ArchivePlanner {

  /** Instants to archive, oldest first. */
  def plan(timeline: Timeline, conf: ArchiveConf, facts: ArchiveFacts): Seq[Instant] = {
    val commits = commitsToArchive(timeline, conf, facts)
    val others =
      if (facts.layout == 1) byTheirOwnCount(timeline, conf, commits)
      else commits.lastOption.toList.flatMap(last => expendable(timeline).filter(_.time < last.time))
    (commits ++ others).sortBy(i => (i.time, i.action))
  }

  private def commitsToArchive(timeline: Timeline, conf: ArchiveConf, facts: ArchiveFacts): Seq[Instant] = {
    val counted =
      if (conf.beyondSavepoint) timeline.writes.filterNot(isSavepointed(timeline)) else timeline.writes
    val border = borders(timeline, conf, facts).reduceOption((a, b) => if (a < b) a else b)
    if (counted.size <= conf.maxCommits) Nil
    else {
      val old = counted.dropRight(conf.minCommits).takeWhile(i => border.forall(i.time < _))
      val kept = inBothOrders(counted, old.size)
      // Where long writes always overlap, as compactions beside other writes may, the timeline must not grow for ever.
      if (kept.isEmpty && counted.size > conf.maxCommits * MostOverMaximum) old else kept
    }
  }

  private val MostOverMaximum = 2

  // No digit.
  private val AfterAllTimes = "~"

  /** As many of these writes that all of them completed before each one that stays. A reader of a range of completion times
    * then knows by the active timeline if it needs the archived one.
    */
  private def inBothOrders(writes: Seq[Instant], most: Int): Seq[Instant] = {
    val completed = writes.map(i => i.completionTime.getOrElse(i.time))
    val newest = completed.scanLeft("")((a, b) => if (a < b) b else a)
    val oldestLeft = completed.scanRight(AfterAllTimes)((a, b) => if (a < b) a else b)
    writes.take((most to 0 by -1).find(n => newest(n) < oldestLeft(n)).getOrElse(0))
  }

  private def isSavepointed(timeline: Timeline): Instant => Boolean = {
    val saved = savepoints(timeline).toSet
    i => saved(i.time)
  }

  private def savepoints(timeline: Timeline): Seq[String] =
    timeline.instants.filter(_.action == Action.Savepoint).map(_.time)

  /** Instants from which on everything stays. */
  private def borders(timeline: Timeline, conf: ArchiveConf, facts: ArchiveFacts): Seq[String] =
    underPending(timeline).toList ++ facts.retained ++ facts.uncleaned ++ facts.columns ++
      (if (conf.beyondSavepoint) Nil else savepoints(timeline)) ++
      (if (facts.mergeOnRead) underCompaction(timeline, conf) else None)

  /** The write before the first pending action, which that action rests on. */
  private def underPending(timeline: Timeline): Option[String] =
    timeline.pending.find(_.action != Action.Savepoint).map(first =>
      timeline.writes.filter(_.time < first.time).lastOption.fold(first.time)(_.time))

  /** Instant from which the trigger of compactions counts: the last compaction, or the first of as many delta commits
    * as make one due. In a merge-on-read table only compactions complete as plain commits.
    */
  private def underCompaction(timeline: Timeline, conf: ArchiveConf): Option[String] = {
    val last = timeline.writes.filter(_.action == Action.Commit).map(_.time).lastOption
    val deltas = timeline.writes.filter(i => i.action == Action.DeltaCommit && last.forall(i.time > _)).map(_.time)
    conf.deltaCommits.filter(deltas.size >= _).map(n => deltas(deltas.size - n))
      .orElse(last).orElse(deltas.headOption)
  }

  /** Completed cleans and rollbacks, except the newest clean that tells which of the past can still be read. */
  private def expendable(timeline: Timeline): Seq[Instant] = {
    val cleans = timeline.completed.filter(_.action == Action.Clean)
    val newest = cleans.filterNot(_.isBlank).lastOption
    cleans.filterNot(newest.contains) ++ timeline.completed.filter(_.action == Action.Rollback)
  }

  /** Instants to archive in layout 1, where each of these actions has a count of its own. Those newer than the first
    * write that stays may tell of states that can still be read.
    */
  private def byTheirOwnCount(timeline: Timeline, conf: ArchiveConf, commits: Seq[Instant]): Seq[Instant] = {
    val first = timeline.writes.filterNot(i => commits.contains(i) || isSavepointed(timeline)(i)).headOption.map(_.time)
    val byAction = timeline.completed.filter(i => i.action == Action.Clean || i.action == Action.Rollback)
      .groupBy(_.action).values
    val old = byAction.filter(_.size > conf.maxCommits).flatMap(_.dropRight(conf.minCommits)).toSet
    expendable(timeline).filter(i => old(i) && first.exists(i.time < _))
  }
}

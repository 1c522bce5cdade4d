package io.hudilite.service.cluster

import io.hudilite.config.{PlannedBuckets, TableType}
import io.hudilite.filegroup.FileGroupId
import io.hudilite.table.Table
import io.hudilite.timeline.{Action, Timeline}
import io.hudilite.transaction.ConflictCheck

/** A clustering that was planned without the table lock, so that others may have changed the table meanwhile.
  *
  * @param before
  *   table that it was planned on
  */
private[cluster] final case class ProposedClustering(before: Table, planned: PlannedClustering) {

  import ProposedClustering._

  /** The part of the plan that still fits the table as it is now. Groups that somebody has written to or planned since
    * are left out. The answer is `Outrun` when that leaves nothing, or when more has happened than writes and plans.
    */
  def asOf(now: Table): Either[Outrun.type, PlannedClustering] =
    if (now.timeline == before.timeline) Right(planned)
    else if (!isExtended(now) || slicesGrow(now) || movesBuckets) Left(Outrun)
    else {
      val touched = written(now) ++ now.pendingCompactions.keySet ++ now.pendingLogCompactions.keySet ++
        now.pendingClusterings.keySet
      val left = planned.groups.filterNot(_.slices.exists(slice => touched(slice.groupId)))
      if (left.isEmpty && planned.groups.nonEmpty) Left(Outrun) else Right(planned.copy(groups = left))
    }

  // A move of buckets takes all of the table, or nothing.
  private def movesBuckets: Boolean = PlannedBuckets.of(planned.params).isDefined

  /** True when the writes that the plan rests on still count, and the active timeline has all that came since. */
  private def isExtended(now: Table): Boolean = {
    val newest = before.timeline.lastTime.getOrElse("")
    val pending = before.timeline.pendingWrites.filterNot(i => now.timeline.contains(i.time))
    before.timeline.writes.forall(i => now.timeline.isCommitted(i.time)) &&
    undone(now.timeline) == undone(before.timeline) &&
    !now.timeline.firstWriteInstant.exists(_.time > newest) && !pending.exists(i => now.timeline.beforeStart(i.time))
  }

  private def undone(timeline: Timeline): Set[String] =
    timeline.instants.filter(i => i.action == Action.Rollback || i.action == Action.Restore).map(_.time).toSet

  // True before version 8, where a listing shows log files of writes that began after the timeline was read.
  private def slicesGrow(now: Table): Boolean =
    now.config.layout == 1 && now.config.tableType == TableType.MergeOnRead

  private def written(now: Table): Set[FileGroupId] =
    now.store.readCommits(now.timeline.writes.filterNot(i => before.timeline.isCompleted(i.time)))
      .flatMap { case (_, metadata) => ConflictCheck.changes(metadata).all }.toSet
}

private[cluster] object ProposedClustering {

  /** Answer when no part of the plan can be used any more. */
  case object Outrun
}

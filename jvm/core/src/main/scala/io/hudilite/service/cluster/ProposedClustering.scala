package io.hudilite.service.cluster

import io.hudilite.config.{PlannedBuckets, TableType}
import io.hudilite.filegroup.FileGroupId
import io.hudilite.table.Table
import io.hudilite.timeline.{Action, Timeline}
import io.hudilite.transaction.ConflictCheck

/** A clustering that was planned without the table lock, so that others may have changed the table meanwhile.
  *
  * @param before
  *   the table that it was planned on
  */
private[cluster] final case class ProposedClustering(before: Table, planned: PlannedClustering) {

  import ProposedClustering._

  /** What of it is still right for the table as it is now. Groups that somebody else has written to or planned since are
    * left out; `Outrun` when that leaves nothing of it, or when more has happened than writes and plans.
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

  // All of the table, or nothing.
  private def movesBuckets: Boolean = PlannedBuckets.of(planned.params).isDefined

  /** The writes that it rests on still stand, and the active timeline has all that came since. */
  private def isExtended(now: Table): Boolean = {
    val newest = before.timeline.lastTime.getOrElse("")
    val pending = before.timeline.pendingWrites.filterNot(i => now.timeline.contains(i.time))
    before.timeline.writes.forall(i => now.timeline.isCommitted(i.time)) &&
    undone(now.timeline) == undone(before.timeline) &&
    !now.timeline.firstWriteInstant.exists(_.time > newest) && !pending.exists(i => now.timeline.beforeStart(i.time))
  }

  private def undone(timeline: Timeline): Set[String] =
    timeline.instants.filter(i => i.action == Action.Rollback || i.action == Action.Restore).map(_.time).toSet

  // Before version 8 a listing shows log files of writes that began after the timeline was read.
  private def slicesGrow(now: Table): Boolean =
    now.config.layout == 1 && now.config.tableType == TableType.MergeOnRead

  private def written(now: Table): Set[FileGroupId] =
    now.store.readCommits(now.timeline.writes.filterNot(i => before.timeline.isCompleted(i.time)))
      .flatMap { case (_, metadata) => ConflictCheck.changes(metadata).all }.toSet
}

private[cluster] object ProposedClustering {

  /** Nothing of the plan can be used any more. */
  case object Outrun
}

package io.hudilite.transaction

import io.hudilite.config.TableProperties
import io.hudilite.error.CommitConflict
import io.hudilite.filegroup.FileGroupId
import io.hudilite.table.Table
import io.hudilite.timeline.{Action, ClusteringPlan, CommitMetadata, Instant, State, Timeline, TimelineStore}

/** The checks between a finished write and its completed instant, made under the table lock
  * (docs/format.md#commit).
  */
private[transaction] final class CommitGate(
    table: Table, store: TimelineStore, instant: String, action: String, options: TransactionOptions) {

  private val before = table.timeline

  /** Raises `CommitConflict` unless the write may complete, and removes a metadata table that it would outdate; the
    * timeline as it is now.
    */
  def pass(metadata: CommitMetadata): Timeline = {
    val config = TableProperties.read(table.storage, table.basePath)
    TableFacts.changed(table.config, config).foreach(changed => throw conflict(changed))
    val now = store.load()
    checkOwnInstant(now)
    checkHistory(now)
    // A compaction brings no record of its own: whatever was written meanwhile lies in log files on top of its output.
    if (action == Action.LogCompaction)
      checkOverlap(Changes(rewritten = ConflictCheck.changes(metadata).all), now, ConflictCheck.footprintUnderLogs)
    else if (action != Action.Compaction)
      checkOverlap(ConflictCheck.changes(metadata), now, ConflictCheck.footprint(_, _))
    MetadataTable.refuse(table.storage, table.basePath, config, options.metadata)
    MetadataTable.clear(table.storage, table.basePath, config)
    now
  }

  private def checkOwnInstant(now: Timeline): Unit = {
    val own = now.instants.find(i => i.time == instant && i.comparableAction == Action.completed(action))
    if (!own.exists(_.state == State.Inflight)) throw conflict("another writer rolled this write back")
    val rollbacks = now.instants.filter(i => i.action == Action.Rollback && i.time > instant)
    // An earlier attempt at a compaction may have been rolled back, which leaves its plan to be run again.
    val mine = rollbacks.filter(i => action != Action.Compaction || i.isPending)
    mine.find(store.readRollbackPlan(_).target.time == instant).foreach(i =>
      throw conflict(s"the rollback ${i.time} is taking this write back"))
  }

  /** What the snapshot rests on must still stand. */
  private def checkHistory(now: Timeline): Unit = {
    now.pending.find(_.action == Action.Restore).foreach(i => throw conflict(s"the restore ${i.time} is under way"))
    before.writes.find(i => !now.isCommitted(i.time)).foreach(i =>
      throw conflict(s"the write ${i.time}, which this one builds on, was rolled back"))
  }

  private def checkOverlap(
      mine: Changes, now: Timeline, footprint: (Instant, CommitMetadata) => Footprint): Unit = {
    val completed = now.writes.filterNot(i => before.isCompleted(i.time))
    val pending = now.pending.filter(i => ConflictCheck.takesGroups(i) && i.time != instant)
    val clustered = store.pendingClusterings(now).toMap
    val others = store.readCommits(completed).map { case (i, m) => footprint(i, m) } ++
      pending.map(i => planned(i, clustered.get(i))) ++ compactionsSince(now)
    val basis = Basis(table.config.version, before.pendingCompactions.map(_.time).toSet)
    ConflictCheck.firstOverlap(instant, mine, others, basis).foreach { overlap =>
      val group = overlap.groups.minBy(g => (g.partition, g.fileId))
      throw conflict(s"${overlap.other.instant} touches the file group ${group.fileId} in '${group.partition}', too")
    }
  }

  private def compactionsSince(now: Timeline): Seq[Footprint] = {
    val known = before.pendingCompactions.map(_.time).toSet
    store.pendingCompactions(now).collect { case (i, plan) if !known(i.time) => ConflictCheck.footprint(i, plan) }
  }

  /** A clustering says in its plan what it takes, an overwrite in its inflight file, if it does. */
  private def planned(i: Instant, plan: Option[ClusteringPlan]): Footprint = {
    val clustered = plan.toSeq.flatMap(_.groups.flatten).map(input => FileGroupId(input.partition, input.fileId)).toSet
    val stated =
      if (i.state == State.Inflight) ConflictCheck.changes(store.readCommit(i)).all else Set.empty[FileGroupId]
    Footprint(i, clustered ++ stated)
  }

  private def conflict(reason: String): CommitConflict =
    CommitConflict("COMMIT_CONFLICT", "instant" -> instant, "path" -> table.basePath, "reason" -> reason)
}

package io.hudilite.transaction

import io.hudilite.config.{TableConfig, TableProperties}
import io.hudilite.error.{CommitConflict, CommitStateUnknown}
import io.hudilite.filegroup.FileGroupId
import io.hudilite.table.Table
import io.hudilite.timeline.{Action, CommitMetadata, Instant, State, Timeline, TimelineStore, WriteStat}
import io.hudilite.timeline.plan.ClusteringPlan
import io.hudilite.transaction.rollback.{InstantFiles, Markers, Strays, WritePermit}

/** The steps between a finished write and its completed instant, all of them under the table lock
  * (docs/format.md#commit): nothing may stand against the write, files of attempts that lost go, and hooks run.
  *
  * @param permit
  *   of the write's tasks; it is taken away here
  * @param earlier
  *   rollbacks that had completed before this run began
  */
private[transaction] final class CommitGate(table: Table, instant: String, action: String, permit: WritePermit,
    earlier: Set[String], run: PlannedRun, options: TransactionOptions) {

  private val store: TimelineStore = table.store
  private val before = table.timeline

  /** Raises `CommitConflict` unless the write may complete, and `CommitStateUnknown` where another process has a write of
    * the same instant. After that its tasks can leave no more files, those of attempts that lost are gone, and its hooks
    * have run, as [[CommitHook]] says. The answer is the timeline as it is now.
    */
  def pass(metadata: CommitMetadata, assumption: Assumption): Timeline = {
    val config = TableProperties.read(table.storage, table.basePath)
    TableFacts.changed(table.config, config).foreach(changed => throw conflict(changed))
    val exclusion = options.exclusion(table.storage, table.basePath)
    val traces = exclusion.checkAtCommit(instant, options.claimWaitMs)
    if (permit.isContested(traces)) {
      run.checkOwn() // nothing of ours is left of a plan that another process has taken over
      throw unknown // its files may lie under the names of ours, so nothing is deleted
    }
    val now = store.load()
    checkOwnInstant(now)
    checkHistory(now)
    checkOthers(metadata, assumption, now)
    MetadataTablePolicy.refuse(table.storage, table.basePath, config, options.metadata)
    deleteStrays(config, metadata.allStats)
    options.hooks.foreach(_.beforeComplete(metadata, CommitState(table, instant, config, now)))
    now
  }

  // In this order: a task that makes a marker after it was looked for finds that its permit is gone. Markers may be those
  // of another run of the plan.
  private def deleteStrays(config: TableConfig, stats: Seq[WriteStat]): Unit = {
    permit.revoke(table.storage, table.basePath)
    val files = new InstantFiles(table.storage, table.basePath, config, instant)
    val strays = Strays.find(Markers.list(table.storage, table.basePath, instant), stats)
    if (strays.nonEmpty) run.checkOwn()
    strays.find(!files.deleteStray(_)).foreach(path =>
      throw conflict(s"a task that was tried again left records in $path, beside those of other writes"))
  }

  private def checkOwnInstant(now: Timeline): Unit = {
    val own = now.instants.find(i => i.time == instant && i.comparableAction == Action.completed(action))
    if (!own.exists(_.state == State.Inflight)) throw conflict("another writer rolled this write back")
    LastLook.rollbackOf(store, instant, earlier, now).foreach(i =>
      throw conflict(s"the rollback ${i.time} is taking this write back"))
  }

  /** Writes that the snapshot rests on must still stand, and those that came since must be there to be looked at. */
  private def checkHistory(now: Timeline): Unit = {
    now.pending.find(_.action == Action.Restore).foreach(i => throw conflict(s"the restore ${i.time} is under way"))
    before.writes.find(i => !now.isCommitted(i.time)).foreach(i =>
      throw conflict(s"the write ${i.time}, which this one builds on, was rolled back"))
    archivedSince(now).foreach(i => throw conflict(s"${i.time}.${i.action} completed since and is archived already"))
  }

  /** A write that is not of the snapshot and that the active timeline does not have any more. Archival takes the oldest
    * first, so the archive need be asked only when it has come as far as the snapshot, or to a write that was pending.
    */
  private def archivedSince(now: Timeline): Option[Instant] = {
    val newest = before.lastTime.getOrElse("")
    val past = now.firstWriteInstant.exists(_.time > newest) ||
      before.pendingWrites.exists(i => i.time != instant && !now.contains(i.time) && now.beforeStart(i.time))
    if (!past) None
    else {
      val pending = before.pendingWrites.map(_.time).toSet
      store.archivedCompleted().find(i => Action.Writes(i.action) && (i.time > newest || pending(i.time)))
    }
  }

  // A compaction brings no record of its own: whatever was written meanwhile lies in log files on top of its output.
  private def checkOthers(metadata: CommitMetadata, assumption: Assumption, now: Timeline): Unit = {
    val since = store.readCommits(now.writes.filterNot(i => before.isCompleted(i.time)))
    if (action == Action.LogCompaction)
      checkOverlap(Changes(rewritten = ConflictCheck.changes(metadata).all), now,
        since.map { case (i, m) => ConflictCheck.footprintUnderLogs(i, m) })
    else if (action != Action.Compaction) {
      checkOverlap(ConflictCheck.changes(metadata), now, since.map { case (i, m) => ConflictCheck.footprint(i, m) })
      if (ConflictCheck.writesBuckets(metadata))
        since.find { case (_, theirs) => ConflictCheck.movesBuckets(theirs) }.foreach { case (other, _) =>
          throw conflict(s"$other dealt the rows of the table to another number of buckets")
        }
      for ((other, theirs) <- since; partition <- assumption.brokenBy(theirs, metadata))
        throw conflict(s"$other added rows to the partition '$partition', and ${assumption.consequence}")
    }
  }

  private def checkOverlap(mine: Changes, now: Timeline, completed: Seq[Footprint]): Unit = {
    val pending = now.pending.filter(i => ConflictCheck.takesGroups(i) && i.time != instant)
    val clustered = store.pendingClusterings(now).toMap
    val others = completed ++ pending.map(i => planned(i, clustered.get(i))) ++ compactionsSince(now)
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

  private def unknown: CommitStateUnknown = CommitStateUnknown.because(
    conflict("another process works on the same instant"), "COMMIT_STATE_UNKNOWN", "instant" -> instant,
    "path" -> table.basePath)

  private def conflict(reason: String): CommitConflict =
    CommitConflict("COMMIT_CONFLICT", "instant" -> instant, "path" -> table.basePath, "reason" -> reason)
}

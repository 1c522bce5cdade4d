package io.hudilite.transaction

import io.hudilite.config.{TableConfig, TableProperties}
import io.hudilite.error.{CommitConflict, CommitStateUnknown}
import io.hudilite.filegroup.FileGroupId
import io.hudilite.table.Table
import io.hudilite.timeline.{Action, CommitMetadata, Instant, State, Timeline, TimelineStore, WriteStat}
import io.hudilite.timeline.plan.ClusteringPlan
import io.hudilite.transaction.rollback.{InstantFiles, Markers, Strays, WritePermit}
import io.hudilite.upkeep.ToldKeys

/** The steps between a finished write and its completed instant, all of them under the table lock
  * (docs/format.md#commit): conflicts are looked for, files of attempts that lost are deleted, and hooks run.
  *
  * @param permit
  *   permit of the write's tasks, which is taken away here
  * @param earlier
  *   rollbacks that had completed before this run began
  */
private[transaction] final class CommitGate(table: Table, instant: String, action: String, permit: WritePermit,
    earlier: Set[String], run: PlannedRun, options: TransactionOptions) {

  private val store: TimelineStore = table.store
  private val before = table.timeline

  /** Returns the timeline as it is now. Raises `CommitConflict` unless the write may complete, and `CommitStateUnknown`
    * where another process has a write of the same instant. After this call the write's tasks can leave no more files,
    * files of attempts that lost are gone, and the hooks have run, as [[CommitHook]] says.
    *
    * @param columns
    *   Avro schema of the table after the write; `None` when it stays as it is
    * @param keys
    *   as the tasks of the write tell them, if they do
    */
  def pass(metadata: CommitMetadata, assumption: Assumption, columns: Option[String], keys: Option[ToldKeys])
      : Timeline = {
    val config = TableProperties.read(table.storage, table.basePath)
    TableFacts.changed(table.config, config).foreach(changed => throw conflict(changed))
    val exclusion = options.exclusion(table.storage, table.basePath)
    val traces = exclusion.checkAtCommit(instant, options.claimWaitMs)
    if (permit.isContested(traces)) {
      run.checkOwn() // another process that took the plan over has deleted the files of this run
      throw unknown // its files may have the names of ours, so nothing is deleted
    }
    val now = store.load()
    checkOwnInstant(now)
    checkHistory(now)
    checkOthers(metadata, assumption, now)
    MetadataTablePolicy.refuse(table, config, options.metadata, options.keepsMetadata)
    deleteStrays(config, metadata.allStats)
    val state = CommitState(table, instant, config, now, options.metadata, columns, options.keyWork(keys))
    options.hooks.foreach(_.beforeComplete(metadata, state))
    options.checkHeld(table.storage, table.basePath)
    now
  }

  // The permit goes before markers are listed, so that a task that makes a marker later finds its permit gone. Markers
  // may be those of another run of the plan.
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

  /** Checks that writes of the snapshot still count, and that writes since then are still there to be checked. */
  private def checkHistory(now: Timeline): Unit = {
    now.pending.find(_.action == Action.Restore).foreach(i => throw conflict(s"the restore ${i.time} is under way"))
    before.writes.find(i => !now.isCommitted(i.time)).foreach(i =>
      throw conflict(s"the write ${i.time}, which this one builds on, was rolled back"))
    archivedSince(now).foreach(i => throw conflict(s"${i.time}.${i.action} completed since and is archived already"))
  }

  /** A write that came after the snapshot and has left the active timeline since. Archival takes the oldest first, so
    * the archive is read only when archival has reached the snapshot, or a write that was pending then.
    */
  private def archivedSince(now: Timeline): Option[Instant] = {
    val newest = before.lastTime.getOrElse("")
    val past = now.firstWriteInstant.exists(_.time > newest) ||
      before.pendingWrites.exists(i => i.time != instant && !now.contains(i.time) && now.beforeStart(i.time))
    if (!past) None
    else {
      val pending = before.pendingWrites.map(_.time).toSet
      store.archivedWrites().find(i => i.time > newest || pending(i.time))
    }
  }

  // A compaction adds no record, and records that were written meanwhile lie in log files on top of its output, so it
  // conflicts with no write.
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

  /** Footprint of a pending action. A clustering names its file groups in its plan, an overwrite in its inflight file,
    * if at all.
    */
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

package io.hudilite.service.cluster

import io.hudilite.config.{PlannedBuckets, TableType}
import io.hudilite.config.service.{ClusteringConf, ClusteringOptions}
import io.hudilite.error.{CommitConflict, InvalidInput}
import io.hudilite.filegroup.{FileGroupId, FileSlice}
import io.hudilite.table.{Outdated, Table}
import io.hudilite.timeline.{Action, CommitMetadata, Instant, Timeline}
import io.hudilite.transaction.{BegunBootstrap, ConflictCheck, Transaction, TransactionOptions}

import scala.annotation.tailrec

/** A planned or possible clustering.
  *
  * @param instant
  *   instant of the plan; `None` when the plan was only asked for
  */
final case class PlannedClustering(instant: Option[String], groups: Seq[ClusteringGroup], params: Map[String, String])

/** Plans clusterings (docs/format.md#clustering). */
object ClusteringScheduler {

  /** Writes a plan; `None` when there is nothing to cluster. Folders are listed before the table lock is taken. Under
    * it the plan is only compared with the changes since then, and written.
    *
    * Raises `WRITE_PENDING` while a write is under way whose log files the plan would take for committed ones.
    */
  def schedule(table: Table, asked: ClusteringRequest, transaction: TransactionOptions = TransactionOptions())
      : Option[PlannedClustering] = {
    check(table, asked)
    request(table, asked, transaction)(_ => Some(_ => false))
  }

  /** Writes a plan as [[schedule]] does, when enough commits have completed since the last clustering. File slices that
    * a clustering has made stay, unless somebody has written to them since.
    */
  def scheduleIfDue(table: Table, conf: ClusteringConf, transaction: TransactionOptions = TransactionOptions())
      : Option[PlannedClustering] = {
    val asked = ClusteringRequest(conf)
    check(table, asked)
    if (!isDue(table, conf)) None
    else request(table, asked, transaction) { now =>
      val clustered = clusterings(now).map(_.time).toSet
      if (isDue(now, conf)) Some(slice => slice.logs.isEmpty && clustered(slice.instant)) else None
    }
  }

  /** The plan that [[schedule]] would make when plans that can no longer be run are given up. Nothing is written. */
  def preview(table: Table, asked: ClusteringRequest): PlannedClustering = {
    check(table, asked)
    val outdated = PendingClusterings.runnable(table).filter(PendingClusterings.outdated(table, _).isDefined)
    planned(table, asked, _ => false, outdated.map(_.time).toSet)
  }

  /** True when enough commits have completed since the last clustering, and none is planned. */
  def isDue(table: Table, conf: ClusteringConf): Boolean = {
    val last = clusterings(table).map(_.time).lastOption.getOrElse("")
    table.pendingClusterings.isEmpty &&
    table.timeline.writes.count(_.time > last) >= conf.maxCommits
  }

  /** Completed clusterings of the active timeline, oldest first. */
  def clusterings(table: Table): Seq[Instant] = completed(table).map(_._1)

  /** Completed clusterings of the active timeline with their commits. */
  def completed(table: Table): Seq[(Instant, CommitMetadata)] =
    table.store.readCommits(table.timeline.writes.filter(_.action == Action.ReplaceCommit))
      .filter { case (_, metadata) => metadata.operation == CommitMetadata.Cluster }

  /** Raises `InvalidInput` when there is no such partition or column. */
  def check(table: Table, asked: ClusteringRequest): Unit =
    asked.conf.partitions.selected.foreach { named =>
      val partitions = table.partitions()
      named.find(name => !partitions.contains(table.config.spelt(name)(partitions.contains))).foreach(unknown =>
        throw InvalidInput.option(ClusteringOptions.Selected.name, unknown, "the table has no such partition"))
    }

  // Number of plans that others may outrun, before one is made under the lock.
  private val AttemptsBeside = 3

  /** Writes a plan.
    *
    * @param settled
    *   true for slices that stay; `None` for a table that is not to be clustered
    */
  private def request(table: Table, asked: ClusteringRequest, transaction: TransactionOptions)(
      settled: Table => Option[FileSlice => Boolean]): Option[PlannedClustering] = {
    @tailrec def attempt(left: Int): Option[PlannedClustering] = {
      val (beside, isOutrun) = if (left > 0) proposed(table.refresh(), asked)(settled) else (None, false)
      val outcome = if (isOutrun) Left(ProposedClustering.Outrun)
      else Transaction.preparedNow(table, transaction) { now =>
        BegunBootstrap.refuse(now, now.timeline)
        settled(now) match {
          case None => Right(None)
          case Some(stays) =>
            refuseBlocked(now)
            beside.map(_.asOf(now)).getOrElse(Right(planned(now, asked, stays))).map(written(now, asked, _))
        }
      }
      outcome match {
        case Right(done) => done
        case Left(ProposedClustering.Outrun) => attempt(left - 1)
      }
    }
    attempt(AttemptsBeside)
  }

  // A write that blocks the plan now may be gone under the lock, where dead writers are cleared away. The state that is
  // planned on may be taken back meanwhile, which is an error, too.
  private def proposed(before: Table, asked: ClusteringRequest)(settled: Table => Option[FileSlice => Boolean])
      : (Option[ProposedClustering], Boolean) = Outdated.or((Option.empty[ProposedClustering], true)) {
    if (blocking(before).isDefined) (None, false)
    else (settled(before).map(stays => ProposedClustering(before, planned(before, asked, stays))), false)
  }

  private def refuseBlocked(now: Table): Unit = blocking(now).foreach(instant =>
    throw CommitConflict("WRITE_PENDING", "instant" -> instant.time, "path" -> now.basePath,
      "reason" -> "with table version 6 a clustering of a merge-on-read table can only be planned between writes"))

  private def written(now: Table, asked: ClusteringRequest, found: PlannedClustering): Option[PlannedClustering] =
    if (found.groups.isEmpty) None
    else {
      // The instant is later than all others in the timeline, and so than every file of the plan.
      val instant = now.store.newInstantTime(now.timeline.lastTime.getOrElse(""))
      now.store.requestClustering(instant, ClusteringPlanner.plan(found.groups, asked))
      Some(found.copy(instant = Some(instant)))
    }

  // Before version 8 listed slices have log files of writes under way.
  private def blocking(now: Table): Option[Instant] =
    if (now.config.layout > 1 || now.config.tableType != TableType.MergeOnRead) None
    else now.timeline.pending.find(_.action == Action.DeltaCommit)

  private def planned(now: Table, asked: ClusteringRequest, settled: FileSlice => Boolean,
      outdated: Set[String] = Set.empty): PlannedClustering = {
    val clustered = now.pendingClusterings.filterNot { case (_, instant) => outdated(instant) }
    val taken = now.pendingCompactions.keySet ++ now.pendingLogCompactions.keySet ++ clustered.keySet
    val (choice, all) = (asked.conf.partitions, now.partitions())
    val selected = choice.selected.map(_.map(now.config.spelt(_)(all.contains)))
    val partitions = PartitionChoice.of(choice.copy(selected = selected), all)
    val (others, slices) = now.slices(partitions).values.flatten.toSeq.partition(slice => taken(slice.groupId))
    if (asked.buckets.isDefined) others.headOption.foreach(slice =>
      throw InvalidInput("CLUSTERING_NOT_POSSIBLE", "path" -> now.basePath,
        "reason" ->
          (s"a pending plan takes the file group ${slice.fileId} in '${slice.partition}', and a table is moved to other " +
            "buckets as a whole; run that first, or take it back")))
    PlannedClustering(None, ClusteringPlanner.groups(slices, asked, settled), asked.params)
  }
}

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

package io.hudilite.service.cluster

import io.hudilite.config.TableType
import io.hudilite.config.service.{ClusteringConf, ClusteringOptions}
import io.hudilite.error.{CommitConflict, InvalidInput}
import io.hudilite.filegroup.FileSlice
import io.hudilite.table.Table
import io.hudilite.timeline.{Action, CommitMetadata, Instant}
import io.hudilite.transaction.{Transaction, TransactionOptions}

/** A clustering that was planned, or would be.
  *
  * @param instant
  *   its instant; `None` when the plan was only asked for
  */
final case class PlannedClustering(instant: Option[String], groups: Seq[ClusteringGroup], params: Map[String, String])

/** Plans clusterings (docs/format.md#clustering). */
object ClusteringScheduler {

  /** Writes a plan under the table lock; `None` when there is nothing to cluster.
    *
    * Raises `WRITE_PENDING` while a write is under way whose log files the plan would take for committed ones.
    */
  def schedule(table: Table, settings: ClusteringSettings, transaction: TransactionOptions = TransactionOptions())
      : Option[PlannedClustering] = {
    check(table, settings)
    Transaction.prepared(table, transaction)(request(table.refresh(), settings, _ => false))
  }

  /** The same when so many commits have completed since the last clustering. What clusterings have made and nobody has
    * written to since stays.
    */
  def scheduleIfDue(table: Table, conf: ClusteringConf, transaction: TransactionOptions = TransactionOptions())
      : Option[PlannedClustering] = {
    val settings = ClusteringSettings.of(conf)
    check(table, settings)
    if (!isDue(table, conf)) None
    else Transaction.prepared(table, transaction) {
      val now = table.refresh()
      val clustered = clusterings(now).map(_.time).toSet
      if (!isDue(now, conf)) None
      else request(now, settings, slice => slice.logs.isEmpty && clustered(slice.instant))
    }
  }

  /** What [[schedule]] would plan; nothing is written. */
  def preview(table: Table, settings: ClusteringSettings): PlannedClustering = {
    check(table, settings)
    planned(table, settings, _ => false)
  }

  /** Enough commits have completed since the last clustering, and none is planned. */
  def isDue(table: Table, conf: ClusteringConf): Boolean = {
    val last = clusterings(table).map(_.time).lastOption.getOrElse("")
    table.pendingClusterings.isEmpty &&
    table.timeline.writes.count(_.time > last) >= conf.maxCommits
  }

  /** The completed clusterings of the active timeline, oldest first. */
  def clusterings(table: Table): Seq[Instant] = completed(table).map(_._1)

  /** The same with what they did. */
  def completed(table: Table): Seq[(Instant, CommitMetadata)] =
    table.store.readCommits(table.timeline.writes.filter(_.action == Action.ReplaceCommit))
      .filter { case (_, metadata) => metadata.operation == CommitMetadata.Cluster }

  /** Raises `InvalidInput` when there is no such partition or column. */
  def check(table: Table, settings: ClusteringSettings): Unit =
    settings.partitions.named.foreach { named =>
      val partitions = table.partitions()
      named.find(!partitions.contains(_)).foreach(unknown =>
        throw InvalidInput("INVALID_OPTION_VALUE", "option" -> ClusteringOptions.Selected.name, "value" -> unknown,
          "reason" -> "the table has no such partition"))
    }

  private def request(now: Table, settings: ClusteringSettings, settled: FileSlice => Boolean)
      : Option[PlannedClustering] = {
    blocking(now).foreach(instant =>
      throw CommitConflict("WRITE_PENDING", "instant" -> instant.time, "path" -> now.basePath,
        "reason" -> "with table version 6 a clustering of a merge-on-read table can only be planned between writes"))
    val found = planned(now, settings, settled)
    if (found.groups.isEmpty) None
    else {
      // Later than everything in the timeline, so than every file that the plan takes in.
      val instant = now.store.newInstantTime(now.timeline.lastTime.getOrElse(""))
      now.store.requestClustering(instant, ClusteringPlanner.plan(found.groups, settings))
      Some(found.copy(instant = Some(instant)))
    }
  }

  // Before version 8 the slices that a listing shows have the log files of writes under way.
  private def blocking(now: Table): Option[Instant] =
    if (now.config.layout > 1 || now.config.tableType != TableType.MergeOnRead) None
    else now.timeline.pending.find(_.action == Action.DeltaCommit)

  private def planned(now: Table, settings: ClusteringSettings, settled: FileSlice => Boolean): PlannedClustering = {
    val taken = now.pendingCompactions.keySet ++ now.pendingLogCompactions.keySet ++ now.pendingClusterings.keySet
    val partitions = settings.partitions.of(now.partitions())
    val slices = now.slices(partitions).values.flatten.filterNot(slice => taken(slice.groupId)).toSeq
    PlannedClustering(None, ClusteringPlanner.groups(slices, settings.copy(partitions = PartitionChoice()), settled),
      settings.params)
  }
}

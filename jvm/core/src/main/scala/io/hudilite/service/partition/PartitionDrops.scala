package io.hudilite.service.partition

import io.hudilite.config.service.ExpiryConf
import io.hudilite.error.{CommitConflict, InvalidInput, Listed}
import io.hudilite.filegroup.{FileGroupId, FileSlice}
import io.hudilite.table.{Buckets, Table}
import io.hudilite.timeline.{Action, CommitMetadata, Instant, InstantTime}
import io.hudilite.transaction.{Assumption, Transaction, TransactionOptions}

/** Dropped partitions.
  *
  * @param instant
  *   instant of the write that dropped them; empty for a preview, and when there was nothing to do
  * @param fileGroups
  *   number of dropped file groups, by partition
  */
final case class DroppedPartitions(instant: String, fileGroups: Map[String, Int])

/** Drops of partitions: one replace commit takes all their rows out. Their files stay for earlier states until they are
  * cleaned, and the folders go with the last file.
  */
object PartitionDrops {

  /** Partitions that [[run]] would drop. Raises the errors of that. */
  def preview(table: Table, partitions: Seq[String]): DroppedPartitions =
    DroppedPartitions("", checked(table, partitions).map { case (partition, slices) => partition -> slices.size })

  /** Drops partitions, which are named by their paths below the table, in either spelling.
    *
    * Raises `PARTITION_NOT_FOUND`, `PARTITION_IN_SERVICE` while a compaction or clustering of it is pending, and
    * `COMMIT_CONFLICT` when another write has added rows to one of them meanwhile.
    */
  def run(table: Table, partitions: Seq[String], options: TransactionOptions = TransactionOptions())
      : DroppedPartitions = {
    val dropped = checked(table, partitions)
    if (dropped.isEmpty) DroppedPartitions("", Map.empty)
    else {
      val write = Transaction.begin(table, Action.ReplaceCommit, CommitMetadata.DeletePartition, options)
      try {
        write.commit(Nil, dropped.map { case (partition, slices) => partition -> slices.map(_.fileId) },
          assumption = Assumption.Replaces(dropped.keySet))
        DroppedPartitions(write.instant, dropped.map { case (partition, slices) => partition -> slices.size })
      } finally write.rollback() // does nothing after a commit
    }
  }

  /** Completed drops of the active timeline, oldest first. */
  def completed(table: Table): Seq[Instant] =
    table.store.readCommits(table.timeline.writes.filter(_.action == Action.ReplaceCommit))
      .collect { case (instant, metadata) if metadata.operation == CommitMetadata.DeletePartition => instant }

  private def checked(table: Table, partitions: Seq[String]): Map[String, Seq[FileSlice]] = {
    // The empty path is the one partition of a table without partition columns, which is the table itself.
    val named = partitions.filter(_.nonEmpty).map(name => name -> table.config.spelt(name)(hasRows(table, _))).toMap
    val slices = table.groups.slices(named.values.toSeq.distinct)
    if (slices.nonEmpty) Buckets(table).checkReplaced()
    partitions.find(named.get(_).flatMap(slices.get).forall(_.isEmpty)).foreach(partition =>
      throw InvalidInput("PARTITION_NOT_FOUND", "path" -> table.basePath, "partition" -> partition,
        "partitions" -> some(table)))
    val services = Seq("compaction" -> table.pendingCompactions, "log compaction" -> table.pendingLogCompactions,
      "clustering" -> table.pendingClusterings)
    for ((service, groups) <- services; (FileGroupId(partition, _), instant) <- groups if slices.contains(partition))
      throw CommitConflict("PARTITION_IN_SERVICE", "path" -> table.basePath, "partition" -> partition,
        "service" -> service, "instant" -> instant)
    slices
  }

  private def hasRows(table: Table, partition: String): Boolean =
    table.groups.slices(Seq(partition)).values.exists(_.nonEmpty)

  private def some(table: Table): String = {
    val found = table.partitions().filter(_.nonEmpty)
    val slices = table.groups.slices(found)
    Listed.of(found.filter(slices.getOrElse(_, Nil).nonEmpty), Named)
  }

  private val Named = 10
}

/** Drops partitions to which nobody has written for long: Hudi's KEEP_BY_TIME. */
object PartitionExpiry {

  private val MillisPerDay = 24L * 3600L * 1000L

  /** Partitions that are dropped now, those with the oldest writes in front: pure.
    *
    * @param lastWrites
    *   instant of the last write to each partition
    * @param limit
    *   first instant that is young enough
    */
  def expired(lastWrites: Map[String, String], limit: String, conf: ExpiryConf): Seq[String] =
    lastWrites.toSeq.filter { case (partition, instant) =>
      instant < limit && partition.nonEmpty && conf.selected.forall(_.contains(partition))
    }.sortBy(_.swap).map(_._1).take(conf.most)

  def preview(table: Table, conf: ExpiryConf): DroppedPartitions =
    PartitionDrops.preview(table, due(table, conf))

  /** Drops partitions that are due by one replace commit: see [[PartitionDrops.run]]. A partition that a service has
    * planned to rewrite stays until that is done.
    */
  def run(table: Table, conf: ExpiryConf, options: TransactionOptions = TransactionOptions())
      : DroppedPartitions = {
    val partitions = due(table, conf)
    if (partitions.isEmpty) DroppedPartitions("", Map.empty) else PartitionDrops.run(table, partitions, options)
  }

  private def due(table: Table, conf: ExpiryConf): Seq[String] = {
    val clock = table.storage.clock
    val limit = InstantTime.fromEpochMillis(clock.millis() - conf.days * MillisPerDay, table.config.zone(clock))
    val taken =
      (table.pendingCompactions.keySet ++ table.pendingLogCompactions.keySet ++
        table.pendingClusterings.keySet).map(_.partition)
    val lastWrites = table.allSlices().collect {
      case (partition, slices) if slices.nonEmpty && !taken(partition) => partition -> slices.map(lastWrite).max
    }
    val selected = conf.selected.map(_.map(table.config.spelt(_)(lastWrites.contains)))
    expired(lastWrites, limit, conf.copy(selected = selected))
  }

  // Files of a compaction or clustering count, too, since they do not tell when their rows came.
  private def lastWrite(slice: FileSlice): String = (slice.instant +: slice.logs.map(_.time)).max
}

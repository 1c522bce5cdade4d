package io.hudilite.service.partition

import io.hudilite.config.service.ExpiryConf
import io.hudilite.filegroup.FileSlice
import io.hudilite.table.Table
import io.hudilite.timeline.InstantTime
import io.hudilite.transaction.TransactionOptions

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
    expired(lastWrites, limit, conf)
  }

  // Files of a compaction or clustering count, too, since they do not tell when their rows came.
  private def lastWrite(slice: FileSlice): String = (slice.instant +: slice.logs.map(_.time)).max
}

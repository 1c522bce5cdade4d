package io.hudilite.service.partition

import io.hudilite.config.service.{ExpiryConf, PartitionTtlOptions}
import io.hudilite.error.InvalidInput
import io.hudilite.filegroup.FileSlice
import io.hudilite.table.Table
import io.hudilite.timeline.InstantTime
import io.hudilite.transaction.TransactionOptions

/** Which partitions go by themselves.
  *
  * @param days
  *   after the last write to a partition
  * @param selected
  *   the only ones that may go; `None` = all
  * @param most
  *   that go at once
  */
final case class ExpirySettings(days: Int, selected: Option[Seq[String]], most: Int)

object ExpirySettings {

  /** Raises `INVALID_OPTION_VALUE` unless the options say after how many days partitions go. */
  def of(conf: ExpiryConf): ExpirySettings = {
    if (conf.days < 1) throw InvalidInput("INVALID_OPTION_VALUE", "option" -> PartitionTtlOptions.DaysRetain.name,
      "value" -> conf.days.toString, "reason" -> "say after how many days a partition goes")
    ExpirySettings(conf.days, conf.selected, conf.most)
  }
}

/** Drops partitions to which nobody has written for long: Hudi's KEEP_BY_TIME. */
object PartitionExpiry {

  private val MillisPerDay = 24L * 3600L * 1000L

  /** The partitions that go now, those that were written to first in front: pure.
    *
    * @param lastWrites
    *   instant of the last write to each partition
    * @param limit
    *   the first instant that is young enough
    */
  def expired(lastWrites: Map[String, String], limit: String, settings: ExpirySettings): Seq[String] =
    lastWrites.toSeq.filter { case (partition, instant) =>
      instant < limit && partition.nonEmpty && settings.selected.forall(_.contains(partition))
    }.sortBy(_.swap).map(_._1).take(settings.most)

  def preview(table: Table, settings: ExpirySettings): DroppedPartitions =
    PartitionDrops.preview(table, due(table, settings))

  /** Drops what is due by one replace commit, see [[PartitionDrops.run]]. Of partitions that a service has planned to
    * rewrite that one comes first.
    */
  def run(table: Table, settings: ExpirySettings, options: TransactionOptions = TransactionOptions())
      : DroppedPartitions = {
    val partitions = due(table, settings)
    if (partitions.isEmpty) DroppedPartitions("", Map.empty) else PartitionDrops.run(table, partitions, options)
  }

  private def due(table: Table, settings: ExpirySettings): Seq[String] = {
    val clock = table.storage.clock
    val limit = InstantTime.fromEpochMillis(clock.millis() - settings.days * MillisPerDay, table.config.zone(clock))
    val taken =
      (table.pendingCompactions.keySet ++ table.pendingLogCompactions.keySet ++
        table.pendingClusterings.keySet).map(_.partition)
    val lastWrites = table.allSlices().collect {
      case (partition, slices) if slices.nonEmpty && !taken(partition) => partition -> slices.map(lastWrite).max
    }
    expired(lastWrites, limit, settings)
  }

  // What a compaction or clustering wrote counts, too: the files do not say when their rows came.
  private def lastWrite(slice: FileSlice): String = (slice.instant +: slice.logs.map(_.time)).max
}

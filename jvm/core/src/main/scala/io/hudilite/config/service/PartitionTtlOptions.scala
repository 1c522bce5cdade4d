package io.hudilite.config.service

import io.hudilite.config.key.ConfigKey

/** Options of partitions that are dropped when nobody has written to them for long. */
object PartitionTtlOptions {

  private val Strategy = "hoodie.partition.ttl.strategy"

  val Inline: ConfigKey[Boolean] = ConfigKey.flag("hoodie.partition.ttl.inline", default = false,
    "After a write, drop the partitions to which nobody has written for so many days.")

  val DaysRetain: ConfigKey[Int] = ConfigKey.int(s"$Strategy.days.retain", -1,
    "Days after its last write at which a partition goes; -1 keeps them all.", -1, "days")

  val Selected: ConfigKey[Seq[String]] = ConfigKey.list(s"$Strategy.partition.selected",
    "Paths of the only partitions that may go.")

  val MaxPartitions: ConfigKey[Int] = ConfigKey.int(s"$Strategy.max.delete.partitions", 1000,
    "Partitions that go at once, at most; those that were written to first.", 1, "partitions")

  val all: Seq[ConfigKey[_]] = Seq(Inline, DaysRetain, Selected, MaxPartitions)
}

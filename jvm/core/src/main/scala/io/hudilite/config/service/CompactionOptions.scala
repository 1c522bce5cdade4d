package io.hudilite.config.service

import io.hudilite.config.key.ConfigKey

/** Options of the compaction of merge-on-read tables. */
object CompactionOptions {

  val NumCommits = "NUM_COMMITS"
  val NumCommitsAfterLastRequest = "NUM_COMMITS_AFTER_LAST_REQUEST"
  val TimeElapsed = "TIME_ELAPSED"
  val NumAndTime = "NUM_AND_TIME"
  val NumOrTime = "NUM_OR_TIME"

  val Triggers: Seq[String] = Seq(NumCommits, NumCommitsAfterLastRequest, TimeElapsed, NumAndTime, NumOrTime)

  val Inline: ConfigKey[Boolean] = ConfigKey.flag("hoodie.compact.inline", default = true,
    "After a write to a merge-on-read table, plan a compaction when one is due and run what is pending. The write is " +
      "committed before; a compaction that fails stays pending, and is logged. With `true` given, what is pending is run " +
      "after each write, due or not. Not by default where `hoodie.compact.schedule.inline` leaves compactions to another " +
      "process.")

  val ScheduleInline: ConfigKey[Boolean] = ConfigKey.flag("hoodie.compact.schedule.inline", default = false,
    "After a write to a merge-on-read table, plan a compaction when one is due, to be run by another process.")

  val Trigger: ConfigKey[String] = ConfigKey.choice("hoodie.compact.inline.trigger.strategy", Some(NumCommits),
    Triggers,
    "When a compaction is due: after a number of delta commits since the last one completed, or was requested, after a " +
      "time, after both or either.")

  val MaxDeltaCommits: ConfigKey[Int] = ConfigKey.int("hoodie.compact.inline.max.delta.commits", 5,
    "Delta commits after which a compaction is due.", 1, "commits")

  val MaxDeltaSeconds: ConfigKey[Long] = ConfigKey.long("hoodie.compact.inline.max.delta.seconds", 3600L,
    "Time after which a compaction is due.", 1, "seconds")

  val Strategy: ConfigKey[String] = ConfigKey.text("hoodie.compaction.strategy", Some("LogFileSizeBased"),
    "Which file slices a compaction takes: LogFileSizeBased, LogFileNumBased, BoundedIO, UnBounded, DayBased, " +
      "BoundedPartitionAware, UnBoundedPartitionAware, by this name or Hudi's class name, or a class of your own.")

  val LogSizeThreshold: ConfigKey[Long] = ConfigKey.long("hoodie.compaction.logfile.size.threshold", 0L,
    "LogFileSizeBased takes slices with at least this much in log files.", 0, "bytes")

  val LogCountThreshold: ConfigKey[Long] = ConfigKey.long("hoodie.compaction.logfile.num.threshold", 0L,
    "LogFileNumBased takes slices with at least this many log files.", 0, "files")

  val TargetIoMb: ConfigKey[Long] = ConfigKey.long("hoodie.compaction.target.io", 500L * 1024L,
    "What one compaction reads and writes before a strategy with bounded IO takes no more slices.", 0, "MiB")

  val TargetPartitions: ConfigKey[Int] = ConfigKey.int("hoodie.compaction.daybased.target.partitions", 10,
    "Newest day partitions that DayBased takes; BoundedPartitionAware takes those of this many days back, " +
      "UnBoundedPartitionAware the older ones.",
    0, "partitions")

  val LogInline: ConfigKey[Boolean] = ConfigKey.flag("hoodie.log.compaction.inline", default = false,
    "After a write to a merge-on-read table, fold the log files of file groups with many small blocks into fewer, when " +
      "as many delta commits as the threshold have completed since the last compaction of either kind.")

  val LogEnable: ConfigKey[Boolean] = ConfigKey.flag("hoodie.log.compaction.enable", default = true,
    "With `false` a log compaction that is asked for, inline or not, is refused. Apache Hudi, where it is off by " +
      "default, asks by it for log compactions of its metadata table, which hudilite does not write.")

  val LogBlocksThreshold: ConfigKey[Int] = ConfigKey.int("hoodie.log.compaction.blocks.threshold", 5,
    "Log blocks that a file slice must have for a log compaction, and delta commits after which one is due inline.", 1,
    "blocks")

  val TableServices: ConfigKey[Boolean] = ConfigKey.flag("hoodie.table.services.enabled", default = true,
    "A write may be followed by a compaction. With `false` none is planned or run after it.")

  val all: Seq[ConfigKey[_]] =
    Seq(TableServices, Inline, ScheduleInline, Trigger, MaxDeltaCommits, MaxDeltaSeconds, Strategy,
      LogSizeThreshold, LogCountThreshold, TargetIoMb, TargetPartitions, LogInline, LogEnable, LogBlocksThreshold)
}

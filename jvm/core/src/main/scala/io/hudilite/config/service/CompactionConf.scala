package io.hudilite.config.service

import io.hudilite.config.key.Setting

/** Compaction of log files.
  *
  * @param inline
  *   true when a compaction into base files that is due follows a write
  * @param schedulesInline
  *   true when a write plans it only
  * @param strategy
  *   name of the strategy that chooses file slices
  * @param logBytes
  *   least bytes of log files for LogFileSizeBased to take a slice
  * @param logFiles
  *   least number of log files for LogFileNumBased to take a slice
  * @param ioMb
  *   MiB read and written at which a strategy with bounded IO stops
  * @param partitions
  *   partitions that DayBased takes, or days that the partition-aware strategies look back
  * @param fileBytes
  *   size of a base file that inserts no longer go to
  */
final case class CompactionConf(
    inline: Setting[Boolean],
    schedulesInline: Boolean,
    trigger: TriggerConf,
    strategy: String,
    logBytes: Long,
    logFiles: Long,
    ioMb: Long,
    partitions: Int,
    logs: LogCompactionConf,
    fileBytes: Long) {

  /** True when writes to merge-on-read tables run compactions. A user who has them only planned inline runs them
    * elsewhere, unless an option says otherwise.
    */
  def runsInline: Boolean = inline.orElse(inline.value && !schedulesInline)
}

/** Trigger of compactions into base files.
  *
  * @param strategy
  *   one of `CompactionOptions.Triggers`
  */
final case class TriggerConf(strategy: String, maxCommits: Int, maxSeconds: Long)

/** Log compactions, which fold log files into fewer.
  *
  * @param inline
  *   true when one that is due follows a write
  * @param allowed
  *   true when they may be asked for
  * @param blocks
  *   least number of log blocks of a slice, and of delta commits after which one is due
  */
final case class LogCompactionConf(inline: Boolean, allowed: Boolean, blocks: Int)

object CompactionConf {

  import CompactionOptions._

  private[service] def of(options: Map[String, String], fileBytes: Long): CompactionConf = CompactionConf(
    inline = Inline.setting(options),
    schedulesInline = ScheduleInline(options),
    trigger = TriggerConf(Trigger(options), MaxDeltaCommits(options), MaxDeltaSeconds(options)),
    strategy = Strategy(options),
    logBytes = LogSizeThreshold(options),
    logFiles = LogCountThreshold(options),
    ioMb = TargetIoMb(options),
    partitions = TargetPartitions(options),
    logs = LogCompactionConf(LogInline(options), LogEnable(options), LogBlocksThreshold(options)),
    fileBytes = fileBytes)
}

package io.hudilite.config.service

import io.hudilite.config.key.Setting

/** What becomes of log files.
  *
  * @param inline
  *   a write is followed by a compaction into base files that is due
  * @param schedulesInline
  *   a write plans it only
  * @param strategy
  *   name of the strategy that chooses file slices
  * @param logBytes
  *   bytes of log files from which on LogFileSizeBased takes a slice
  * @param logFiles
  *   log files from which on LogFileNumBased does
  * @param ioMb
  *   MiB read and written at which a strategy with bounded IO stops
  * @param partitions
  *   that DayBased takes, or days that the partition-aware strategies look back
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

  /** Writes to merge-on-read tables run compactions: who has them planned inline runs them elsewhere, unless told. */
  def runsInline: Boolean = inline.orElse(inline.value && !schedulesInline)
}

/** When a compaction into base files is due.
  *
  * @param strategy
  *   one of `CompactionOptions.Triggers`
  */
final case class TriggerConf(strategy: String, maxCommits: Int, maxSeconds: Long)

/** Log compactions, which fold log files into fewer.
  *
  * @param inline
  *   a write is followed by one that is due
  * @param allowed
  *   they may be asked for
  * @param blocks
  *   log blocks that a slice must have for it, and delta commits after which one is due
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

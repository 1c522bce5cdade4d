package io.hudilite.service.compact

import java.time.LocalDate

/** What the strategies go by.
  *
  * @param minLogBytes
  *   bytes of log files that a slice must have for LogFileSizeBased
  * @param minLogFiles
  *   log files that a slice must have for LogFileNumBased
  * @param targetIoMb
  *   MiB read and written at which a strategy with bounded IO stops
  * @param targetPartitions
  *   partitions that DayBased takes, or days that the partition-aware strategies look back
  * @param today
  *   the present day in the table's zone
  */
final case class CompactionSettings(
    today: LocalDate,
    minLogBytes: Long = 0L,
    minLogFiles: Long = 0L,
    targetIoMb: Long = 500L * 1024L,
    targetPartitions: Int = 10)

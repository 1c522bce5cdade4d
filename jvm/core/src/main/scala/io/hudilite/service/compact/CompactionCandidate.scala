package io.hudilite.service.compact

import io.hudilite.filegroup.FileSlice
import io.hudilite.timeline.plan.CompactionOperation

/** A file slice that a compaction could rewrite, with the cost of that.
  *
  * @param slice
  *   a slice with log files
  * @param maxFileBytes
  *   assumed size of the new base file when the slice has none
  */
final case class CompactionCandidate(slice: FileSlice, maxFileBytes: Long) {

  import CompactionCandidate._

  def partition: String = slice.partition

  def logFiles: Int = slice.logs.size

  def logBytes: Long = slice.logs.map(_.length).sum

  /** Whole MiB to read: the base file and all log files. */
  def readMb: Long = (slice.base.map(_.length).getOrElse(0L) + logBytes) / MiB

  /** Whole MiB to write: about the size of the base file. */
  def writeMb: Long = slice.base.map(_.length).getOrElse(maxFileBytes) / MiB

  /** Whole MiB to read and write, by which a strategy with bounded IO counts. */
  def totalMb: Long = readMb + writeMb

  /** These figures by Hudi's names, as in a plan. */
  def metrics: Map[String, Double] = Map(
    "TOTAL_LOG_FILES" -> logFiles.toDouble,
    "TOTAL_LOG_FILES_SIZE" -> logBytes.toDouble,
    "TOTAL_IO_READ_MB" -> readMb.toDouble,
    "TOTAL_IO_WRITE_MB" -> writeMb.toDouble,
    "TOTAL_IO_MB" -> totalMb.toDouble)

  def operation: CompactionOperation = CompactionOperation(slice.partition, slice.fileId, slice.instant,
    slice.base.map(_.name), slice.logs.map(_.name), metrics)
}

object CompactionCandidate {
  private val MiB = 1024L * 1024L
}

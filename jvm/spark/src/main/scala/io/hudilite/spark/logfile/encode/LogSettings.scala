package io.hudilite.spark.logfile.encode

import io.hudilite.filegroup.FileGroupId

/** How the log files of a merge-on-read table are written.
  *
  * @param version
  *   table version
  * @param parquet
  *   rows are stored as parquet, not as Avro
  * @param blockBytes
  *   size at which a block is finished
  * @param fileBytes
  *   size at which another file is begun
  * @param findsPositions
  *   rows of base files that changes replace are looked for when nobody has told them
  * @param takesInserts
  *   new rows go to the log of a file group that there is, as an index finds them there; otherwise to base files
  * @param compactions
  *   instant of the pending compaction of a file group; before version 8 it names the log files
  */
final case class LogSettings(
    version: Int,
    parquet: Boolean = false,
    blockBytes: Long = LogSettings.BlockBytes,
    fileBytes: Long = LogSettings.FileBytes,
    findsPositions: Boolean = false,
    takesInserts: Boolean = false,
    compactions: Map[FileGroupId, String] = Map.empty) {

  /** Log files bear the instant of their write, not of their slice. */
  def byInstant: Boolean = version >= LogSettings.FirstVersionByInstant
}

object LogSettings {
  val BlockBytes: Long = 64L * 1024 * 1024
  val FileBytes: Long = 1024L * 1024 * 1024

  /** A block is collected in one array, which must hold the row that reaches the block's size, too. */
  val MostBlockBytes: Long = 1024L * 1024 * 1024
  val FirstVersionByInstant = 8
}

package io.hudilite.spark.logfile.encode

import io.hudilite.filegroup.FileGroupId
import io.hudilite.log.BlockInstants

/** Settings for the log files of a merge-on-read table.
  *
  * @param version
  *   table version
  * @param parquet
  *   true to store rows as parquet, false as Avro
  * @param blockBytes
  *   size at which a block is finished
  * @param fileBytes
  *   size at which another file is begun
  * @param findsPositions
  *   true to look for the rows of base files that changes replace, where they are not known
  * @param takesInserts
  *   true to put new rows into the log of an existing file group, where an index finds them; false to put them into
  *   base files
  * @param compactions
  *   instant of the pending compaction of a file group; before version 8 log files bear it
  * @param updated
  *   ordinals of the data columns that records of updates have, in ascending order; `None` = all
  * @param counting
  *   blocks of the table's log files that count; `None` where nobody reads them
  */
final case class LogSettings(
    version: Int,
    parquet: Boolean = false,
    blockBytes: Long = LogSettings.BlockBytes,
    fileBytes: Long = LogSettings.FileBytes,
    findsPositions: Boolean = false,
    takesInserts: Boolean = false,
    compactions: Map[FileGroupId, String] = Map.empty,
    updated: Option[Seq[Int]] = None,
    counting: Option[BlockInstants] = None) {

  /** True when log files bear the instant of their write, not of their slice. */
  def byInstant: Boolean = version >= LogSettings.FirstVersionByInstant
}

object LogSettings {
  val BlockBytes: Long = 64L * 1024 * 1024
  val FileBytes: Long = 1024L * 1024 * 1024

  /** A block is collected in one array, which must also hold the row that reaches the block's size. */
  val MostBlockBytes: Long = 1024L * 1024 * 1024
  val FirstVersionByInstant = 8
}

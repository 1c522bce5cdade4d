package io.hudilite.spark.procedure

import io.hudilite.service.compact.CompactionCandidate
import io.hudilite.timeline.WriteStat

import org.apache.spark.sql.Row
import org.apache.spark.sql.types.{ArrayType, DataType, LongType, StringType}

/** What compactions take and what they did, as columns of an answer. */
private[procedure] object CompactionColumns {

  /** File slices that are planned. */
  val Slices: DataType = Procedure.structs("partition" -> StringType, "file_id" -> StringType,
    "base_instant" -> StringType, "base_file" -> StringType, "log_files" -> ArrayType(StringType),
    "base_bytes" -> LongType, "log_bytes" -> LongType)

  /** Files that were written. */
  val Groups: DataType = Procedure.structs("partition" -> StringType, "file_id" -> StringType, "path" -> StringType,
    "previous_base_file" -> StringType, "rows" -> LongType, "inserted" -> LongType, "updated" -> LongType,
    "deleted" -> LongType, "bytes" -> LongType, "log_files" -> LongType, "log_bytes" -> LongType,
    "log_records" -> LongType, "milliseconds" -> LongType)

  def slice(of: CompactionCandidate): Row = Row(of.partition, of.slice.fileId, of.slice.instant,
    of.slice.base.map(_.name).orNull, of.slice.logs.map(_.name), of.slice.base.map(_.length).getOrElse(0L),
    of.logBytes)

  def group(of: WriteStat): Row = Row(of.partitionPath, of.fileId, of.path, of.prevBaseFile.orNull, of.numWrites,
    of.numInserts, of.numUpdateWrites, of.numDeletes, of.fileSizeInBytes, of.logScan.files,
    of.logScan.sizeCompacted, of.logScan.records, of.logScan.readTimeMs)
}

package io.hudilite.spark.task

import io.hudilite.filegroup.FileNames
import io.hudilite.timeline.{LogScan, WriteStat}

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.types.{LongType, StringType, StructField, StructType}
import org.apache.spark.unsafe.types.UTF8String

/** The stat of a base or log file that a compaction wrote as a row, on its way from a task to the driver. */
private[spark] object StatRows {

  private val texts = Seq("partition", "file_id", "path", "previous_instant", "previous_base_file",
    "base_file")

  private val counts = Seq("rows", "deleted", "updated", "inserted", "bytes", "log_records", "log_files", "log_bytes",
    "log_blocks", "read_ms")

  val schema: StructType = StructType(
    texts.map(StructField(_, StringType)) ++ counts.map(StructField(_, LongType, nullable = false)))

  def toRow(stat: WriteStat): InternalRow = {
    val words = Seq(stat.partitionPath, stat.fileId, stat.path, stat.prevCommit, stat.prevBaseFile.orNull,
      stat.baseFile.orNull)
    val log = stat.logScan
    InternalRow.fromSeq(words.map(UTF8String.fromString) ++ Seq(stat.numWrites, stat.numDeletes, stat.numUpdateWrites,
      stat.numInserts, stat.fileSizeInBytes, log.records, log.files, log.sizeCompacted, log.blocks,
      log.readTimeMs))
  }

  def fromRow(row: InternalRow): WriteStat = {
    def number(name: String): Long = row.getLong(schema.fieldIndex(name))
    def text(name: String): String = Option(row.getUTF8String(schema.fieldIndex(name))).map(_.toString).orNull
    val logName = Option(text("path").split('/').last).filter(FileNames.parseLogFile(_).isDefined)
    WriteStat(text("file_id"), text("path"), text("previous_instant"), text("partition"), numWrites = number("rows"),
      numDeletes = number("deleted"), numUpdateWrites = number("updated"), numInserts = number("inserted"),
      totalWriteBytes = number("bytes"), fileSizeInBytes = number("bytes"),
      baseFile = Option(text("base_file")), prevBaseFile = Option(text("previous_base_file")),
      logFiles = logName.toList, logVersion = logName.flatMap(FileNames.parseLogFile).map(_.version).getOrElse(0),
      logScan = LogScan(records = number("log_records"), files = number("log_files"),
        filesCompacted = number("log_files"), sizeCompacted = number("log_bytes"),
        updatedRecords = if (logName.isEmpty) number("updated") else 0L, blocks = number("log_blocks"),
        readTimeMs = number("read_ms")))
  }
}

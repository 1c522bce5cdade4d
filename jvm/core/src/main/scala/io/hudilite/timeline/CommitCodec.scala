package io.hudilite.timeline

import io.hudilite.codec.avro.{AvroFields, AvroFile}
import io.hudilite.error.CorruptTable
import io.hudilite.storage.TablePath

import org.apache.avro.generic.GenericRecord

/** Commit metadata to and from bytes: JSON in layout 1, Avro in layout 2.
  *
  * The content decides how bytes are read: the folder of an upgraded table may hold both.
  */
private[timeline] object CommitCodec {

  def write(metadata: CommitMetadata, action: String, layout: Int): Array[Byte] = {
    val replaces = metadata.replaced.nonEmpty || Action.completed(action) == Action.ReplaceCommit
    if (layout == 1) CommitJson.write(metadata, replaces) else CommitAvro.write(metadata, replaces)
  }

  def read(bytes: Array[Byte], path: String): CommitMetadata =
    if (bytes.isEmpty) CommitMetadata.Empty
    else CorruptTable.guard(path)(parse(bytes))

  private def parse(bytes: Array[Byte]): CommitMetadata =
    CommitPaths.normal(if (AvroFile.isAvro(bytes)) CommitAvro.read(bytes) else CommitJson.read(bytes))

  /** True when the bytes begin as a commit does and end before it does. */
  def isCutShort(bytes: Array[Byte]): Boolean =
    if (AvroFile.isAvro(bytes)) AvroFile.isCutShort(bytes)
    else AvroFile.isPartOfMagic(bytes) || CommitJson.isCutShort(bytes)
}

private[timeline] object CommitAvro {

  import AvroFile.record

  def write(metadata: CommitMetadata, replaces: Boolean): Array[Byte] = AvroFile.write(encode(metadata, replaces))

  /** The record of a write that may have replaced file groups, or of one that has not. */
  def encode(metadata: CommitMetadata, replaces: Boolean): GenericRecord = {
    val common = Seq[(String, Any)](
      "partitionToWriteStats" -> metadata.stats.map { case (partition, stats) => partition -> stats.map(stat) },
      "compacted" -> metadata.compacted, "extraMetadata" -> metadata.extra, "version" -> None,
      "operationType" -> metadata.operation)
    if (replaces)
      record(TimelineSchemas.ReplaceCommit)(common :+ ("partitionToReplaceFileIds" -> metadata.replaced): _*)
    else record(TimelineSchemas.Commit)(common: _*)
  }

  private def stat(s: WriteStat): AnyRef = record(TimelineSchemas.WriteStat)(
    Seq("fileId" -> s.fileId, "path" -> Some(s.path).filter(_.nonEmpty), "prevCommit" -> s.prevCommit,
      "numWrites" -> s.numWrites, "numDeletes" -> s.numDeletes, "numUpdateWrites" -> s.numUpdateWrites,
      "totalWriteBytes" -> s.totalWriteBytes, "totalWriteErrors" -> s.totalWriteErrors,
      "partitionPath" -> s.partitionPath, "numInserts" -> s.numInserts, "fileSizeInBytes" -> s.fileSizeInBytes,
      "cdcStats" -> Some(s.cdcStats).filter(_.nonEmpty), "prevBaseFile" -> s.prevBaseFile,
      "minEventTime" -> s.minEventTime, "maxEventTime" -> s.maxEventTime, "numUpdates" -> 0L) ++
      scan(s.logScan) ++ (if (s.isLog) log(s) else Nil): _*)

  private def log(s: WriteStat): Seq[(String, Any)] = Seq("logVersion" -> s.logVersion, "logOffset" -> s.logOffset,
    "baseFile" -> s.baseFile.getOrElse(""), "logFiles" -> s.logFiles)

  private def scan(l: LogScan): Seq[(String, Any)] = Seq("totalLogRecords" -> l.records,
    "totalLogFiles" -> Some(l.files).filter(_ > 0), "totalUpdatedRecordsCompacted" -> l.updatedRecords,
    "totalLogBlocks" -> l.blocks, "totalCorruptLogBlock" -> l.corruptBlocks,
    "totalRollbackBlocks" -> l.rollbackBlocks, "totalLogFilesCompacted" -> l.filesCompacted,
    "totalLogReadTimeMs" -> l.readTimeMs, "totalLogSizeCompacted" -> l.sizeCompacted)

  def read(bytes: Array[Byte]): CommitMetadata = read(AvroFile.read(bytes))

  def read(fields: AvroFields): CommitMetadata = CommitMetadata(
    fields.text("operationType").getOrElse(CommitMetadata.Empty.operation),
    fields.childrenMap("partitionToWriteStats").map { case (p, stats) => p -> stats.map(readStat(p, _)) },
    fields.textMap("extraMetadata"), fields.textsMap("partitionToReplaceFileIds"), fields.flag("compacted"))

  private def readStat(partition: String, f: AvroFields): WriteStat = WriteStat(
    fileId = f.text("fileId").getOrElse(""),
    path = f.text("path").getOrElse(""),
    prevCommit = f.text("prevCommit").getOrElse(WriteStat.NoPreviousCommit),
    partitionPath = f.text("partitionPath").getOrElse(partition),
    numWrites = f.number("numWrites"),
    numDeletes = f.number("numDeletes"),
    numUpdateWrites = f.number("numUpdateWrites"),
    numInserts = f.number("numInserts"),
    totalWriteBytes = f.number("totalWriteBytes"),
    fileSizeInBytes = f.number("fileSizeInBytes"),
    totalWriteErrors = f.number("totalWriteErrors"),
    baseFile = f.text("baseFile").filter(_.nonEmpty),
    prevBaseFile = f.text("prevBaseFile").filter(_.nonEmpty),
    logFiles = f.texts("logFiles"),
    logVersion = f.number("logVersion").toInt,
    logOffset = f.number("logOffset"),
    cdcStats = f.longMap("cdcStats"),
    minEventTime = f.long("minEventTime"),
    maxEventTime = f.long("maxEventTime"),
    logScan = LogScan(f.number("totalLogRecords"), f.number("totalLogFiles"), f.number("totalLogFilesCompacted"),
      f.number("totalLogSizeCompacted"), f.number("totalUpdatedRecordsCompacted"), f.number("totalLogBlocks"),
      f.number("totalCorruptLogBlock"), f.number("totalRollbackBlocks"), f.number("totalLogReadTimeMs")))
}

/** Paths and names of commit metadata, in the one form in which they are compared with listings. A path that leads out
  * of the table is an `IllegalArgumentException`. Hudi records partition paths as they were spelled from the rows.
  */
private[timeline] object CommitPaths {

  def normal(metadata: CommitMetadata): CommitMetadata = metadata.copy(
    stats = byPartition(metadata.stats).map { case (partition, stats) => partition -> stats.map(normal) },
    replaced = byPartition(metadata.replaced).map { case (partition, ids) => partition -> ids.map(fileId) })

  private def byPartition[T](found: Map[String, Seq[T]]): Map[String, Seq[T]] =
    if (found.keys.forall(TablePath.isNormal)) found
    else found.toSeq.groupBy { case (partition, _) => TablePath.relative(partition) }
      .map { case (partition, same) => partition -> same.flatMap(_._2) }

  private def normal(stat: WriteStat): WriteStat = stat.copy(
    fileId = fileId(stat.fileId),
    path = TablePath.relative(stat.path),
    partitionPath = TablePath.relative(stat.partitionPath),
    baseFile = stat.baseFile.map(TablePath.name),
    prevBaseFile = stat.prevBaseFile.map(TablePath.name),
    logFiles = stat.logFiles.map(TablePath.name),
    cdcStats = stat.cdcStats.map { case (path, size) => TablePath.relative(path) -> size })

  // A stub of a file that is yet to be written has no file group.
  private def fileId(text: String): String = if (text.isEmpty) text else TablePath.name(text)
}

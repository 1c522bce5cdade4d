package io.hudilite.timeline

import com.fasterxml.jackson.core.io.JsonEOFException
import com.fasterxml.jackson.databind.node.{ArrayNode, ObjectNode}
import com.fasterxml.jackson.databind.{JsonNode, ObjectMapper}

import scala.collection.JavaConverters._
import scala.util.control.NonFatal

/** Commit metadata as the indented JSON of layout 1, with Hudi's field names; unknown fields are ignored. */
private[timeline] object CommitJson {

  private val mapper = new ObjectMapper()

  def write(metadata: CommitMetadata, replaces: Boolean): Array[Byte] = {
    val root = mapper.createObjectNode()
    val stats = root.putObject("partitionToWriteStats")
    metadata.stats.foreach { case (partition, files) =>
      val array = stats.putArray(partition)
      files.foreach(writeStat(array.addObject(), _))
    }
    root.put("compacted", metadata.compacted)
    val extra = root.putObject("extraMetadata")
    metadata.extra.foreach { case (key, value) => extra.put(key, value) }
    root.put("operationType", metadata.operation)
    if (replaces) {
      val replaced = root.putObject("partitionToReplaceFileIds")
      metadata.replaced.foreach { case (partition, ids) => putTexts(replaced.putArray(partition), ids) }
    }
    mapper.writerWithDefaultPrettyPrinter().writeValueAsBytes(root)
  }

  private def writeStat(node: ObjectNode, s: WriteStat): Unit = {
    def number(values: (String, Long)*): Unit = values.foreach { case (name, value) => node.put(name, value) }
    def text(values: (String, Option[String])*): Unit =
      values.foreach { case (name, value) => value.fold(node.putNull(name))(node.put(name, _)) }

    val l = s.logScan
    number("numInserts" -> s.numInserts, "numUpdates" -> 0L, "numDeletes" -> s.numDeletes,
      "totalLogReadTimeMs" -> l.readTimeMs, "totalLogRecords" -> l.records,
      "totalLogFilesCompacted" -> l.filesCompacted, "totalLogSizeCompacted" -> l.sizeCompacted,
      "totalUpdatedRecordsCompacted" -> l.updatedRecords, "totalLogBlocks" -> l.blocks,
      "totalCorruptLogBlock" -> l.corruptBlocks, "totalRollbackBlocks" -> l.rollbackBlocks)
    text("fileId" -> Some(s.fileId), "path" -> Some(s.path).filter(_.nonEmpty))
    writeCdcStats(node, s.cdcStats)
    text("prevCommit" -> Some(s.prevCommit))
    number("numWrites" -> s.numWrites, "numUpdateWrites" -> s.numUpdateWrites,
      "totalWriteBytes" -> s.totalWriteBytes, "totalWriteErrors" -> s.totalWriteErrors)
    text("tempPath" -> None, "partitionPath" -> Some(s.partitionPath))
    number("fileSizeInBytes" -> s.fileSizeInBytes)
    s.minEventTime.fold(node.putNull("minEventTime"))(node.put("minEventTime", _))
    s.maxEventTime.fold(node.putNull("maxEventTime"))(node.put("maxEventTime", _))
    text("prevBaseFile" -> s.prevBaseFile)
    node.putNull("runtimeStats")
    if (s.isLog) writeLog(node, s)
  }

  private def writeCdcStats(node: ObjectNode, stats: Map[String, Long]): Unit =
    if (stats.isEmpty) node.putNull("cdcStats")
    else {
      val sizes = node.putObject("cdcStats")
      stats.foreach { case (path, bytes) => sizes.put(path, bytes) }
    }

  private def writeLog(node: ObjectNode, s: WriteStat): Unit = {
    node.put("logVersion", s.logVersion)
    node.put("logOffset", s.logOffset)
    node.put("baseFile", s.baseFile.getOrElse(""))
    putTexts(node.putArray("logFiles"), s.logFiles)
  }

  private def putTexts(array: ArrayNode, texts: Seq[String]): Unit = texts.foreach(array.add(_))

  /** True when the text is the beginning of an object. */
  def isCutShort(bytes: Array[Byte]): Boolean =
    try { mapper.readTree(bytes); false }
    catch { case _: JsonEOFException => true; case NonFatal(_) => false }

  def read(bytes: Array[Byte]): CommitMetadata = {
    val root = mapper.readTree(bytes)
    if (root == null || !root.isObject) throw new IllegalArgumentException("it is neither Avro nor a JSON object")
    CommitMetadata(
      text(root, "operationType").getOrElse(CommitMetadata.Empty.operation),
      entries(root, "partitionToWriteStats").map { case (partition, files) =>
        partition -> files.elements.asScala.map(readStat(partition, _)).toList
      },
      entries(root, "extraMetadata").collect { case (key, value) if !value.isNull => key -> value.asText },
      entries(root, "partitionToReplaceFileIds").map { case (partition, ids) => partition -> texts(ids) },
      root.path("compacted").asBoolean(false))
  }

  private def readStat(partition: String, n: JsonNode): WriteStat = {
    def number(name: String): Long = n.path(name).asLong(0L)
    WriteStat(
      fileId = text(n, "fileId").getOrElse(""),
      path = text(n, "path").getOrElse(""),
      prevCommit = text(n, "prevCommit").getOrElse(WriteStat.NoPreviousCommit),
      partitionPath = text(n, "partitionPath").getOrElse(partition),
      numWrites = number("numWrites"),
      numDeletes = number("numDeletes"),
      numUpdateWrites = number("numUpdateWrites"),
      numInserts = number("numInserts"),
      totalWriteBytes = number("totalWriteBytes"),
      fileSizeInBytes = number("fileSizeInBytes"),
      totalWriteErrors = number("totalWriteErrors"),
      baseFile = text(n, "baseFile").filter(_.nonEmpty),
      prevBaseFile = text(n, "prevBaseFile").filter(_.nonEmpty),
      logFiles = texts(n.path("logFiles")),
      logVersion = number("logVersion").toInt,
      logOffset = number("logOffset"),
      cdcStats = entries(n, "cdcStats").map { case (path, size) => path -> size.asLong },
      minEventTime = optionalNumber(n, "minEventTime"),
      maxEventTime = optionalNumber(n, "maxEventTime"),
      logScan = LogScan(number("totalLogRecords"), number("totalLogFiles"), number("totalLogFilesCompacted"),
        number("totalLogSizeCompacted"), number("totalUpdatedRecordsCompacted"), number("totalLogBlocks"),
        number("totalCorruptLogBlock"), number("totalRollbackBlocks"), number("totalLogReadTimeMs")))
  }

  private def present(node: JsonNode, name: String): Option[JsonNode] = Option(node.get(name)).filterNot(_.isNull)

  private def text(node: JsonNode, name: String): Option[String] = present(node, name).map(_.asText)

  private def optionalNumber(node: JsonNode, name: String): Option[Long] = present(node, name).map(_.asLong)

  private def texts(node: JsonNode): Seq[String] = node.elements.asScala.filterNot(_.isNull).map(_.asText).toList

  private def entries(node: JsonNode, name: String): Map[String, JsonNode] =
    present(node, name).map(_.fields.asScala.map(e => e.getKey -> e.getValue).toMap).getOrElse(Map.empty)
}

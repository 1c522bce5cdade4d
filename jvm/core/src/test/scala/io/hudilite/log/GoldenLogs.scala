package io.hudilite.log

import io.hudilite.GoldenFolder
import io.hudilite.storage.OpenFile

import java.nio.file.{Files, Path}

import scala.collection.JavaConverters._

/** A log file of a golden table. */
final case class GoldenLog(table: String, path: String, bytes: Array[Byte]) {

  def version: Int = table.substring(table.lastIndexOf("-v") + 2).toInt
  def isMetadata: Boolean = path.contains("/.hoodie/metadata/")
  def isCdc: Boolean = path.endsWith(".cdc")
  def file: OpenFile = OpenFile.of(path, bytes)
  def blocks: Seq[LogBlock] = LogFileReader.blocks(file, path, bytes.length.toLong)
  def content(block: LogBlock): Array[Byte] = LogFileReader.content(file, block)
}

/** The log files of the golden tables, those of their metadata tables included. */
object GoldenLogs {

  private val Name = "\\..*\\.log\\.\\d+_[0-9-]+(\\.cdc)?"

  lazy val all: Seq[GoldenLog] = {
    val walk = Files.walk(GoldenFolder.folder)
    try walk.iterator().asScala.filter(p => p.getFileName.toString.matches(Name)).toList.sorted.map(log)
    finally walk.close()
  }

  lazy val ofTables: Seq[GoldenLog] = all.filterNot(l => l.isMetadata || l.isCdc)

  private def log(path: Path): GoldenLog =
    GoldenLog(GoldenFolder.folder.relativize(path).getName(0).toString, path.toString, Files.readAllBytes(path))
}

package io.hudilite.spark.basefile.skeleton

import io.hudilite.error.CorruptTable
import io.hudilite.filegroup.{FooterCache, SourceFile}
import io.hudilite.spark.basefile.read.{FilePaths, FileRange}

import java.io.FileNotFoundException

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path
import org.apache.parquet.hadoop.metadata.ParquetMetadata

import scala.collection.JavaConverters._

/** The source of a skeleton, outside of the table, where it may change at any time. */
private[skeleton] final class SourcePlace(basePath: String, skeleton: FileRange, source: SourceFile,
    conf: Configuration) {

  /** Raises `CORRUPT_FILE` unless it is as long as the index of the bootstrap says. */
  def checkLength(): Unit = {
    val path = new Path(source.path)
    val length =
      try path.getFileSystem(conf).getFileStatus(path).getLen
      catch { case _: FileNotFoundException => throw damaged("it is gone") }
    if (length != source.length)
      throw damaged(s"it has $length bytes, and had ${source.length} when the table was bootstrapped")
  }

  /** Raises `CORRUPT_FILE` unless this footer of it tells of as many rows as the skeleton has. */
  def checkRows(footer: ParquetMetadata): Unit = {
    val expected = rowsOf(footerOf(FilePaths.absolute(basePath, skeleton.relativePath), skeleton.fileLength))
    val found = rowsOf(footer)
    if (found != expected)
      throw damaged(s"it has $found rows, and the table's file ${skeleton.relativePath} has $expected for it")
  }

  /** It has this column, however that is spelled. */
  def has(column: String): Boolean = names.exists(_.equalsIgnoreCase(column))

  private lazy val names: Seq[String] = {
    checkLength()
    footerOf(source.path, source.length).getFileMetaData.getSchema.getFields.asScala.map(_.getName).toSeq
  }

  private def footerOf(path: String, length: Long): ParquetMetadata = FooterCache.metadata(conf, path, length)

  private def rowsOf(footer: ParquetMetadata): Long = footer.getBlocks.asScala.map(_.getRowCount).sum

  private def damaged(reason: String): CorruptTable = CorruptTable("CORRUPT_FILE", "path" -> source.path,
    "reason" -> s"$reason, though the table at $basePath has its rows from there")
}

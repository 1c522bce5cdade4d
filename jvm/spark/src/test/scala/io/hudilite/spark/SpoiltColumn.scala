package io.hudilite.spark

import io.hudilite.filegroup.FooterCache
import io.hudilite.storage.KeptEnds

import java.nio.ByteBuffer
import java.nio.file.{Files, Path, StandardOpenOption}

import org.apache.hadoop.conf.Configuration
import org.apache.parquet.hadoop.metadata.ColumnChunkMetaData

import scala.collection.JavaConverters._

/** Columns of a parquet file that nobody may read any more. */
object SpoiltColumn {

  /** The chunks of a column. */
  def chunks(file: Path, column: String): Seq[ColumnChunkMetaData] =
    FooterCache.metadata(new Configuration(), file.toString, Files.size(file)).getBlocks.asScala.toSeq
      .flatMap(_.getColumns.asScala).filter(_.getPath.toDotString == column)

  /** Writes garbage over a column. */
  def spoil(file: Path, column: String): Unit = {
    val spoilt = chunks(file, column)
    val channel = Files.newByteChannel(file, StandardOpenOption.WRITE)
    try spoilt.foreach(chunk =>
        channel.position(chunk.getStartingPos).write(ByteBuffer.wrap(Array.fill(chunk.getTotalSize.toInt)(-1: Byte))))
    finally channel.close()
    Files.deleteIfExists(file.resolveSibling(s".${file.getFileName}.crc"))
    KeptEnds.forget(file)
  }
}

package io.hudilite.spark.read

import io.hudilite.filegroup.BaseFileFooter
import org.apache.hadoop.conf.Configuration
import org.apache.parquet.hadoop.metadata.{BlockMetaData, FileMetaData, ParquetMetadata}

import scala.collection.JavaConverters._

/** Footers of base files as readers need them, kept where tasks run: a base file never changes under its name.
  *
  * A footer's bloom filter is far larger than the rest of it and no reader of rows needs it, so it is not kept.
  */
private[read] object OpenFooters {

  // A column chunk takes some 300 bytes.
  private val MaxColumnChunks = 200000L

  private val footers = new WeightedCache[(String, Long), ParquetMetadata](MaxColumnChunks)

  /** The footer with the row groups of the split only. */
  def of(conf: Configuration, path: String, split: FileSplit): ParquetMetadata = {
    val whole = footers.get(path -> split.fileLength).getOrElse {
      val read = withoutBloom(BaseFileFooter.metadata(conf, path, split.fileLength))
      footers.put(path -> split.fileLength, read, read.getBlocks.asScala.map(_.getColumns.size.toLong + 1).sum)
      read
    }
    restricted(whole, split)
  }

  /** The row groups whose middle lies in the split, so that each belongs to exactly one split. */
  def restricted(footer: ParquetMetadata, split: FileSplit): ParquetMetadata =
    if (split.start == 0 && split.length >= split.fileLength) footer
    else new ParquetMetadata(footer.getFileMetaData, footer.getBlocks.asScala.filter(isInside(_, split)).asJava)

  private def isInside(block: BlockMetaData, split: FileSplit): Boolean = {
    val middle = block.getStartingPos + block.getCompressedSize / 2
    middle >= split.start && middle < split.start + split.length
  }

  private def withoutBloom(footer: ParquetMetadata): ParquetMetadata = {
    val facts = footer.getFileMetaData
    val values = new java.util.HashMap[String, String](facts.getKeyValueMetaData)
    BaseFileFooter.BloomKeys.foreach(values.remove)
    new ParquetMetadata(new FileMetaData(facts.getSchema, values, facts.getCreatedBy), footer.getBlocks)
  }
}

/** A map that forgets what was used least recently once the weights of all entries exceed a bound. */
private[read] final class WeightedCache[K, V](maxWeight: Long) {

  private val entries = new java.util.LinkedHashMap[K, (V, Long)](16, 0.75f, true)
  private var weight = 0L

  def get(key: K): Option[V] = entries.synchronized(Option(entries.get(key)).map(_._1))

  def put(key: K, value: V, itsWeight: Long): Unit = entries.synchronized {
    Option(entries.put(key, (value, itsWeight))).foreach(old => weight -= old._2)
    weight += itsWeight
    val oldest = entries.entrySet.iterator
    while (weight > maxWeight && entries.size > 1 && oldest.hasNext) {
      weight -= oldest.next().getValue._2
      oldest.remove()
    }
  }
}

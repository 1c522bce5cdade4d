package io.hudilite.filegroup

import io.hudilite.codec.bloom.BloomFilter
import io.hudilite.storage.WeightedCache

import org.apache.hadoop.conf.Configuration
import org.apache.parquet.hadoop.metadata.{FileMetaData, ParquetMetadata}

import scala.collection.JavaConverters._

/** Footers of base files, kept by the process that read them. A base file never changes under its name.
  *
  * A bloom filter is far larger than the rest of its footer, so bloom filters are kept apart and fewer of them.
  * Statistics of columns and row groups are kept apart, too: only readers of the file need them.
  */
object FooterCache {

  private val MaxFooters = 50000L

  // A column chunk takes some 300 bytes.
  private val MaxColumnChunks = 200000L
  private val MaxBloomBytes = 64L << 20

  private type Place = (String, Long)

  private val footers = new WeightedCache[Place, BaseFileFooter](MaxFooters)
  private val parquet = new WeightedCache[Place, ParquetMetadata](MaxColumnChunks)
  private val blooms = new WeightedCache[Place, Option[BloomFilter]](MaxBloomBytes)

  /** Record keys as the footer describes them. Nothing must be added to its bloom filter.
    *
    * @param path
    *   absolute path of the base file
    * @param length
    *   its size in bytes
    */
  def read(conf: Configuration, path: String, length: Long, withBloom: Boolean): BaseFileFooter = {
    val place = path -> length
    val bloom = if (withBloom) blooms.get(place) else Some(None)
    val kept = for (footer <- footers.get(place); filter <- bloom) yield footer.copy(bloom = filter)
    kept.getOrElse(load(conf, place, withBloom))
  }

  /** Record keys of this file are kept, and its bloom filter where that is asked for. */
  def has(path: String, length: Long, withBloom: Boolean): Boolean = {
    val place = path -> length
    footers.get(place).isDefined && (!withBloom || blooms.get(place).isDefined)
  }

  private def load(conf: Configuration, place: Place, withBloom: Boolean): BaseFileFooter = {
    val entries = BaseFileFooter.entries(conf, place._1, place._2)
    val footer = BaseFileFooter.of(place._1, entries, withBloom)
    if (withBloom) blooms.put(place, footer.bloom, bloomBytes(entries))
    footers.put(place, footer.copy(bloom = None))
    footer
  }

  private def bloomBytes(entries: FooterEntries): Long =
    1L + BaseFileFooter.BloomKeys.flatMap(entries.values.get).map(_.length.toLong).sum

  /** The whole footer, but for the bloom filter. */
  def metadata(conf: Configuration, path: String, length: Long): ParquetMetadata = {
    val place = path -> length
    parquet.get(place).getOrElse {
      val footer = withoutBloom(BaseFileFooter.metadata(conf, path, length))
      parquet.put(place, footer, footer.getBlocks.asScala.map(_.getColumns.size.toLong + 1).sum)
      footer
    }
  }

  /** The whole footer, but for the bloom filter, where it is kept. */
  def kept(path: String, length: Long): Option[ParquetMetadata] = parquet.get(path -> length)

  private def withoutBloom(footer: ParquetMetadata): ParquetMetadata = {
    val facts = footer.getFileMetaData
    val values = new java.util.HashMap[String, String](facts.getKeyValueMetaData)
    BaseFileFooter.BloomKeys.foreach(values.remove)
    new ParquetMetadata(new FileMetaData(facts.getSchema, values, facts.getCreatedBy), footer.getBlocks)
  }
}

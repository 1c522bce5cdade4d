package io.hudilite.filegroup

import io.hudilite.codec.bloom.BloomFilter
import io.hudilite.error.CorruptTable

import java.io.{EOFException, IOException}

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.{FileStatus, Path}
import org.apache.parquet.HadoopReadOptions
import org.apache.parquet.hadoop.ParquetFileReader
import org.apache.parquet.hadoop.metadata.ParquetMetadata
import org.apache.parquet.hadoop.util.HadoopInputFile

import scala.collection.JavaConverters._
import scala.util.control.NonFatal

/** What the footer of a base file says about its record keys (docs/format.md#footers).
  *
  * @param minKey
  *   least record key in Java's string order, `None` when the writer did not record it
  * @param bloom
  *   absent when the file has none, or when it was not asked for
  * @param sortedByKey
  *   hudilite wrote the file with its rows in the order of the UTF-8 bytes of their record keys
  * @param uniqueKeys
  *   hudilite wrote the file and saw that no two rows have the same record key
  */
final case class BaseFileFooter(
    minKey: Option[String], maxKey: Option[String], bloom: Option[BloomFilter], sortedByKey: Boolean,
    uniqueKeys: Boolean,
    rows: Long)

object BaseFileFooter {

  val MinKey: String = "hoodie_min_record_key"
  val MaxKey: String = "hoodie_max_record_key"
  val Bloom: String = "org.apache.hudi.bloomfilter"
  val BloomTypeCode: String = "hoodie_bloom_filter_type_code"
  val SortedByKey: String = "hudilite.sorted.by.key"
  val UniqueKeys: String = "hudilite.unique.keys"

  /** Rows of a page of record keys in files that hudilite wrote. */
  val KeyPageRows: Int = 2000

  private val OldBloom = "com.uber.hoodie.bloomfilter"
  private val DefaultBloomType = "SIMPLE"

  /** Under which a footer may keep its bloom filter. */
  val BloomKeys: Seq[String] = Seq(Bloom, OldBloom)

  private val BlockSizeBytes = 128L * 1024 * 1024

  /** What the footer of the file says; a bloom filter takes half a megabyte, so it is decoded only when asked for. */
  private[filegroup] def of(path: String, metadata: ParquetMetadata, withBloom: Boolean): BaseFileFooter = {
    val values = metadata.getFileMetaData.getKeyValueMetaData
    def value(key: String): Option[String] = Option(values.get(key))
    BaseFileFooter(
      minKey = value(MinKey),
      maxKey = value(MaxKey),
      bloom = if (withBloom) value(Bloom).orElse(value(OldBloom)).map(bloom(path, value(BloomTypeCode))) else None,
      sortedByKey = value(SortedByKey).contains("true"),
      uniqueKeys = value(UniqueKeys).contains("true"),
      rows = metadata.getBlocks.asScala.map(_.getRowCount).sum)
  }

  /** The whole footer of a file; one that does not decode raises `CorruptTable`.
    *
    * @param path
    *   absolute path of the base file
    * @param length
    *   its size in bytes as listed, which saves asking the file system again
    */
  private[filegroup] def metadata(conf: Configuration, path: String, length: Long): ParquetMetadata =
    try {
      val status = new FileStatus(length, false, 1, BlockSizeBytes, 0L, new Path(path))
      val options = HadoopReadOptions.builder(conf, new Path(path)).build()
      val reader = ParquetFileReader.open(HadoopInputFile.fromStatus(status, conf), options)
      try reader.getFooter
      finally reader.close()
    } catch {
      case e: IOException if !isDecodingError(e) => throw e
      case NonFatal(e) => throw damaged(e, path, s"its Parquet footer cannot be read (${e.getMessage})")
    }

  // Parquet reports a footer that does not decode as an IOException of its own text; other ones are the storage's.
  private def isDecodingError(e: IOException): Boolean =
    e.isInstanceOf[EOFException] || Option(e.getMessage).exists(_.startsWith("can not read"))

  private def bloom(path: String, typeCode: Option[String])(text: String): BloomFilter =
    try BloomFilter.read(text, typeCode.getOrElse(DefaultBloomType))
    catch {
      case e: IllegalArgumentException => throw damaged(e, path, s"its bloom filter cannot be read (${e.getMessage})")
    }

  private def damaged(cause: Throwable, path: String, reason: String): CorruptTable =
    CorruptTable.because(cause, "CORRUPT_FILE", "path" -> path, "reason" -> reason)
}

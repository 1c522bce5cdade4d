package io.hudilite.filegroup

import io.hudilite.codec.bloom.BloomFilter
import io.hudilite.error.CorruptTable
import io.hudilite.storage.KnownPath

import java.io.{ByteArrayInputStream, EOFException, IOException}
import java.nio.charset.StandardCharsets.US_ASCII
import java.nio.{ByteBuffer, ByteOrder}

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.FSDataInputStream
import org.apache.parquet.HadoopReadOptions
import org.apache.parquet.format.{FileMetaData, Util}
import org.apache.parquet.hadoop.ParquetFileReader
import org.apache.parquet.hadoop.metadata.ParquetMetadata
import org.apache.parquet.hadoop.util.HadoopInputFile
import org.apache.parquet.io.InputFile

import scala.collection.JavaConverters._
import scala.util.control.NonFatal

/** Record keys of a base file, as its footer describes them (docs/format.md#footers).
  *
  * @param minKey
  *   least record key in Java's string order, `None` when the writer did not record it
  * @param bloom
  *   absent when the file has none, or when it was not asked for
  * @param sortedByKey
  *   true when hudilite wrote the file with its rows in the order of the UTF-8 bytes of their record keys
  * @param uniqueKeys
  *   true when hudilite wrote the file and saw that no two rows share a record key
  */
final case class BaseFileFooter(
    minKey: Option[String], maxKey: Option[String], bloom: Option[BloomFilter], sortedByKey: Boolean,
    uniqueKeys: Boolean,
    rows: Long)

/** The free entries of a Parquet footer, and the rows of the file. */
private[filegroup] final case class FooterEntries(values: Map[String, String], rows: Long)

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

  /** Names under which a footer may keep its bloom filter. */
  val BloomKeys: Seq[String] = Seq(Bloom, OldBloom)

  private val Magic = "PAR1"
  private val EndBytes = 4 + Magic.length

  /** The meaning of a file's footer entries. A bloom filter takes half a megabyte, so it is decoded only when asked
    * for.
    */
  private[filegroup] def of(path: String, entries: FooterEntries, withBloom: Boolean): BaseFileFooter = {
    def value(key: String): Option[String] = entries.values.get(key)
    BaseFileFooter(
      minKey = value(MinKey),
      maxKey = value(MaxKey),
      bloom = if (withBloom) value(Bloom).orElse(value(OldBloom)).map(bloom(path, value(BloomTypeCode))) else None,
      sortedByKey = value(SortedByKey).contains("true"),
      uniqueKeys = value(UniqueKeys).contains("true"),
      rows = entries.rows)
  }

  /** The entries of a file's footer alone; its part about row groups, which is most of it, is passed over. A footer
    * that does not decode raises `CorruptTable`.
    *
    * @param path
    *   absolute path of the base file
    * @param length
    *   its size in bytes as listed
    */
  private[filegroup] def entries(conf: Configuration, path: String, length: Long): FooterEntries =
    decoded(path) {
      val known = new KnownPath(path, length)
      val in = known.getFileSystem(conf).open(known)
      val facts = try Util.readFileMetaData(new ByteArrayInputStream(footerBytes(in, length)), true)
      finally in.close()
      if (!facts.isSetNum_rows) throw new IllegalArgumentException("its footer has no number of rows")
      FooterEntries(valuesOf(facts), facts.getNum_rows)
    }

  private def valuesOf(facts: FileMetaData): Map[String, String] =
    Option(facts.getKey_value_metadata).map(_.asScala.map(e => e.getKey -> e.getValue).toMap).getOrElse(Map.empty)

  private def footerBytes(in: FSDataInputStream, length: Long): Array[Byte] = {
    val end = new Array[Byte](EndBytes)
    if (length < Magic.length + EndBytes) throw new IllegalArgumentException(s"it has $length bytes")
    in.readFully(length - EndBytes, end)
    val size = ByteBuffer.wrap(end).order(ByteOrder.LITTLE_ENDIAN).getInt
    if (new String(end, 4, Magic.length, US_ASCII) != Magic)
      throw new IllegalArgumentException(s"it does not end in $Magic")
    if (size < 0 || size > length - Magic.length - EndBytes)
      throw new IllegalArgumentException(s"it has $length bytes, and its footer would have $size")
    val footer = new Array[Byte](size)
    in.readFully(length - EndBytes - size, footer)
    footer
  }

  /** The whole footer of a file; one that does not decode raises `CorruptTable`.
    *
    * @param path
    *   absolute path of the base file
    * @param length
    *   its size in bytes as listed, which saves asking the file system again
    */
  private[hudilite] def metadata(conf: Configuration, path: String, length: Long): ParquetMetadata = decoded(path) {
    val file = input(conf, path, length)
    val reader = ParquetFileReader.open(file, HadoopReadOptions.builder(conf, file.getPath).build())
    try reader.getFooter
    finally reader.close()
  }

  /** As [[metadata]], of a file that is read by other means. */
  private[hudilite] def metadata(file: InputFile, path: String): ParquetMetadata = decoded(path) {
    val reader = ParquetFileReader.open(file, HadoopReadOptions.builder(new Configuration(false)).build())
    try reader.getFooter
    finally reader.close()
  }

  /** The facts on record keys in a whole footer, but for the bloom filter. */
  private[hudilite] def withoutBloom(path: String, footer: ParquetMetadata): BaseFileFooter =
    of(path,
      FooterEntries(footer.getFileMetaData.getKeyValueMetaData.asScala.toMap,
        footer.getBlocks.asScala.map(_.getRowCount).sum), withBloom = false)

  private def decoded[T](path: String)(read: => T): T =
    try read
    catch {
      case e: IOException if !isDecodingError(e) => throw e
      case NonFatal(e) => throw damaged(e, path, s"its Parquet footer cannot be read (${e.getMessage})")
    }

  /** The file of this length, which saves asking the file system for it. */
  private[hudilite] def input(conf: Configuration, path: String, length: Long): HadoopInputFile =
    HadoopInputFile.fromPath(new KnownPath(path, length), conf)

  // Parquet reports a footer that does not decode as an IOException of its own text. Other IOExceptions are the
  // storage's.
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

package io.hudilite.metadata

import io.hudilite.codec.hash.Xxh64

import java.nio.ByteBuffer
import java.nio.charset.StandardCharsets.UTF_8
import java.security.MessageDigest
import java.util.{Arrays, Base64}

/** Keys of the records of a metadata table, and the file group that has a key (docs/format.md#metadata-table). */
object MetadataKeys {

  /** The record of the partition `files` that names all partitions of the table. */
  val AllPartitions = "__all_partitions__"

  /** Stands for the partition of an unpartitioned table, whose path is empty. */
  val NoPath = "."

  // Hudi takes the int 0xdabadaba for a long, which keeps its sign.
  private val Seed = 0xffffffffdabadabaL

  /** Order of keys in files: that of their UTF-8 bytes. */
  val order: Ordering[String] = (a: String, b: String) => Arrays.compareUnsigned(a.getBytes(UTF_8), b.getBytes(UTF_8))

  def ofPartition(path: String): String = if (path.isEmpty) NoPath else path

  /** The partition path that a key or a name within a record stands for. */
  def path(key: String): String = if (key == NoPath) "" else key

  /** The key of the statistics of a column of a file. */
  def ofColumn(column: String, partition: String, fileName: String): String =
    ofColumn(column, partition) + md5(fileName)

  /** The key of the statistics of a column of a partition. */
  def ofColumn(column: String, partition: String): String = hashed(column) + hashed(ofPartition(partition))

  /** The key of the statistics of a partition in an index of an expression.
    *
    * @param ofColumn
    *   that of the statistics of the column of the partition
    */
  private[metadata] def ofValues(ofColumn: String): String = {
    val (column, partition) = ofColumn.splitAt(ofColumn.length / 2)
    column + hashed(InPartition) + partition
  }

  private val InPartition = "__partition_stat__"

  /** The key of the bloom filter of a file. */
  def ofFile(partition: String, fileName: String): String = hashed(ofPartition(partition)) + md5(fileName)

  /** Number of the file group of a key among `groups`. */
  def groupOf(key: String, groups: Int): Int = math.abs(math.abs(key.hashCode) % groups)

  private[metadata] def hashed(text: String): String =
    Base64.getEncoder.encodeToString(
      ByteBuffer.allocate(java.lang.Long.BYTES).putLong(Xxh64.hash(text.getBytes(UTF_8), Seed)).array())

  private def md5(text: String): String =
    Base64.getEncoder.encodeToString(MessageDigest.getInstance("MD5").digest(text.getBytes(UTF_8)))
}

package io.hudilite.index

import io.hudilite.config.{BucketRule, WriteOptions}
import io.hudilite.record.KeyEncoding

import java.nio.charset.StandardCharsets.UTF_8
import java.util.Arrays

/** Hudi's simple bucket index (docs/format.md#indexes): a record key alone says which of the `count` file groups of its
  * partition it belongs to, so that nothing is looked up.
  *
  * @param count
  *   buckets in each partition
  * @param hashFields
  *   record key fields that decide
  * @param rule
  *   partitions with another number of buckets
  */
final case class BucketIndex(count: Int, hashFields: Seq[String], rule: BucketRule = BucketRule.None) {

  /** The index of one partition, which alone says where a key belongs if partitions have numbers of their own. */
  def in(partition: String): BucketIndex =
    if (rule.isEmpty) this else BucketIndex(rule.countIn(partition).getOrElse(count), hashFields)

  /** Bucket of a record key, from 0 to `count - 1`. */
  def bucketOf(key: String): Int = BucketIndex.hashOf(key, hashFields) % count

  /** Bucket of the record key whose UTF-8 bytes are the `length` bytes of `key` from `offset` on. */
  def bucketOf(key: Array[Byte], offset: Int, length: Int): Int = {
    // hot path: over ASCII letters a Java string hashes like its bytes
    var (hash, i, plain) = (0, 0, true)
    while (plain && i < length) {
      val byte = key(offset + i)
      plain = byte >= 0 && byte != BucketIndex.Comma
      hash = 31 * hash + byte
      i += 1
    }
    if (plain) BucketIndex.positive(31 + hash) % count else bucketOf(new String(key, offset, length, UTF_8))
  }

  /** Deals keys out as another index does: values are hashed in the order of the key, whatever that of the fields is. */
  def isSame(other: BucketIndex): Boolean =
    count == other.count && hashFields.toSet == other.hashFields.toSet && rule == other.rule
}

object BucketIndex {

  private val Comma = ','.toByte
  private val Digits = "^(\\d{8})-.*".r

  /** Id of a new file group for a bucket, made from one that belongs to none. */
  def newFileId(bucket: Int, plain: String): String = prefix(bucket) + plain.drop(prefix(bucket).length)

  /** How the ids of a bucket's file groups begin. */
  def prefix(bucket: Int): String = f"$bucket%08d"

  /** Bucket of a file group; `None` when its id is, most likely, a random one. */
  def bucketOfFile(fileId: String): Option[Int] = fileId match {
    case Digits(number) => Some(number.toInt).filter(_ < WriteOptions.MostBuckets)
    case _ => None
  }

  /** What the number of buckets leaves a remainder of: the bucket. */
  private[index] def hashOf(key: String, hashFields: Seq[String]): Int =
    positive(Arrays.asList(KeyEncoding.keyValues(key, hashFields): _*).hashCode)

  private def positive(hash: Int): Int = hash & Int.MaxValue
}

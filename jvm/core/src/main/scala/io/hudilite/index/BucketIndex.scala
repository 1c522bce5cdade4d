package io.hudilite.index

import io.hudilite.config.WriteOptions
import io.hudilite.filegroup.FileGroupId
import io.hudilite.record.KeyEncoding

import java.nio.charset.StandardCharsets.UTF_8
import java.util.{Arrays, Collections}

import scala.collection.mutable

/** Hudi's simple bucket index (docs/format.md#indexes): a record key alone says which of the `count` file groups of its
  * partition it belongs to, so that nothing is looked up.
  *
  * @param count
  *   buckets in each partition
  * @param hashFields
  *   record key fields that decide
  */
final case class BucketIndex(count: Int, hashFields: Seq[String]) {

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

  /** Each of these file groups is of a bucket that there is, and no two of a partition are of one. */
  def fits(groups: Iterator[FileGroupId]): Boolean = {
    val taken = mutable.HashSet.empty[(String, Int)]
    groups.forall(group =>
      BucketIndex.bucketOfFile(group.fileId).exists(b => b < count && taken.add(group.partition -> b)))
  }

  /** Deals keys out as another index does: values are hashed in the order of the key, whatever that of the fields is. */
  def isSame(other: BucketIndex): Boolean = count == other.count && hashFields.toSet == other.hashFields.toSet
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

  /** Bucket of the keys whose one hash field has this value, in its spelling and null where there is none. */
  def ofValue(text: String, count: Int): Int = positive(Collections.singletonList(text).hashCode) % count

  /** What the number of buckets leaves a remainder of: the bucket. */
  private[index] def hashOf(key: String, hashFields: Seq[String]): Int =
    positive(Arrays.asList(KeyEncoding.keyValues(key, hashFields): _*).hashCode)

  private def positive(hash: Int): Int = hash & Int.MaxValue
}

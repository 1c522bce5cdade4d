package io.hudilite.index

import io.hudilite.config.{BucketRule, WriteOptions}
import io.hudilite.filegroup.FileGroupId
import io.hudilite.record.KeyEncoding

import java.nio.charset.StandardCharsets.UTF_8
import java.util.Locale
import java.util.{Arrays, Collections}

import scala.collection.mutable

/** Hudi's bucket index (docs/format.md#indexes): a record key alone determines its file group, one of `count` in its
  * partition, so that nothing is looked up.
  *
  * @param count
  *   buckets in each partition, with hash rings those that a partition begins with
  * @param hashFields
  *   record key fields whose values are hashed
  * @param rule
  *   partitions with another number of buckets
  * @param rings
  *   consistent hashing: each partition deals its keys by a hash ring of its own
  * @param ring
  *   of the one partition that this index is of, where it has such
  */
final case class BucketIndex(count: Int, hashFields: Seq[String], rule: BucketRule = BucketRule.None,
    rings: Option[HashRings] = None, ring: Option[HashRing] = None) {

  /** Partitions have hash rings. */
  def isConsistent: Boolean = rings.isDefined || ring.isDefined

  /** Partitions deal keys in ways of their own. */
  def differs: Boolean = rings.isDefined || !rule.isEmpty

  /** The index of one partition, which alone says where a key belongs if partitions have numbers of their own. */
  def in(partition: String): BucketIndex = rings match {
    case Some(all) =>
      val own = all.in(partition, count)
      BucketIndex(own.size, hashFields, ring = Some(own))
    case None if rule.isEmpty => this
    case None => BucketIndex(rule.countIn(partition).getOrElse(count), hashFields)
  }

  /** Bucket of a record key, from 0 to `count - 1`. */
  def bucketOf(key: String): Int = {
    requirePartition()
    ring match {
      case Some(own) => own.bucketOf(HashRing.hashOf(KeyEncoding.keyValues(key, hashFields)))
      case None => BucketIndex.hashOf(key, hashFields) % count
    }
  }

  private def requirePartition(): Unit =
    if (rings.isDefined) throw new IllegalStateException("a hash ring is of one partition")

  /** Bucket of the record key whose UTF-8 bytes are the `length` bytes of `key` from `offset` on. */
  def bucketOf(key: Array[Byte], offset: Int, length: Int): Int =
    if (isConsistent) onRing(key, offset, length) else byRemainder(key, offset, length)

  // hot path: a key without a comma is one value
  private def onRing(key: Array[Byte], offset: Int, length: Int): Int = {
    requirePartition()
    var i = 0
    while (i < length && key(offset + i) != BucketIndex.Comma) i += 1
    if (i == length) ring.get.bucketOf(HashRing.hashOf(key, offset, length))
    else bucketOf(new String(key, offset, length, UTF_8))
  }

  private def byRemainder(key: Array[Byte], offset: Int, length: Int): Int = {
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

  /** True when each of these file groups is of a bucket of this index, and no two of a partition are of one. */
  def fits(groups: Iterator[FileGroupId]): Boolean = {
    val taken = mutable.HashSet.empty[(String, Int)]
    groups.forall { group =>
      val own = in(group.partition)
      own.bucketOfFile(group.fileId).exists(b => b < own.count && taken.add(group.partition -> b))
    }
  }

  /** Bucket of a file group of the partition; `None` when it is of none. */
  def bucketOfFile(fileId: String): Option[Int] = {
    requirePartition()
    ring.fold(BucketIndex.bucketOfFile(fileId))(_.bucketOfFile(fileId))
  }

  /** Id of a new file group of the partition, whose first row has this key, made from one that belongs to no bucket. */
  def newFileId(key: String, plain: String): String =
    ring.fold(BucketIndex.newFileId(bucketOf(key), plain))(_.fileId(bucketOf(key)))

  /** True when both indexes put each key into an equal bucket. The order of the fields does not matter, since values
    * are hashed in the order of the key. Hash rings are those of the table.
    */
  def isSame(other: BucketIndex): Boolean = isConsistent == other.isConsistent &&
    hashFields.toSet == other.hashFields.toSet && (isConsistent || (count == other.count && rule == other.rule))
}

object BucketIndex {

  private val Comma = ','.toByte
  private val Digits = "^(\\d{8})-.*".r

  /** Id of a new file group for a bucket, made from one that belongs to none. */
  def newFileId(bucket: Int, plain: String): String = prefix(bucket) + plain.drop(prefix(bucket).length)

  /** Beginning of the ids of a bucket's file groups. */
  def prefix(bucket: Int): String = "%08d".formatLocal(Locale.ROOT, bucket)

  /** Bucket of a file group; `None` when its id is most likely random. */
  def bucketOfFile(fileId: String): Option[Int] = fileId match {
    case Digits(number) => Some(number.toInt).filter(_ < WriteOptions.MostBuckets)
    case _ => None
  }

  /** Bucket of the keys whose one hash field has this value, in its spelling and null where there is none. */
  def ofValue(text: String, count: Int): Int = positive(Collections.singletonList(text).hashCode) % count

  /** Hash of a record key. Its remainder by the number of buckets is the bucket. */
  private[index] def hashOf(key: String, hashFields: Seq[String]): Int =
    positive(Arrays.asList(KeyEncoding.keyValues(key, hashFields): _*).hashCode)

  private def positive(hash: Int): Int = hash & Int.MaxValue
}

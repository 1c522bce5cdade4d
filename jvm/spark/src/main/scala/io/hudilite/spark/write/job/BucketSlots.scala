package io.hudilite.spark.write.job

import io.hudilite.config.WriteOptions
import io.hudilite.index.BucketIndex
import io.hudilite.spark.row.Binaries

import java.util.concurrent.ConcurrentHashMap

import org.apache.spark.unsafe.types.UTF8String

/** The slots of buckets; see [[WriteGroups]].
  *
  * @param there
  *   partition path to the slot of each bucket, -1 where the bucket has no file group yet
  * @param counted
  *   the partitions that there are rows for, where only these were looked at; `None` = all were
  */
private[spark] final case class BucketSlots(index: BucketIndex, there: Map[String, Array[Int]],
    counted: Option[Set[String]] = None) {

  @transient private lazy val byPartition: java.util.HashMap[UTF8String, Array[Int]] = {
    val map = new java.util.HashMap[UTF8String, Array[Int]]
    counted.foreach(_.foreach(partition => map.put(UTF8String.fromString(partition), BucketSlots.NoGroups)))
    there.foreach { case (partition, slots) => map.put(UTF8String.fromString(partition), slots) }
    map
  }

  // Of partitions that have been asked for: a rule of expressions and a hash ring cost more than a look.
  @transient private lazy val indexes = new ConcurrentHashMap[UTF8String, BucketIndex]

  private def indexIn(partition: UTF8String): BucketIndex =
    if (!index.differs) index
    else {
      val known = indexes.get(partition)
      if (known != null) known
      else {
        val found = index.in(partition.toString)
        indexes.put(partition.copy(), found)
        found
      }
    }

  // hot path: called for every row
  /** Slot of a row. A negative one is shared by buckets of the same number in several partitions. */
  def slot(partition: UTF8String, key: UTF8String): Int = {
    val bucket = indexIn(partition).bucketOf(Binaries.bytes(key), Binaries.offset(key), key.numBytes)
    val slots = byPartition.get(partition)
    if (slots == null && counted.isDefined) throw new IllegalStateException(s"nobody has looked at '$partition'")
    else if (slots != null && bucket < slots.length && slots(bucket) >= 0) slots(bucket)
    else -1 - ((partition.hashCode & BucketSlots.PartitionMask) << BucketSlots.BucketBits | bucket)
  }

  /** Numbers that deal the negative slots of a partition to tasks in turn. */
  def dealt(slot: Int): Int = bucketOfNew(slot) + ((-1 - slot) >>> BucketSlots.BucketBits)

  /** Bucket of a negative slot. */
  def bucketOfNew(slot: Int): Int = (-1 - slot) & BucketSlots.BucketMask
}

private[spark] object BucketSlots {
  val BucketBits = 16
  val BucketMask: Int = WriteOptions.MostBuckets - 1
  val PartitionMask = 0x7fff
  private val NoGroups = Array.empty[Int]
}

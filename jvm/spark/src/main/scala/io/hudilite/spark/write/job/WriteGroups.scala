package io.hudilite.spark.write.job

import io.hudilite.filegroup.FileSlice

import org.apache.spark.sql.catalyst.expressions.Murmur3HashFunction
import org.apache.spark.sql.types.IntegerType
import org.apache.spark.unsafe.types.UTF8String

/** Deals the rows of one write out to slots, and slots to tasks.
  *
  * A slot is what one writer handles as a whole: slot `i >= 0` is the file group of `slices(i)` with the inserts that
  * are packed into it, a negative slot is inserts that begin new file groups. Slots are dealt to tasks in turn, so that
  * neighbouring file groups, which change together, go to different tasks; a hash would leave some tasks idle.
  *
  * @param slices
  *   latest slice of each file group that may change, by slot
  * @param small
  *   partition path to the slots of its file groups that take inserts
  * @param spread
  *   new slots that the inserts of one partition are spread over, where `spreads` does not say
  * @param tasks
  *   number of tasks of the write
  * @param buckets
  *   with a bucket index, where rows go whose file group is not known; `small` and `spread` have no say then
  * @param spreads
  *   numbers as of `spread` by partition path, where the rows of a partition were counted
  */
final case class WriteGroups(slices: Array[FileSlice], small: Map[String, Array[Int]], spread: Int, tasks: Int,
    buckets: Option[BucketSlots] = None, spreads: Map[String, Int] = Map.empty)
    extends Serializable {

  // File id to slots: several where partitions have groups of the same id, as Hudi's writers of buckets name them that
  // need not wait for each other.
  @transient private lazy val slots: java.util.HashMap[UTF8String, Array[Int]] = {
    val map = new java.util.HashMap[UTF8String, Array[Int]](slices.length * 2)
    slices.indices.groupBy(i => slices(i).fileId).foreach { case (id, found) =>
      map.put(UTF8String.fromString(id), found.toArray)
    }
    map
  }

  @transient private lazy val partitions: Array[UTF8String] = slices.map(s => UTF8String.fromString(s.partition))

  @transient private lazy val smallSlots: java.util.HashMap[UTF8String, Array[Int]] = {
    val map = new java.util.HashMap[UTF8String, Array[Int]]
    small.foreach { case (partition, slots) => map.put(UTF8String.fromString(partition), slots) }
    map
  }

  @transient private lazy val spreadOf: java.util.HashMap[UTF8String, Integer] = {
    val map = new java.util.HashMap[UTF8String, Integer]
    spreads.foreach { case (partition, count) => if (count != spread) map.put(UTF8String.fromString(partition), count) }
    map
  }

  private val bucketed: BucketSlots = buckets.orNull

  // hot path: called for every row
  /** Slot of a row: of the file group that holds it when `fileId` is not null, else one that takes inserts. */
  def slot(fileId: UTF8String, partition: UTF8String, key: UTF8String): Int =
    if (fileId != null) {
      val found = slots.get(fileId)
      if (found == null) throw unknown(fileId, partition)
      else if (found.length == 1) found(0)
      else slotIn(found, fileId, partition)
    } else if (bucketed != null) bucketed.slot(partition, key)
    else {
      val takers = smallSlots.get(partition)
      val hash = key.hashCode & Int.MaxValue
      if (takers != null) takers(hash % takers.length)
      else {
        val own = spreadOf.get(partition)
        val among = if (own != null) own.intValue else spread
        -1 - ((partition.hashCode & WriteGroups.PartitionMask) * WriteGroups.MostSpread + hash % among)
      }
    }

  private def slotIn(found: Array[Int], fileId: UTF8String, partition: UTF8String): Int = {
    var i = 0
    while (i < found.length && partitions(found(i)) != partition) i += 1
    if (i == found.length) throw unknown(fileId, partition)
    found(i)
  }

  private def unknown(fileId: UTF8String, partition: UTF8String): IllegalStateException =
    new IllegalStateException(s"file group $fileId of '$partition' is not part of the snapshot of this write")

  /** Bits of a positive number that the slots of file groups leave. */
  private val keyBits = 63 - WriteGroups.bitsOf(slices.length - 1)

  // hot path
  /** A number to sort by before partition path and record key: the slot of a row above the beginning of its key, of which
    * there is as much as there is room for, since Spark's sorter looks at a row only where numbers are equal. Slots of new
    * file groups hold rows of several partitions.
    */
  def place(fileId: UTF8String, partition: UTF8String, key: UTF8String): Long = {
    val of = slot(fileId, partition, key)
    if (of < 0) of.toLong << 32 else (of.toLong << keyBits) | (key.getPrefix >>> (64 - keyBits))
  }

  /** The value of `place`'s task, see `taskValue`. */
  def taskOfPlace(place: Long): Int = taskValue((if (place < 0) place >> 32 else place >>> keyBits).toInt)

  /** The new rows of a partition go to one place. */
  def isNarrow: Boolean = spread == 1 && small.values.forall(_.length == 1)

  /** These groups without those to which no new row comes. */
  def ofInserts: WriteGroups = {
    val kept = small.values.flatten.toArray.sorted
    val slots = kept.zipWithIndex.toMap
    copy(slices = kept.map(slices), small = small.map { case (partition, old) => partition -> old.map(slots) })
  }

  /** New rows may come to this slot besides changes of old ones. */
  def takesInserts(slot: Int): Boolean = inserts.get(slot)

  @transient private lazy val inserts: java.util.BitSet = {
    val set = new java.util.BitSet
    small.values.foreach(_.foreach(i => set.set(i)))
    set
  }

  /** A value whose place in Spark's hash partitioning over `tasks` partitions is the task of `slot`. */
  def taskValue(slot: Int): Int = {
    val turn =
      if (slot >= 0) slot
      else if (bucketed != null) bucketed.dealt(slot)
      else dealt(slot)
    taskValues(Math.floorMod(turn, tasks))
  }

  // The new slots of a partition go to neighbouring tasks, and partitions begin anywhere: their numbers lie a power of
  // two apart, as numbers of tasks mostly are.
  private def dealt(slot: Int): Int = {
    val number = -1 - slot
    WriteGroups.scattered(number / WriteGroups.MostSpread) + number % WriteGroups.MostSpread
  }

  @transient private lazy val taskValues: Array[Int] = WriteGroups.valuesHashedTo(tasks)
}

object WriteGroups {

  private val SparkSeed = 42

  /** New slots of one partition, at most. */
  val MostSpread = 64
  private val PartitionMask = 0xffffff

  private def bitsOf(largest: Int): Int = if (largest <= 0) 0 else 32 - Integer.numberOfLeadingZeros(largest)

  private def scattered(partition: Int): Int =
    (Murmur3HashFunction.hash(partition, IntegerType, SparkSeed.toLong).toInt & Int.MaxValue) >>> 1

  /** For each partition `p` of Spark's hash partitioning over `count` partitions, an integer that it puts there. */
  private[spark] def valuesHashedTo(count: Int): Array[Int] = {
    val values = new Array[Int](count)
    val found = new Array[Boolean](count)
    var (left, candidate) = (count, 0)
    while (left > 0) {
      val hash = Murmur3HashFunction.hash(candidate, IntegerType, SparkSeed.toLong).toInt
      val partition = Math.floorMod(hash, count)
      if (!found(partition)) {
        found(partition) = true
        values(partition) = candidate
        left -= 1
      }
      candidate += 1
    }
    values
  }
}

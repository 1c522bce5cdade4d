package io.hudilite.spark.lookup

import java.util

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.unsafe.types.UTF8String

import scala.collection.JavaConverters._

/** The incoming keys of one lookup, by partition path, sorted by their UTF-8 bytes and without duplicates. Each
  * partition's keys are sorted when they are first asked for: by tasks, beside each other, and not by the driver.
  *
  * @param byPartition
  *   for a global index one entry with the empty path stands for every partition
  */
final class ProbeKeys private (byPartition: util.HashMap[UTF8String, PartitionKeys], global: Boolean) {

  /** Keys that a file of this partition may hold; empty when none can be there. */
  def of(partition: UTF8String): Array[UTF8String] = {
    val keys = byPartition.get(if (global) ProbeKeys.Anywhere else partition)
    if (keys == null) ProbeKeys.NoKeys else keys.sorted
  }

  def isEmpty: Boolean = byPartition.isEmpty

  /** How many keys each partition may hold, one that comes twice counting twice; none with a global index. */
  def counts: Map[String, Long] =
    if (global) Map.empty
    else byPartition.asScala.map { case (partition, keys) => partition.toString -> keys.count }.toMap

  /** The partitions that can hold one; `None` = any. */
  def partitions: Option[Seq[String]] =
    if (global) None else Some(byPartition.keySet.iterator.asScala.map(_.toString).toList)
}

object ProbeKeys {

  private val Anywhere = UTF8String.EMPTY_UTF8
  private val NoKeys = Array.empty[UTF8String]

  /** @param rows
    *   (record key) with a global index, else (record key, partition path); no row has a key that is null
    */
  def apply(rows: Array[InternalRow], global: Boolean): ProbeKeys = {
    val lists = new util.HashMap[UTF8String, PartitionKeys]
    rows.iterator.filterNot(_.isNullAt(0)).foreach { row =>
      val partition = if (global) Anywhere else row.getUTF8String(1)
      lists.computeIfAbsent(partition, _ => new PartitionKeys).add(row.getUTF8String(0))
    }
    new ProbeKeys(lists, global)
  }
}

/** The keys of one partition, all of them added before they are asked for. */
private final class PartitionKeys {

  private var keys = new util.ArrayList[UTF8String]

  // Asked for before the keys are.
  private var added = 0L

  def count: Long = added

  def add(key: UTF8String): Unit = {
    keys.add(key)
    added += 1
  }

  lazy val sorted: Array[UTF8String] = {
    val all = keys.toArray(new Array[UTF8String](keys.size))
    KeySort.sort(all)
    var (kept, i) = (0, 0) // hot path
    while (i < all.length) {
      if (kept == 0 || all(kept - 1) != all(i)) {
        all(kept) = all(i)
        kept += 1
      }
      i += 1
    }
    keys = null // only now: a sort that failed is tried again
    util.Arrays.copyOf(all, kept)
  }
}

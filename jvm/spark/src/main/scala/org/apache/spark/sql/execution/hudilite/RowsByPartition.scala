package org.apache.spark.sql.execution.hudilite

import java.lang.{Long => JLong}
import java.util
import java.util.concurrent.ConcurrentHashMap

import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.unsafe.types.UTF8String
import org.apache.spark.util.AccumulatorV2

import scala.collection.JavaConverters._

/** Number of rows that a stage has written to each partition, counted by its tasks and added up on the driver before
  * the stage ends. Rows that are written again after a loss are counted again, so the count may be too high, never too
  * low.
  */
final class RowsByPartition extends AccumulatorV2[(String, Long), Map[String, Long]] {

  // Another thread of the task asks for the counts while this one adds.
  private val rows = new ConcurrentHashMap[String, JLong]

  override def isZero: Boolean = rows.isEmpty

  override def copy(): RowsByPartition = {
    val other = new RowsByPartition
    other.rows.putAll(rows)
    other
  }

  override def reset(): Unit = rows.clear()

  override def add(counted: (String, Long)): Unit = {
    val more: (JLong, JLong) => JLong = _ + _
    rows.merge(counted._1, counted._2, more(_, _))
    ()
  }

  override def merge(other: AccumulatorV2[(String, Long), Map[String, Long]]): Unit = other.value.foreach(add)

  override def value: Map[String, Long] = rows.asScala.map { case (path, count) => path -> count.longValue }.toMap
}

private[hudilite] object RowsByPartition {

  /** The rows unchanged, counted as they are read to their end.
    *
    * @param ordinal
    *   position of the column with the partition path, which is never null
    */
  def counting(rows: RDD[InternalRow], ordinal: Int, into: RowsByPartition): RDD[InternalRow] =
    rows.mapPartitionsInternal(new CountingIterator(_, ordinal, into), preservesPartitioning = true)
}

/** The rows of one task. Its counts are added when all rows have been read. */
private final class CountingIterator(rows: Iterator[InternalRow], ordinal: Int, into: RowsByPartition)
    extends Iterator[InternalRow] {

  private final class Count(val path: UTF8String) { var rows = 0L }

  private val counts = new util.HashMap[UTF8String, Count]
  private var last: Count = _
  private var isTold = false

  // hot path: called for every row
  override def hasNext: Boolean = {
    val more = rows.hasNext
    if (!more && !isTold) {
      isTold = true
      counts.values.forEach(count => into.add(count.path.toString -> count.rows))
    }
    more
  }

  override def next(): InternalRow = {
    val row = rows.next()
    val path = row.getUTF8String(ordinal)
    if (last == null || last.path != path) last = of(path)
    last.rows += 1
    row
  }

  private def of(path: UTF8String): Count = {
    val known = counts.get(path)
    if (known != null) known
    else {
      val kept = path.copy() // the row is the next one soon
      val count = new Count(kept)
      counts.put(kept, count)
      count
    }
  }
}

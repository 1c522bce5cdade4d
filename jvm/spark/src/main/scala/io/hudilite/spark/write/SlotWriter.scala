package io.hudilite.spark.write

import io.hudilite.spark.row.TaskAttempt
import io.hudilite.timeline.WriteStat

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.unsafe.types.UTF8String

/** The rows of one task on their way to the writers of their slots, counted. */
private[write] final class SlotWriter(job: WriteJob, attempt: TaskAttempt) {

  private val files = new FileGroupWriter(job, attempt)
  private var file = -1

  val metrics = new WriteMetrics

  /** Following rows belong to this slot; see [[WriteGroups]]. */
  def toSlot(groups: WriteGroups, slot: Int, partition: UTF8String): Unit =
    if (slot < 0) groups.buckets match {
      case Some(buckets) =>
        file = -1
        files.toNewBucket(partition, buckets.bucketOfNew(slot))
      case None => toNewFiles(partition)
    }
    else {
      if (slot != file) metrics.fileGroups += 1
      file = slot
      files.toSlice(groups.slices(slot), groups.takesInserts(slot))
    }

  /** Following rows begin new file groups. */
  def toNewFiles(partition: UTF8String): Unit = {
    file = -1
    files.toNewFiles(partition)
  }

  def insert(key: UTF8String, row: InternalRow): Unit = {
    metrics.inserted += 1
    files.insert(key, row)
  }

  def update(key: UTF8String, row: InternalRow, position: Long): Unit = {
    metrics.updated += 1
    files.update(key, row, position)
  }

  def upsert(key: UTF8String, row: InternalRow): Unit = {
    metrics.updated += 1
    files.upsert(key, row)
  }

  def move(key: UTF8String, row: InternalRow, partition: UTF8String, position: Long): Unit = {
    metrics.updated += 1
    files.move(key, row, partition, position)
  }

  def delete(key: UTF8String, position: Long): Unit = {
    metrics.deleted += 1
    files.delete(key, position)
  }

  def commit(): Seq[WriteStat] = files.commit()

  def abort(): Unit = files.abort()
}

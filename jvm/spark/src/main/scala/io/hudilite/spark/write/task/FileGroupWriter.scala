package io.hudilite.spark.write.task

import io.hudilite.filegroup.FileSlice
import io.hudilite.log.RowPosition
import io.hudilite.spark.basefile.read.RepeatedKeys
import io.hudilite.spark.row.TaskAttempt
import io.hudilite.spark.write.job.{WriteGroups, WriteJob}
import io.hudilite.timeline.WriteStat

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.unsafe.types.UTF8String

import scala.collection.mutable

/** Writes all rows of one task, and counts them: the caller names a file group, hands over its changes, and names the
  * next one.
  *
  * Changes of an existing file group come in the order of their keys' bytes. Rows for new file groups come in any
  * order; only files whose rows came sorted are marked so.
  */
private[write] final class FileGroupWriter(job: WriteJob, attempt: TaskAttempt) {

  private val output = new TaskOutput(job, attempt)
  private val stats = mutable.ArrayBuffer.empty[WriteStat]
  private lazy val generated = new GeneratedKeys(job.instant, attempt.partitionId)
  private val scattered = new SpillingPartitionWriter(output)
  private var current: GroupWriter = _
  private var currentName: AnyRef = _

  val metrics = new WriteMetrics

  /** The record key of a new row, where the table generates them; valid until the next one. */
  def nextKey(): UTF8String = generated.next()

  /** Following rows belong to this slot; see [[WriteGroups]]. */
  def toSlot(groups: WriteGroups, slot: Int, partition: UTF8String): Unit =
    if (slot >= 0) toSlice(groups.slices(slot), groups.takesInserts(slot))
    else groups.buckets match {
      case Some(buckets) => toNewBucket(partition, buckets.bucketOfNew(slot))
      case None => toNewFiles(partition)
    }

  /** Following rows are changes to the file group of `slice`.
    *
    * @param takesInserts
    *   new rows may be among them
    */
  def toSlice(slice: FileSlice, takesInserts: Boolean): Unit =
    if (slice ne currentName) {
      job.checkClusterings(slice.groupId)
      switch(slice, ofSlice(slice, takesInserts))
      metrics.fileGroups += 1
    }

  private def ofSlice(slice: FileSlice, takesInserts: Boolean): GroupWriter = slice.base match {
    case Some(base) if job.logs.isEmpty => new MergeWriter(output, base)
    case Some(base) =>
      val repeated = RepeatedKeys.of(job.basePath, base, output.readers, job.keyCheck(base))
      if (takesInserts || !repeated.isEmpty) new SmallGroupWriter(output, slice, base, repeated)
      else new LogGroupWriter(output, slice)
    case None => new LogGroupWriter(output, slice)
  }

  /** Following rows begin new file groups in `partition`. */
  def toNewFiles(partition: UTF8String): Unit =
    if (partition != currentName) {
      val name = partition.copy()
      switch(name, new NewFileGroups(output, name.toString))
    }

  /** Following rows begin the file group of a bucket. */
  private def toNewBucket(partition: UTF8String, bucket: Int): Unit = currentName match {
    case NewBucket(of, number) if number == bucket && of == partition =>
    case _ =>
      val name = NewBucket(partition.copy(), bucket)
      job.checkResizes(name.partition.toString)
      switch(name, new NewFileGroups(output, name.partition.toString))
  }

  private def switch(name: AnyRef, next: => GroupWriter): Unit = {
    finishCurrent()
    current = next
    currentName = name
  }

  private def finishCurrent(): Unit = if (current != null) {
    stats ++= current.close()
    current = null
    currentName = null
  }

  def insert(key: UTF8String, row: InternalRow): Unit = {
    metrics.inserted += 1
    job.checkOrdering(key, row)
    current.insert(key, row)
  }

  def update(key: UTF8String, row: InternalRow, position: Long = RowPosition.Unknown): Unit = {
    metrics.updated += 1
    job.checkOrdering(key, row)
    current.update(key, row, position)
  }

  def putBack(key: UTF8String, row: InternalRow, position: Long): Unit = {
    metrics.updated += 1
    job.checkOrdering(key, row)
    current.putBack(key, row, position)
  }

  def upsert(key: UTF8String, row: InternalRow): Unit = {
    metrics.updated += 1
    job.checkOrdering(key, row)
    current.upsert(key, row)
  }

  def delete(key: UTF8String, position: Long = RowPosition.Unknown): Unit = {
    metrics.deleted += 1
    current.delete(key, position)
  }

  /** Replaces the row of this key by one in another partition, unless the merge mode keeps the old row. */
  def move(key: UTF8String, row: InternalRow, partition: UTF8String,
      position: Long = RowPosition.Unknown): Unit = {
    metrics.updated += 1
    job.checkOrdering(key, row)
    if (current.remove(key, row, position)) scattered.insert(partition, key, row)
  }

  /** Finishes all files. Where what they hold counts for nothing it raises an error, and the task has to be aborted. */
  def commit(): Seq[WriteStat] = {
    finishCurrent()
    stats ++= scattered.close()
    output.confirm(stats.toList)
  }

  /** Closes the files that are open, and deletes all. */
  def abort(): Unit =
    try if (current != null) current.abort()
    finally
      try scattered.abort()
      finally output.discard()
}

private final case class NewBucket(partition: UTF8String, bucket: Int)

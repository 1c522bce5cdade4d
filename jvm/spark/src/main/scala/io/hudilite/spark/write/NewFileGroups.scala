package io.hudilite.spark.write

import io.hudilite.spark.basefile.encode.{BaseFileWriter, KeySummary, SizeChecks}
import io.hudilite.timeline.WriteStat
import io.hudilite.transaction.rollback.Markers

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.unsafe.types.UTF8String

import scala.collection.mutable

/** Writes rows of one partition into new file groups, another one whenever a file has reached its maximum size.
  *
  * @param firstFileId
  *   id of the first file group, when the caller chose it
  */
private[write] final class NewFileGroups(output: TaskOutput, partition: String, firstFileId: Option[String] = None)
    extends GroupWriter {

  private val job = output.job
  private val finished = mutable.ArrayBuffer.empty[WriteStat]
  private var open: BaseFileWriter = _
  private var sizes: SizeChecks = _

  override def insert(key: UTF8String, row: InternalRow): Unit =
    if (!job.isDelete(row)) {
      if (open == null) {
        open = begin()
        sizes = new SizeChecks
      }
      open.write(key, row)
      if (sizes.isDue(open.rows, open.takenBytes) && open.bytesWritten >= job.files.maxFileBytes) finishFile()
    }

  /** There is no old row: an update is an insert, a delete has nothing to do. */
  override def update(key: UTF8String, row: InternalRow, position: Long): Unit = insert(key, row)
  override def upsert(key: UTF8String, row: InternalRow): Unit = insert(key, row)
  override def delete(key: UTF8String, position: Long): Unit = ()
  override def remove(key: UTF8String, row: InternalRow, position: Long): Boolean = true

  private def begin(): BaseFileWriter = {
    val fileId = firstFileId.filter(_ => finished.isEmpty).getOrElse(output.newFileId())
    output.open(partition, fileId, Markers.Create, new KeySummary(job.bloom.create()))
  }

  private def finishFile(): Unit = if (open != null) {
    val rows = open.rows
    val size = open.close()
    finished += WriteStat(open.fileId, output.relativePath(open), WriteStat.NoPreviousCommit, partition,
      numWrites = rows, numInserts = rows, totalWriteBytes = size, fileSizeInBytes = size)
    open = null
  }

  override def close(): Seq[WriteStat] = {
    finishFile()
    finished.toList
  }

  override def abort(): Unit = if (open != null) open.abort()
}

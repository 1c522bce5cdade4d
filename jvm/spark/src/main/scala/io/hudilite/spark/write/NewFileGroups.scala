package io.hudilite.spark.write

import io.hudilite.filegroup.FileNames
import io.hudilite.timeline.WriteStat
import io.hudilite.transaction.Markers
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.unsafe.types.UTF8String

import scala.collection.mutable

/** Writes rows of one partition into new file groups, another one whenever a file has reached its maximum size.
  *
  * @param firstFileId
  *   id of the first file group, when the caller chose it
  */
private[write] final class NewFileGroups(output: TaskOutput, partition: String, firstFileId: Option[String] = None) {

  private val job = output.job
  private val finished = mutable.ArrayBuffer.empty[WriteStat]
  private var open: Option[BaseFileWriter] = None
  private var rowsToSizeCheck = NewFileGroups.RowsBetweenSizeChecks

  def insert(key: UTF8String, row: InternalRow): Unit = {
    current().write(key, row)
    rowsToSizeCheck -= 1
    if (rowsToSizeCheck == 0) {
      rowsToSizeCheck = NewFileGroups.RowsBetweenSizeChecks
      if (current().bytesWritten >= job.files.maxFileBytes) finishFile()
    }
  }

  private def current(): BaseFileWriter = open match {
    case Some(writer) => writer
    case None =>
      val fileId = firstFileId.filter(_ => finished.isEmpty).getOrElse(FileNames.newFileId())
      val writer = output.open(partition, fileId, Markers.Create, new KeySummary(job.bloom.create()))
      open = Some(writer)
      writer
  }

  private def finishFile(): Unit = open.foreach { writer =>
    val rows = writer.rows
    val size = writer.close()
    open = None
    finished += WriteStat(writer.fileId, output.relativePath(writer), WriteStat.NoPreviousCommit, partition,
      numWrites = rows, numInserts = rows, totalWriteBytes = size, fileSizeInBytes = size)
  }

  def close(): Seq[WriteStat] = {
    finishFile()
    finished.toList
  }

  /** Deletes the open file; finished ones are the caller's to roll back, by their markers. */
  def abort(): Unit = open.foreach(_.abort())
}

private object NewFileGroups {
  val RowsBetweenSizeChecks = 1000
}

package io.hudilite.spark.write

import io.hudilite.filegroup.FileSlice
import io.hudilite.log.{BlockKind, DeleteBlock, DeleteRecord, LogBlockWriter, OrderingValue}
import io.hudilite.timeline.WriteStat
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.unsafe.types.UTF8String

import scala.collection.mutable

/** Appends changes of one file slice to its log: data blocks, and behind the last a block of deletes.
  *
  * At most one block is in memory. Nothing is looked up in the slice: readers merge.
  *
  * @param folded
  *   instants whose blocks those written here replace
  */
private[write] final class LogGroupWriter(output: TaskOutput, slice: FileSlice, folded: Seq[String] = Nil)
    extends GroupWriter {

  private val job = output.job
  private val settings =
    job.logs.getOrElse(throw new IllegalStateException("a copy-on-write table has no log files"))
  private val names = new LogFileNames(output, settings, slice)
  private val data = LogBlockBuilder.open(output, settings, slice.partition, slice.fileId)
  private val deletes = mutable.ArrayBuffer.empty[DeleteRecord]
  private val orderings = new OrderingValues(job)
  private val stats = mutable.ArrayBuffer.empty[WriteStat]
  private var open: Option[LogFile] = None

  private val dataPositions = new BlockPositions
  private val deletePositions = new BlockPositions

  private def headers(positions: BlockPositions): Map[Int, String] = {
    val known = for (base <- slice.base; rows <- positions.take()) yield base.instant -> rows
    LogBlockWriter.headers(settings.version, job.instant, job.avroSchema, known, folded)
  }

  override def insert(key: UTF8String, row: InternalRow): Unit =
    if (settings.takesInserts) update(key, row, RowPosition.Unknown)
    else
      throw new IllegalStateException(s"the new row $key in the log of ${slice.fileId}, where no index finds it again")

  override def update(key: UTF8String, row: InternalRow, position: Long): Unit =
    if (job.isDelete(row)) delete(key, orderings.of(row), position)
    else {
      data.add(key, row)
      added(position)
    }

  /** Appends a record that another instant wrote, as it is; the columns are those of `OldBaseFile.schema`. */
  def keep(row: InternalRow, position: Long): Unit = {
    data.keep(row)
    added(position)
  }

  /** Deletes a key that another instant deleted. */
  def keepDelete(key: UTF8String, ordering: OrderingValue, position: Long): Unit = delete(key, ordering, position)

  private def added(position: Long): Unit = {
    dataPositions.add(position)
    if (data.rows % LogGroupWriter.RowsBetweenSizeChecks == 0 && data.bytes >= settings.blockBytes) flushData()
  }

  /** A delete by key alone holds whatever the ordering values are. */
  override def delete(key: UTF8String, position: Long): Unit = delete(key, OrderingValue.CommitTime, position)

  override def remove(key: UTF8String, row: InternalRow, position: Long): Boolean = {
    delete(key, position)
    true
  }

  private def delete(key: UTF8String, ordering: OrderingValue, position: Long): Unit = {
    deletePositions.add(position)
    deletes += DeleteRecord(key.toString, slice.partition, ordering)
    if (deletes.size >= LogGroupWriter.DeletesPerBlock) {
      flushData()
      flushDeletes()
    }
  }

  private def flushData(): Unit = if (data.rows > 0) {
    val rows = data.rows
    data.finish((bytes, count) => file.append(data.kind, headers(dataPositions), bytes, count))
    file.updates += rows
    finishFull()
  }

  private def flushDeletes(): Unit = if (deletes.nonEmpty) {
    val content = DeleteBlock.encode(deletes.toList, settings.version)
    file.append(BlockKind.Delete, headers(deletePositions), content, content.length)
    file.deletes += deletes.size
    deletes.clear()
    finishFull()
  }

  private def file: LogFile = open.getOrElse {
    val opened = new LogFile(output, slice, names)
    open = Some(opened)
    opened
  }

  private def finishFull(): Unit = if (open.exists(_.length >= settings.fileBytes)) finishFile()

  private def finishFile(): Unit = {
    open.foreach(f => stats += f.close(settings))
    open = None
  }

  override def close(): Seq[WriteStat] = {
    flushData()
    flushDeletes()
    finishFile()
    stats.toList
  }

  override def abort(): Unit =
    try data.free()
    finally open.foreach(_.abort())
}

private object LogGroupWriter {
  val RowsBetweenSizeChecks = 16

  /** Deletes are kept as objects, some 200 bytes each. */
  val DeletesPerBlock = 100000
}

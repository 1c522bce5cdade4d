package io.hudilite.spark.logfile.encode

import io.hudilite.log.{AvroBlock, BlockKind}
import io.hudilite.spark.row.CarriedSchema

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.unsafe.types.UTF8String

/** The open data block of a log file, in memory. */
private[spark] trait LogBlockBuilder {

  def kind: BlockKind

  /** Rows in the block. */
  def rows: Int

  /** Estimate of the block's size if it were finished now. */
  def bytes: Long

  /** Bytes of the values in it, before encoding and compression. Known without a look at each column. */
  def takenBytes: Long

  /** Appends a row that this instant writes. */
  def add(key: UTF8String, row: InternalRow): Unit

  /** Appends an unchanged record, with the columns of `CarriedSchema.schema`. */
  def keep(row: InternalRow): Unit

  /** Hands the content over, as an array and the number of its bytes that count. Begins an empty block. */
  def finish(write: (Array[Byte], Int) => Unit): Unit

  /** Gives up the rows of the block and its memory outside the heap. */
  def free(): Unit
}

/** Form of a job's rows in log files. */
private[spark] object LogBlockBuilder {

  /** @param buffer
    *   buffer of the task, for the bytes of a block; cleared
    */
  def open(task: TaskBlocks, settings: LogSettings, partition: String, fileId: String, buffer: => AvroBuffer)
      : LogBlockBuilder =
    if (settings.parquet) new ParquetBlockBuilder(task, partition, fileId)
    else new AvroBlockBuilder(task, partition, fileId, buffer)
}

/** Rows as Avro binary, each behind its length (docs/format.md#log-files). */
private final class AvroBlockBuilder(task: TaskBlocks, partition: String, fileId: String, buffer: AvroBuffer)
    extends LogBlockBuilder {

  import AvroBlock.{ContentVersion, LengthBytes, PrefixBytes}

  private val columns = task.columns
  private val partitionPath = UTF8String.fromString(partition)
  private val commitTime = UTF8String.fromString(task.layout.instant)
  private val fileName = UTF8String.fromString(fileId)
  private var count = 0
  begin()

  override def kind: BlockKind = BlockKind.AvroData
  override def rows: Int = count
  override def bytes: Long = buffer.length.toLong
  override def takenBytes: Long = bytes

  private def begin(): Unit = {
    buffer.clear()
    buffer.skip(PrefixBytes)
    buffer.setInt(0, ContentVersion)
    count = 0
  }

  override def add(key: UTF8String, row: InternalRow): Unit = {
    val start = buffer.length
    buffer.skip(LengthBytes)
    task.sequence.next()
    putMeta(commitTime)
    buffer.putByte(AvroSlot.Present)
    buffer.putBytes(task.sequence.buffer, 0, task.sequence.length)
    putMeta(key)
    putMeta(partitionPath)
    putMeta(fileName)
    columns.put(row, buffer)
    end(start)
  }

  override def keep(row: InternalRow): Unit = {
    val start = buffer.length
    buffer.skip(LengthBytes)
    var i = 0
    while (i < CarriedSchema.Meta.size) { // hot path
      if (row.isNullAt(i)) buffer.putByte(AvroSlot.Null) else putMeta(row.getUTF8String(i))
      i += 1
    }
    putMeta(fileName)
    columns.put(row, buffer, first = CarriedSchema.Meta.size)
    end(start)
  }

  private def end(start: Int): Unit = {
    buffer.setInt(start, buffer.length - start - LengthBytes)
    count += 1
  }

  private def putMeta(text: UTF8String): Unit = {
    buffer.putByte(AvroSlot.Present)
    buffer.putText(text)
  }

  override def finish(write: (Array[Byte], Int) => Unit): Unit = {
    buffer.setInt(Integer.BYTES, count)
    write(buffer.array, buffer.length)
    begin()
  }

  override def free(): Unit = begin()
}

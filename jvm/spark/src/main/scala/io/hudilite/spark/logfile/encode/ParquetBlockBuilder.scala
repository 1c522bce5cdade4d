package io.hudilite.spark.logfile.encode

import io.hudilite.codec.parquet.MemoryFile
import io.hudilite.log.BlockKind
import io.hudilite.spark.basefile.encode.{BaseFileWriter, ParquetSchema, RowGroupBuffer, StringSink, TakenBytes}
import io.hudilite.spark.row.Binaries

import java.nio.charset.StandardCharsets

import org.apache.parquet.hadoop.{CodecFactory, ParquetFileWriter}
import org.apache.parquet.io.api.Binary
import org.apache.spark.SPARK_VERSION
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.unsafe.types.UTF8String

import scala.collection.JavaConverters._

/** Rows as a whole parquet file of one row group. */
private[encode] final class ParquetBlockBuilder(task: TaskBlocks, partition: String, fileId: String)
    extends LogBlockBuilder {

  private val layout = task.layout
  private val parquetSchema = ParquetSchema.of(layout.fileSchema)
  private val codecs = new CodecFactory(layout.conf.value, layout.files.pageBytes)
  private def text(value: String): Binary = Binary.fromConstantByteArray(value.getBytes(StandardCharsets.UTF_8))
  private val commitTime = text(layout.instant)
  private val partitionPath = text(partition)
  private val fileName = text(fileId)
  private val taken = new TakenBytes
  private var plainColumns = Set.empty[Int]
  // hot path: null while the block has no rows, since an open row group holds compressors
  private var open: RowGroupBuffer = _

  override def kind: BlockKind = BlockKind.ParquetData
  override def rows: Int = if (open == null) 0 else open.rows.toInt
  override def bytes: Long = if (open == null) 0L else open.bufferedBytes
  override def takenBytes: Long = taken.count

  override def add(key: UTF8String, row: InternalRow): Unit = {
    begin()
    task.sequence.next()
    meta(0).putConstant(commitTime, 1)
    meta(1).putBytes(task.sequence.buffer, 0, task.sequence.length)
    meta(2).putBytes(Binaries.bytes(key), Binaries.offset(key), key.numBytes)
    meta(3).putConstant(partitionPath, 1)
    meta(4).putConstant(fileName, 1)
    var i = BaseFileWriter.MetaColumns
    while (i < open.sinks.length) { // hot path
      open.sinks(i).put(row, i - BaseFileWriter.MetaColumns)
      i += 1
    }
    open.added(1)
  }

  override def keep(row: InternalRow): Unit = {
    begin()
    var i = 0
    while (i < open.sinks.length) { // hot path
      if (i < BaseFileWriter.FileNameOrdinal) open.sinks(i).put(row, i)
      else if (i == BaseFileWriter.FileNameOrdinal) meta(i).putConstant(fileName, 1)
      else open.sinks(i).put(row, i - 1)
      i += 1
    }
    open.added(1)
  }

  private def begin(): Unit =
    if (open == null)
      open = new RowGroupBuffer(layout.fileSchema, parquetSchema, layout.files, codecs, plainColumns, taken)

  private def meta(ordinal: Int): StringSink = open.sinks(ordinal).asInstanceOf[StringSink]

  override def finish(write: (Array[Byte], Int) => Unit): Unit = if (open != null) {
    val image = new MemoryFile(open.bufferedBytes, "a log block")
    val file = new ParquetFileWriter(image, parquetSchema, ParquetFileWriter.Mode.CREATE, layout.files.rowGroupBytes, 0,
      BaseFileWriter.IndexTruncateBytes, Int.MaxValue, true)
    file.start()
    open.flushTo(file)
    file.end(Map("parquet.avro.schema" -> layout.avroSchema, "writer.model.name" -> "avro",
        "org.apache.spark.version" -> SPARK_VERSION).asJava)
    image.written(write)
    plainColumns = open.withoutDictionary
    free()
  }

  override def free(): Unit = if (open != null) {
    codecs.release()
    taken.count = 0L
    open = null
  }
}

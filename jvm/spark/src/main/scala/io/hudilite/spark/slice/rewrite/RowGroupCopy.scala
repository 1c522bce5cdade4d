package io.hudilite.spark.slice.rewrite

import io.hudilite.record.MetaFields
import io.hudilite.schema.ColumnNames
import io.hudilite.spark.basefile.encode.BaseFileWriter
import io.hudilite.spark.basefile.read.OldBaseFile

import java.io.Closeable

import org.apache.parquet.column.ColumnDescriptor
import org.apache.parquet.io.SeekableInputStream

import scala.collection.JavaConverters._

/** Copies whole row groups of an old base file into the new one as bytes; only `_hoodie_file_name` is written anew. */
private[slice] final class RowGroupCopy(old: OldBaseFile, writer: BaseFileWriter) extends Closeable {

  private lazy val inMerge = writer.keys.carried && isPossible
  private val worthBytes = writer.layout.files.rowGroupBytes / 4
  private var stream: SeekableInputStream = _

  /** The bytes of the old file mean the same in the new one: both have the same parquet schema, with the same names
    * for the same columns; days and times are in the calendar that new files have; nothing is encrypted.
    */
  def isPossible: Boolean =
    old.names == ColumnNames.Same && old.parquetSchema.getFields == writer.parquetSchema.getFields &&
      old.hasPresentCalendar && !old.blocks.exists(_.getColumns.asScala.exists(_.isEncrypted))

  /** A merge does well to copy this row group rather than to read it.
    *
    * Copied keys are neither read nor hashed, so this needs a bloom filter that was carried over. Small row groups are
    * merged with their neighbours instead, or files would end up as heaps of tiny ones.
    */
  def pays(group: Int): Boolean = {
    val pending = writer.pendingBytes
    inMerge && old.blocks(group).getCompressedSize >= worthBytes && (pending == 0 || pending >= worthBytes)
  }

  /** Appends a row group with rows in the order of their keys, which the new file's bloom filter has. */
  def append(group: Int): Unit = {
    appendChunks(group)
    OldBaseFile.keyRange(old.blocks(group)).foreach { case (smallest, largest) =>
      writer.keys.noteRun(smallest, largest)
    }
  }

  /** Appends a row group, whose keys are the caller's business. */
  def appendChunks(group: Int): Unit = {
    if (stream == null) stream = old.newStream()
    val block = old.blocks(group)
    val file = writer.beginGroup(block.getRowCount)
    block.getColumns.asScala.zip(old.pageIndexes(block, stream)).foreach { case (chunk, pages) =>
      if (chunk.getPath.toDotString == MetaFields.FileName) writer.appendFileName(block.getRowCount)
      else
        file.appendColumnChunk(descriptor(chunk.getPath.toArray), stream, chunk, null, pages.columns, pages.offsets)
    }
    writer.endGroup(block.getRowCount)
  }

  private def descriptor(path: Array[String]): ColumnDescriptor = old.parquetSchema.getColumnDescription(path)

  override def close(): Unit = if (stream != null) stream.close()
}

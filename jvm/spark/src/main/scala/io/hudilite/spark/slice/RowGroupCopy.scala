package io.hudilite.spark.slice

import io.hudilite.record.MetaFields
import io.hudilite.schema.ColumnNames
import io.hudilite.spark.basefile.encode.BaseFileWriter
import io.hudilite.spark.basefile.read.OldBaseFile

import java.io.Closeable

import org.apache.parquet.column.ColumnDescriptor
import org.apache.parquet.io.SeekableInputStream

import scala.collection.JavaConverters._

/** Copies whole row groups of an old base file into the new one as bytes; only `_hoodie_file_name` is written anew.
  *
  * Copied keys are neither read nor hashed, so this needs a bloom filter that was carried over, and both files must
  * have the same parquet schema, with the same names for the same columns. Small row groups are merged with their
  * neighbours instead, or files would end up as heaps of tiny ones.
  */
private[slice] final class RowGroupCopy(old: OldBaseFile, writer: BaseFileWriter) extends Closeable {

  private val possible = writer.keys.carried && old.names == ColumnNames.Same &&
    old.parquetSchema.getFields == writer.parquetSchema.getFields
  private val worthBytes = writer.layout.files.rowGroupBytes / 4
  private var stream: SeekableInputStream = _

  /** Whether to copy this row group rather than to read it. */
  def pays(group: Int): Boolean = {
    val pending = writer.pendingBytes
    possible && old.blocks(group).getCompressedSize >= worthBytes && (pending == 0 || pending >= worthBytes)
  }

  def append(group: Int): Unit = {
    if (stream == null) stream = old.newStream()
    val block = old.blocks(group)
    val file = writer.beginGroup(block.getRowCount)
    block.getColumns.asScala.foreach { chunk =>
      if (chunk.getPath.toDotString == MetaFields.FileName) writer.appendFileName(block.getRowCount)
      else file.appendColumnChunk(descriptor(chunk.getPath.toArray), stream, chunk, null,
        old.reader.readColumnIndex(chunk), old.reader.readOffsetIndex(chunk))
    }
    writer.endGroup(block.getRowCount)
    OldBaseFile.keyRange(block).foreach { case (smallest, largest) => writer.keys.noteRun(smallest, largest) }
  }

  private def descriptor(path: Array[String]): ColumnDescriptor = old.parquetSchema.getColumnDescription(path)

  override def close(): Unit = if (stream != null) stream.close()
}

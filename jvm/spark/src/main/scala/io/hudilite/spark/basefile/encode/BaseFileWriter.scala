package io.hudilite.spark.basefile.encode

import io.hudilite.filegroup.{BaseFileFooter, Partitions}
import io.hudilite.record.MetaFields
import io.hudilite.spark.row.{CarriedSchema, TextBytes}

import java.nio.charset.StandardCharsets

import org.apache.hadoop.fs.Path
import org.apache.parquet.hadoop.{CodecFactory, ParquetFileWriter}
import org.apache.parquet.io.api.Binary
import org.apache.spark.SPARK_VERSION
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.vectorized.ColumnVector
import org.apache.spark.unsafe.types.UTF8String

import scala.collection.JavaConverters._

/** Writes one base file: five meta columns and the data columns, column by column into row groups, then the footer.
  *
  * The caller has created the file's marker and its partition folder.
  *
  * @param plain
  *   ordinals of the file's columns whose values are known to be too many for a dictionary
  */
private[spark] final class BaseFileWriter(val layout: BaseFileLayout, val partition: String, val fileId: String,
    val name: String, sequence: SequenceNumbers, val keys: KeySummary, plain: Set[Int]) {

  val path: Path = new Path(s"${Partitions.directory(layout.basePath, partition)}/$name")

  private[spark] val parquetSchema = ParquetSchema.of(layout.fileSchema)
  private val codecs = new CodecFactory(layout.conf.value, layout.files.pageBytes)
  private val stream = new TrackedOutput(path, layout.conf.value)
  private val file = new ParquetFileWriter(stream, parquetSchema, ParquetFileWriter.Mode.CREATE,
    layout.files.rowGroupBytes, 0, BaseFileWriter.IndexTruncateBytes, Int.MaxValue, true)
  file.start()

  private val commitTime = Binary.fromConstantByteArray(layout.instant.getBytes(StandardCharsets.UTF_8))
  private val partitionPath = Binary.fromConstantByteArray(partition.getBytes(StandardCharsets.UTF_8))
  private val fileName = Binary.fromConstantByteArray(name.getBytes(StandardCharsets.UTF_8))

  private val keyBytes = new TextBytes
  private var plainColumns = plain
  private val taken = new TakenBytes
  private var begun = 0
  private var group: RowGroupBuffer = newGroup()
  private var sizes = new SizeChecks
  private var flushedRows = 0L

  /** Buffers for rows of row groups that were made so far. */
  private[encode] def buffers: Int = begun

  /** Rows in the file so far. */
  def rows: Long = flushedRows + group.rows

  /** Estimate of the file's size if it were closed now. */
  def bytesWritten: Long = file.getPos + group.bufferedBytes

  /** Bytes of all appended values before encoding. Row groups appended as chunks count nothing. */
  def takenBytes: Long = taken.count

  /** Appends a row that this instant writes. */
  def write(key: UTF8String, row: InternalRow): Unit = append(key, row, isNew = true)

  /** Appends a row with nulls in its meta columns, whose data columns begin at an ordinal. */
  private def putBare(row: InternalRow, first: Int): Unit = {
    val sinks = group.sinks
    var i = 0
    while (i < sinks.length) { // hot path
      if (i < BaseFileWriter.MetaColumns) text(i).putNull()
      else sinks(i).put(row, i - BaseFileWriter.MetaColumns + first)
      i += 1
    }
    added(1)
  }

  /** Appends a row that this instant writes in the place of an old one with the same key. */
  def replace(key: UTF8String, row: InternalRow): Unit = append(key, row, isNew = false)

  private def append(key: UTF8String, row: InternalRow, isNew: Boolean): Unit =
    if (layout.metaFields) {
      keyBytes.take(key)
      if (isNew) keys.add(keyBytes.array, keyBytes.offset, keyBytes.length)
      else keys.keep(keyBytes.array, keyBytes.offset, keyBytes.length)
      put(row)
    } else putBare(row, 0)

  /** Appends the row with the key taken last. */
  private def put(row: InternalRow): Unit = {
    sequence.next()
    text(0).putConstant(commitTime, 1)
    text(1).putBytes(sequence.buffer, 0, sequence.length)
    text(2).putBytes(keyBytes.array, keyBytes.offset, keyBytes.length)
    text(3).putConstant(partitionPath, 1)
    text(4).putConstant(fileName, 1)
    val sinks = group.sinks
    var i = BaseFileWriter.MetaColumns
    while (i < sinks.length) { // hot path
      sinks(i).put(row, i - BaseFileWriter.MetaColumns)
      i += 1
    }
    added(1)
  }

  /** Appends old rows unchanged but for their file name. The vectors are those of `CarriedSchema.schema`. */
  def keepRun(vectors: Array[ColumnVector], from: Int, until: Int): Unit = {
    keys.keep(vectors(CarriedSchema.KeyOrdinal), from, until)
    val sinks = group.sinks
    var i = 0
    while (i < sinks.length) { // hot path
      if (i < BaseFileWriter.FileNameOrdinal) sinks(i).putRun(vectors(i), from, until)
      else if (i == BaseFileWriter.FileNameOrdinal) text(i).putConstant(fileName, (until - from).toLong)
      else sinks(i).putRun(vectors(i - 1), from, until)
      i += 1
    }
    added(until - from)
  }

  /** Appends one old row unchanged but for its file name. */
  def keepRow(row: InternalRow): Unit =
    if (layout.metaFields) {
      keys.keep(row.getUTF8String(CarriedSchema.KeyOrdinal))
      putKept(row)
    } else putBare(row, CarriedSchema.Meta.size)

  /** Appends a row that the old file lacks, unchanged but for its file name. The columns are those of
    * `CarriedSchema.schema`.
    */
  def adoptRow(row: InternalRow): Unit =
    if (layout.metaFields) {
      keyBytes.take(row.getUTF8String(CarriedSchema.KeyOrdinal))
      keys.add(keyBytes.array, keyBytes.offset, keyBytes.length)
      putKept(row)
    } else putBare(row, CarriedSchema.Meta.size)

  private def putKept(row: InternalRow): Unit = {
    val sinks = group.sinks
    var i = 0
    while (i < sinks.length) { // hot path
      if (i < BaseFileWriter.FileNameOrdinal) sinks(i).put(row, i)
      else if (i == BaseFileWriter.FileNameOrdinal) text(i).putConstant(fileName, 1)
      else sinks(i).put(row, i - 1)
      i += 1
    }
    added(1)
  }

  /** Bytes of the open row group, 0 when it has no rows. */
  def pendingBytes: Long = if (group.rows == 0) 0L else group.bufferedBytes

  /** Begins a row group whose column chunks the caller appends. The open one is finished before. */
  def beginGroup(count: Long): ParquetFileWriter = {
    flushGroup()
    file.startBlock(count)
    file
  }

  /** Appends the column chunk of the file name to the row group begun last. */
  def appendFileName(count: Long): Unit = group.appendConstant(BaseFileWriter.FileNameOrdinal, fileName, count, file)

  def endGroup(count: Long): Unit = {
    file.endBlock()
    flushedRows += count
  }

  private def text(ordinal: Int): StringSink = group.sinks(ordinal).asInstanceOf[StringSink]

  private def added(count: Int): Unit = {
    group.added(count)
    if (sizes.isDue(group.rows, taken.count) && group.bufferedBytes >= layout.files.rowGroupBytes) flushGroup()
  }

  private def flushGroup(): Unit =
    if (group.rows > 0) {
      group.flushTo(file)
      flushedRows += group.rows
      plainColumns = group.withoutDictionary
      group = newGroup()
      sizes = new SizeChecks(startBytes = taken.count)
    }

  private def newGroup(): RowGroupBuffer = {
    begun += 1
    new RowGroupBuffer(layout.fileSchema, parquetSchema, layout.files, codecs, plainColumns, taken)
  }

  /** Finishes the file and returns its size in bytes. */
  def close(): Long = {
    if (group.rows > 0) group.flushTo(file) // its rows stay counted, and no other group begins
    file.end(footer.asJava)
    codecs.release()
    stream.length
  }

  // docs/format.md, footers. Spark's version says that days and times before 1582 need no rebasing. Spark's own row
  // metadata is left out, because Spark would prefer it to the parquet schema.
  private def footer: Map[String, String] =
    Map("parquet.avro.schema" -> layout.avroSchema, "writer.model.name" -> "avro",
      "org.apache.spark.version" -> SPARK_VERSION) ++ (if (layout.metaFields) ofKeys else Map.empty)

  private def ofKeys: Map[String, String] = {
    val range = if (rows == 0) Nil
    else keys.minKey.map(BaseFileFooter.MinKey -> _).toList ++ keys.maxKey.map(BaseFileFooter.MaxKey -> _)
    val sorted = if (keys.sorted) Map(BaseFileFooter.SortedByKey -> "true") else Map.empty[String, String]
    val unique = if (keys.unique) Map(BaseFileFooter.UniqueKeys -> "true") else Map.empty[String, String]
    Map(BaseFileFooter.Bloom -> keys.bloomText, BaseFileFooter.BloomTypeCode -> keys.bloomType) ++ range ++ sorted ++
      unique
  }

  /** Gives up: closes open streams. The file stays, unfinished. */
  def abort(): Unit =
    try stream.close()
    finally codecs.release()
}

private[spark] object BaseFileWriter {

  val MetaColumns: Int = MetaFields.all.size
  val FileNameOrdinal: Int = MetaFields.all.indexOf(MetaFields.FileName)
  val IndexTruncateBytes = 64
}

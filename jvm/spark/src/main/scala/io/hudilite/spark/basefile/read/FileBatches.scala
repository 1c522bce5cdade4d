package io.hudilite.spark.basefile.read

import io.hudilite.record.RowPlace
import io.hudilite.spark.shim.VectorizedReaders

import java.io.Closeable
import java.time.ZoneId

import org.apache.hadoop.fs.Path
import org.apache.hadoop.mapred.FileSplit
import org.apache.hadoop.mapreduce.TaskAttemptContext
import org.apache.parquet.hadoop.metadata.{BlockMetaData, ParquetMetadata}
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow
import org.apache.spark.sql.catalyst.util.RebaseDateTime.RebaseSpec
import org.apache.spark.sql.execution.datasources.DataSourceUtils
import org.apache.spark.sql.execution.datasources.parquet.VectorizedParquetRecordReader
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types.{StringType, StructField, StructType}
import org.apache.spark.sql.vectorized.ColumnVector
import org.apache.spark.unsafe.types.UTF8String

import scala.collection.JavaConverters._

/** Row groups of a base file in batches. No other class opens Spark's vectorized parquet reader. The vectors are reused
  * from batch to batch.
  *
  * @param split
  *   file, and range in which the row groups lie
  * @param footer
  *   footer of the file with only the row groups to read
  * @param columns
  *   columns to read
  * @param context
  *   names these columns, and the filter by which row groups and pages are skipped
  * @param batchRows
  *   most rows of a batch
  * @param constants
  *   columns behind those that are read, and their values
  */
private[spark] final class FileBatches(split: FileSplit, footer: ParquetMetadata, columns: FileColumns,
    context: TaskAttemptContext, calendar: FileCalendar, batchRows: Int, offHeap: Boolean = false,
    constants: Seq[(StructField, UTF8String)] = Nil) extends OldRows {

  private val reader = open()

  /** Columns in the types that are wanted, then the constants. */
  override val vectors: Array[ColumnVector] = {
    val batch = reader.resultBatch()
    val (of, read) = (columns.conversions, columns.conversions.length)
    Array.tabulate(batch.numCols)(i => if (i < read) ColumnView.of(batch.column(i), of(i)) else batch.column(i))
  }

  override def rows: Int = reader.resultBatch().numRows

  override def next(): Boolean = reader.nextKeyValue()

  /** True when no row group or page is skipped, so that the batches have all rows. */
  def readsEveryRow: Boolean = reader.rowsToRead == footer.getBlocks.asScala.map(_.getRowCount).sum

  override def close(): Unit = reader.close()

  private def open(): CountedReader = {
    val created = new CountedReader(calendar, offHeap, batchRows)
    try {
      // A reader that is handed a footer reads all row groups in it.
      VectorizedReaders.initialize(created, split, context, footer)
      created.initBatch(StructType(constants.map(_._1)), new GenericInternalRow(constants.map(_._2).toArray[Any]))
      created.enableReturningBatches()
      created
    } catch {
      case e: Throwable =>
        created.close()
        throw e
    }
  }
}

/** Rows of a file by column, batch by batch. */
private[spark] trait OldRows extends Closeable {

  /** Moves on to the next batch; `false` when there is none. */
  def next(): Boolean

  /** Rows of the current batch. */
  def rows: Int

  /** Columns of the current batch. */
  def vectors: Array[ColumnVector]
}

private[spark] object FileBatches {

  private val FileId = StructField(RowPlace.FileId, StringType, nullable = false)

  /** Constant column of the id of the file group. */
  def constantId(fileId: String): (StructField, UTF8String) = FileId -> UTF8String.fromString(fileId)

  /** Batches of row groups of a file that a write goes through.
    *
    * @param footer
    *   footer of the file
    * @param blocks
    *   row groups to read: neighbours, at least one
    * @param sizedFor
    *   columns whose width limits the rows of a batch; `None` for those that are read
    */
  def of(path: Path, footer: ParquetMetadata, blocks: Seq[BlockMetaData], columns: FileColumns,
      readers: ReaderContexts, sizedFor: Option[FileColumns] = None): FileBatches = {
    val start = blocks.head.getStartingPos
    val length = blocks.last.getStartingPos + blocks.last.getCompressedSize - start
    val rows = BatchRows.of(blocks, sizedFor.getOrElse(columns).requested,
      SQLConf.get.parquetVectorizedReaderBatchSize)
    new FileBatches(new FileSplit(path, start, length, Array.empty[String]),
      new ParquetMetadata(footer.getFileMetaData, blocks.asJava), columns,
      readers.of(columns.requested, filter = None), FileCalendar.of(footer), rows)
  }
}

/** Calendars of a file's days and times.
  *
  * @param int96Zone
  *   zone in which its INT96 times are meant, unless that is UTC
  */
private[spark] final case class FileCalendar(dates: RebaseSpec, int96: RebaseSpec, int96Zone: Option[ZoneId] = None) {

  /** True when days and times are in the calendar of today. */
  def isPresent: Boolean = dates.mode.toString == "CORRECTED"
}

private[spark] object FileCalendar {

  /** The calendars by the footer.
    *
    * @param unknown
    *   modes for dates and INT96 times where the footer says nothing
    */
  def of(footer: ParquetMetadata, unknown: (String, String) = ("CORRECTED", "CORRECTED")): FileCalendar = {
    val entry = (key: String) => footer.getFileMetaData.getKeyValueMetaData.get(key)
    FileCalendar(DataSourceUtils.datetimeRebaseSpec(entry, unknown._1),
      DataSourceUtils.int96RebaseSpec(entry, unknown._2))
  }
}

/** Spark's reader with a count of the rows that are left once row groups and pages are skipped. */
private final class CountedReader(calendar: FileCalendar, offHeap: Boolean, batchRows: Int)
    extends VectorizedParquetRecordReader(calendar.int96Zone.orNull, calendar.dates.mode.toString,
      calendar.dates.timeZone, calendar.int96.mode.toString, calendar.int96.timeZone, offHeap, batchRows) {
  def rowsToRead: Long = totalRowCount
}

package io.hudilite.spark.basefile.read

import io.hudilite.filegroup.{BaseFile, BaseFileFooter, FooterCache}
import io.hudilite.record.{MetaFields, RowPlace}
import io.hudilite.schema.{ColumnNames, EvolvedColumns}
import io.hudilite.spark.basefile.stored.FileType
import io.hudilite.spark.row.SharedConf
import io.hudilite.spark.shim.VectorizedReaders
import io.hudilite.storage.KnownPath

import java.time.ZoneId

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.mapred.{FileSplit, JobConf}
import org.apache.hadoop.mapreduce.{TaskAttemptID, TaskID, TaskType}
import org.apache.hadoop.mapreduce.task.TaskAttemptContextImpl
import org.apache.parquet.filter2.predicate.FilterPredicate
import org.apache.parquet.hadoop.ParquetInputFormat
import org.apache.parquet.hadoop.metadata.{BlockMetaData, ParquetMetadata}
import org.apache.spark.TaskContext
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.execution.datasources.parquet.{
  ParquetFileFormat,
  ParquetReadSupport,
  ParquetToSparkSchemaConverter,
  VectorizedParquetRecordReader
}
import org.apache.spark.sql.types.{StringType, StructField, StructType}
import org.apache.spark.sql.vectorized.ColumnarBatch
import org.apache.spark.unsafe.types.UTF8String

import scala.collection.JavaConverters._

/** Reads columns of base files in batches, with Spark's vectorized Parquet reader.
  *
  * @param hadoop
  *   Hadoop's configuration with the session's Parquet settings in it
  * @param evolved
  *   names of the columns in the files, where some have changed
  */
private[spark] final case class KeyBatches(basePath: String, hadoop: SharedConf, timeZone: String, offHeap: Boolean,
    batchRows: Int, evolved: Option[EvolvedColumns] = None) {

  def conf: Configuration = hadoop.value

  // A reader looks at it only when it is opened, and to copy it takes longer than that.
  @transient private lazy val settings = new JobConf(conf)

  def pathOf(file: BaseFile): String = s"$basePath/${file.relativePath}"

  /** About how many pages the record keys of a file take.
    *
    * @param own
    *   hudilite wrote the file
    */
  def pages(file: BaseFile, own: Boolean): Long =
    FooterCache.metadata(conf, pathOf(file), file.length).getBlocks.asScala.map(KeyBatches.pages(_, own)).sum

  /** Batches of `columns`, then of the id of the file group. The reader is closed with the task, or by the iterator's end.
    *
    * @param filter
    *   lets row groups and pages be skipped; rows that do not pass it may remain
    */
  def open(file: BaseFile, columns: StructType, filter: Option[FilterPredicate], context: TaskContext): KeyReader = {
    val footer = FooterCache.metadata(conf, pathOf(file), file.length)
    val inFile = columnsOf(file, footer, columns)
    settings.unset(ParquetInputFormat.FILTER_PREDICATE)
    filter.foreach(ParquetInputFormat.setFilterPredicate(settings, _))
    settings.set(ParquetReadSupport.SPARK_ROW_REQUESTED_SCHEMA, inFile.requested.json)
    val split = new FileSplit(new KnownPath(pathOf(file), file.length), 0, file.length, Array.empty[String])
    val attempt = new TaskAttemptID(new TaskID("hudilite", 0, TaskType.MAP, 0), 0)
    val reader = new CountedReader(timeZone, offHeap,
      BatchRows.of(footer.getBlocks.asScala.toSeq, inFile.requested, batchRows))
    context.addTaskCompletionListener[Unit](_ => reader.close())
    VectorizedReaders.initialize(reader, split, new TaskAttemptContextImpl(settings, attempt), footer)
    reader.initBatch(StructType(Seq(StructField(RowPlace.FileId, StringType))),
      InternalRow(UTF8String.fromString(file.fileId)))
    reader.enableReturningBatches()
    new KeyReader(reader, footer.getBlocks.asScala.map(_.getRowCount).sum, inFile.conversions)
  }

  /** Only Hudi's own columns are the same in every file. */
  private def columnsOf(file: BaseFile, footer: ParquetMetadata, columns: StructType): FileColumns =
    if (columns.fieldNames.forall(KeyBatches.Unchanging))
      FileColumns(columns, columns.map(_ => Conversion.AsIs).toIndexedSeq)
    else FileColumns.plan(FileType.of(footer.getFileMetaData.getSchema, new ParquetToSparkSchemaConverter(conf)),
      columns, caseSensitive = false, s"the base file ${pathOf(file)}",
      evolved.fold(ColumnNames.Same: ColumnNames)(_.namesIn(file.instant)))
}

private[spark] object KeyBatches {

  private val Unchanging = MetaFields.all.toSet + ParquetFileFormat.ROW_INDEX_TEMPORARY_COLUMN_NAME

  // Writers begin another page at whichever comes first; these are Parquet's defaults.
  private val PageRows = 20000
  private val PageBytes = 1L << 20

  def pages(block: BlockMetaData, own: Boolean): Long = {
    val rows = if (own) BaseFileFooter.KeyPageRows else PageRows
    val bytes = block.getColumns.asScala.find(_.getPath.toDotString == MetaFields.RecordKey).map(
      _.getTotalUncompressedSize)
    (block.getRowCount / rows).max(bytes.getOrElse(0L) / PageBytes) + 1
  }
}

/** Spark's reader, telling how many rows are left when row groups and pages have been skipped. */
private[read] final class CountedReader(timeZone: String, offHeap: Boolean, batchRows: Int)
    extends VectorizedParquetRecordReader(ZoneId.of(timeZone), "CORRECTED", "UTC", "CORRECTED", "UTC", offHeap,
      batchRows) {
  def rowsToRead: Long = totalRowCount
}

/** Batches of one file, each valid until the next.
  *
  * @param fileRows
  *   rows of the whole file
  * @param conversions
  *   by column, what makes of it what is wanted
  */
private[spark] final class KeyReader(reader: CountedReader, fileRows: Long, conversions: IndexedSeq[Conversion])
    extends Iterator[ColumnarBatch] {

  private var ready: Option[Boolean] = None

  /** Nothing is skipped: the batches' rows are the file's rows from the first on. */
  def readsEveryRow: Boolean = reader.rowsToRead == fileRows

  override def hasNext: Boolean = {
    if (ready.isEmpty) ready = Some(reader.nextKeyValue())
    if (!ready.get) reader.close()
    ready.get
  }

  override def next(): ColumnarBatch = {
    if (!hasNext) throw new NoSuchElementException("no more batches")
    ready = None
    val batch = reader.getCurrentValue.asInstanceOf[ColumnarBatch]
    if (conversions.forall(_ == Conversion.AsIs)) batch
    else {
      val shown = new ColumnarBatch(Array.tabulate(batch.numCols) { i =>
        if (i < conversions.length) ColumnView.of(batch.column(i), conversions(i)) else batch.column(i)
      })
      shown.setNumRows(batch.numRows)
      shown
    }
  }

  def close(): Unit = reader.close()
}

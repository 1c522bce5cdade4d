package io.hudilite.spark.basefile.read

import io.hudilite.filegroup.{BaseFileFooter, FooterCache}
import io.hudilite.record.MetaFields
import io.hudilite.schema.ColumnNames
import io.hudilite.spark.basefile.stored.FileType
import io.hudilite.spark.row.FieldTypes
import io.hudilite.storage.KnownPath

import java.io.Closeable
import java.util.Locale

import org.apache.hadoop.mapred.{FileSplit => HadoopSplit}
import org.apache.hadoop.mapreduce.TaskAttemptContext
import org.apache.parquet.hadoop.metadata.{BlockMetaData, ParquetMetadata}
import org.apache.spark.sql.catalyst.util.DateTimeUtils
import org.apache.spark.sql.execution.datasources.parquet.ParquetToSparkSchemaConverter
import org.apache.spark.sql.types.{StringType, StructField, StructType}
import org.apache.spark.unsafe.types.UTF8String

import scala.collection.JavaConverters._

/** One split of a base file, opened as far as its footer. Both kinds of readers start from it.
  *
  * Columns that only filters need are read behind the wanted ones, and dropped by the reader.
  *
  * @param elsewhere
  *   path of a file that is read in the place of the split's, with its size in the split
  */
private[spark] final class BaseFileReader(
    job: FileRead, contexts: ReaderContexts, split: FileRange, elsewhere: Option[String] = None) {

  import BaseFileReader._

  private val conf = contexts.conf

  private val path = new KnownPath(
    elsewhere.getOrElse(FilePaths.absolute(job.basePath, split.relativePath)), split.fileLength)

  /** Footer with the row groups of this split. */
  val footer: ParquetMetadata =
    restricted(FooterCache.metadata(conf, path.toString, split.fileLength), split)

  private def metadata(key: String): String = footer.getFileMetaData.getKeyValueMetaData.get(key)

  /** True when the rows are in the order of the UTF-8 bytes of their record keys. */
  def sortedByKey: Boolean = metadata(BaseFileFooter.SortedByKey) == "true"

  private val createdByParquetMr = Option(footer.getFileMetaData.getCreatedBy).exists(_.startsWith("parquet-mr"))

  /** Calendar of the file. Session settings give the modes of files that do not state them, and say if INT96 times of
    * writers other than parquet-mr are meant in the session's zone.
    */
  val calendar: FileCalendar = {
    val settings = job.settings
    val zone =
      if (settings.int96Conversion && !createdByParquetMr) Some(DateTimeUtils.getZoneId(settings.timeZone)) else None
    FileCalendar.of(footer, (settings.datetimeRebaseMode, settings.int96RebaseMode)).copy(int96Zone = zone)
  }

  /** Columns to deliver, then those that only filters need. */
  val wanted: StructType = StructType(job.columns.fields ++ hidden.map(StructField(_, StringType)))

  private val names: ColumnNames = job.evolved.fold(ColumnNames.Same: ColumnNames)(_.namesIn(split.instant))

  val columns: FileColumns = FileColumns.plan(fileColumns, wanted, job.settings.caseSensitive, s"the base file $path",
    names)

  /** Position of the commit time among the wanted columns, when rows are filtered by it. */
  val commitTimeColumn: Int = if (job.commitTimes.isEmpty) -1 else wanted.fieldIndex(MetaFields.CommitTime)

  val hadoopSplit = new HadoopSplit(path, split.start, split.length, Array.empty[String])

  /** Columns that the filters of [[context]] look at, by their names in the file in lower case. Parquet takes a column
    * that is not read for null.
    */
  def filtered: Set[String] =
    if (!job.settings.pushFilters) Set.empty
    else allFilters.flatMap(_.columns).flatMap(c => names.of(c.head)).map(_.name.toLowerCase(Locale.ROOT)).toSet

  /** Context with which a reader of Hadoop's kind is opened.
    *
    * @param requested
    *   columns of `columns.requested` that it is to read
    */
  def context(requested: StructType): TaskAttemptContext =
    contexts.of(requested, if (job.settings.pushFilters) filter.of(allFilters) else None)

  private def hidden: Seq[String] = {
    val names = job.columns.fieldNames.toSet
    val key = if (job.keys.exists(_.sorted.size <= ParquetFilter.MaxListed)) Seq(MetaFields.RecordKey) else Nil
    val time = if (job.commitTimes.isDefined) Seq(MetaFields.CommitTime) else Nil
    (key ++ time).filterNot(names)
  }

  private lazy val allFilters: Seq[ScanFilter] = job.filters ++
    job.keys.map(keys => textIn(MetaFields.RecordKey, keys.sorted)) ++
    job.commitTimes.map(times => textIn(MetaFields.CommitTime, times))

  private def filter: ParquetFilter = new ParquetFilter(footer.getFileMetaData.getSchema, job.settings.caseSensitive,
    column => FieldTypes.at(wanted, column.toList).isDefined && !changes(column.head), createdByParquetMr,
    !calendar.isPresent && calendar.dates.mode.toString != "EXCEPTION", names)

  /** True when values of the column may become null as their type changes. The file's statistics do not count such
    * nulls.
    */
  private def changes(column: String): Boolean = wanted.fieldNames.indexOf(column) match {
    case -1 => false
    case at => columns.conversions(at).losesValues
  }

  private def fileColumns: FileType.Group =
    FileType.of(footer.getFileMetaData.getSchema, new ParquetToSparkSchemaConverter(conf))
}

private[spark] object BaseFileReader {

  def textIn(column: String, values: Iterable[String]): ScanFilter =
    ScanFilter.OneOf(Seq(column), values.toSeq.sorted.map(UTF8String.fromString))

  /** Footer with the row groups whose middle lies in the split. So each row group belongs to exactly one split. */
  private def restricted(footer: ParquetMetadata, split: FileRange): ParquetMetadata =
    if (split.start == 0 && split.length >= split.fileLength) footer
    else new ParquetMetadata(footer.getFileMetaData, footer.getBlocks.asScala.filter(isInside(_, split)).asJava)

  private def isInside(block: BlockMetaData, split: FileRange): Boolean = {
    val middle = block.getStartingPos + block.getCompressedSize / 2
    middle >= split.start && middle < split.start + split.length
  }
}

/** Batches or rows of one split, one at a time. */
private[spark] trait SplitReader[T] extends Closeable {
  def next(): Boolean
  def get(): T

  /** Number of rows in the answer of `get`. */
  def size: Int
}

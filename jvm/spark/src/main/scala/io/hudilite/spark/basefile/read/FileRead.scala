package io.hudilite.spark.basefile.read

import io.hudilite.filegroup.{BaseFile, FileNames, SourceFile}
import io.hudilite.record.RecordKeys
import io.hudilite.schema.EvolvedColumns

import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types.StructType

/** A read of base files.
  *
  * @param columns
  *   columns to deliver, in order; rows are numbered when [[RowReader.RowIndex]] is among them
  * @param filters
  *   filters that prune row groups and pages, and that Spark evaluates again on rows
  * @param keys
  *   record keys that include those of all rows that pass the filters; `None` for any
  * @param keysToCheck
  *   true when the driver has not looked at the files' key ranges and bloom filters
  * @param commitTimes
  *   commit times of the rows to deliver; `None` for all rows
  * @param evolved
  *   names of the columns in the files, where some have changed
  */
final case class FileRead(
    basePath: String,
    columns: StructType,
    filters: Seq[ScanFilter],
    keys: Option[RecordKeys],
    keysToCheck: Boolean,
    commitTimes: Option[Set[String]],
    settings: ReaderSettings,
    evolved: Option[EvolvedColumns] = None)

/** Columns that the folders of files tell which were there before their table.
  *
  * @param fields
  *   all partition columns
  * @param urlEncode
  *   folders that do not name their columns are encoded, too
  */
final case class FolderColumns(fields: Seq[String], urlEncode: Boolean)

/** Bytes `[start, start + length)` of a base file, for the row groups whose middle lies within.
  *
  * @param fileLength
  *   size of the whole file
  * @param source
  *   of a skeleton, which is read as a whole: the file with its other columns
  */
final case class FileRange(relativePath: String, fileId: String, fileLength: Long, start: Long, length: Long,
    source: Option[SourceFile] = None) {

  def partition: String = relativePath.take(relativePath.lastIndexOf('/').max(0))

  /** Instant of the write that made the file; the empty text, which is before all instants, when the file's name does
    * not tell.
    */
  def instant: String = file.instant

  /** The whole file. */
  def file: BaseFile = {
    val name = relativePath.substring(relativePath.lastIndexOf('/') + 1)
    val parts = FileNames.parseBaseFile(name)
    BaseFile(partition, name, fileId, parts.fold("")(_.writeToken), parts.fold("")(_.instant), fileLength,
      source)
  }
}

object FileRange {

  /** The whole file. */
  def of(file: BaseFile): FileRange =
    FileRange(file.relativePath, file.fileId, file.length, 0L, file.length, file.source)
}

/** The session's settings for reading parquet files.
  *
  * @param vectorized
  *   true when Spark's vectorized reader can deliver the columns
  * @param columnar
  *   true when rows leave the scan as batches
  * @param datetimeRebaseMode
  *   mode for files that do not name the calendar of their days and times
  */
final case class ReaderSettings(
    vectorized: Boolean,
    columnar: Boolean,
    batchSize: Int,
    offHeap: Boolean,
    caseSensitive: Boolean,
    pushFilters: Boolean,
    datetimeRebaseMode: String,
    int96RebaseMode: String,
    int96Conversion: Boolean,
    timeZone: String)

object ReaderSettings {

  /** Those of a task that reads whole files, by the settings of its session. */
  def ofWholeFiles(batchRows: Int): ReaderSettings = {
    val sql = SQLConf.get
    ReaderSettings(vectorized = true, columnar = true, batchRows, offHeap = false, caseSensitive = false,
      pushFilters = false,
      datetimeRebaseMode = sql.getConfString(SQLConf.PARQUET_REBASE_MODE_IN_READ.key),
      int96RebaseMode = sql.getConfString(SQLConf.PARQUET_INT96_REBASE_MODE_IN_READ.key),
      int96Conversion = sql.isParquetINT96TimestampConversion, timeZone = sql.sessionLocalTimeZone)
  }
}

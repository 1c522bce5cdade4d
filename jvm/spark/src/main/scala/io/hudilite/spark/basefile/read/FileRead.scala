package io.hudilite.spark.basefile.read

import io.hudilite.filegroup.{BaseFile, FileNames}
import io.hudilite.record.RecordKeys
import io.hudilite.schema.EvolvedColumns

import org.apache.spark.sql.types.StructType

/** A read of base files.
  *
  * @param columns
  *   columns to deliver, in order; with [[RowReader.RowIndex]] among them rows are numbered
  * @param filters
  *   filters that prune row groups and pages; Spark evaluates them again on rows
  * @param keys
  *   record keys outside of which no row passes the filters
  * @param keysToCheck
  *   the driver has not looked at the files' key ranges and bloom filters
  * @param commitTimes
  *   only rows with one of these commit times are delivered
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

/** Bytes `[start, start + length)` of a base file: the row groups whose middle lies in there.
  *
  * @param fileLength
  *   size of the whole file
  */
final case class FileRange(relativePath: String, fileId: String, fileLength: Long, start: Long, length: Long) {

  def partition: String = relativePath.take(relativePath.lastIndexOf('/').max(0))

  /** Instant of the write that made the file; the empty text, before all instants, when its name does not tell. */
  def instant: String = file.instant

  /** The whole file. */
  def file: BaseFile = {
    val name = relativePath.substring(relativePath.lastIndexOf('/') + 1)
    val parts = FileNames.parseBaseFile(name)
    BaseFile(partition, name, fileId, parts.fold("")(_.writeToken), parts.fold("")(_.instant), fileLength)
  }
}

/** The session's settings for reading parquet files.
  *
  * @param vectorized
  *   Spark's vectorized reader can deliver the columns
  * @param columnar
  *   rows leave the scan as batches
  * @param datetimeRebaseMode
  *   for files that do not say in which calendar their days and times are
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

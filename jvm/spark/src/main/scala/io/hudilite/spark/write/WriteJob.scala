package io.hudilite.spark.write

import io.hudilite.codec.bloom.BloomFilter
import io.hudilite.config.{DeleteMarker, MergeMode}
import io.hudilite.error.InvalidInput
import io.hudilite.filegroup.{BaseFileFooter, FileGroupId, FileNames}
import io.hudilite.record.MetaFields
import io.hudilite.spark.row.{KeySettings, RowDeletes, SharedConf}

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.types.{StringType, StructField, StructType}

/** Everything that a task needs to write the files of one instant.
  *
  * @param dataSchema
  *   the table's columns without meta columns, in file order; rows handed to the writers have this schema
  * @param avroSchema
  *   the same as Avro JSON with the meta columns, for the footers
  * @param orderingFields
  *   top-level columns that decide between two records of a key, most significant first
  * @param logs
  *   how log files are written; `None` for a copy-on-write table
  * @param deleteMarker
  *   rows that delete their keys besides those with `_hoodie_is_deleted`
  */
final case class WriteJob(
    basePath: String,
    instant: String,
    dataSchema: StructType,
    avroSchema: String,
    keys: KeySettings,
    mergeMode: MergeMode,
    orderingFields: Seq[String],
    files: FileSettings,
    bloom: BloomSettings,
    conf: SharedConf,
    logs: Option[LogSettings] = None,
    deleteMarker: Option[DeleteMarker] = None) {

  /** Schema of the base files: the meta columns, then the data columns. */
  lazy val fileSchema: StructType =
    StructType(MetaFields.all.map(StructField(_, StringType)) ++ dataSchema.fields)

  private lazy val deletes = new RowDeletes(dataSchema, deleteMarker)

  /** Whether a row turns itself into a delete of its key. */
  def isDelete(row: InternalRow): Boolean = deletes(row)

  /** Ordinals of the ordering columns. */
  lazy val orderingOrdinals: Array[Int] = orderingFields.map { field =>
    val ordinal = dataSchema.fieldNames.indexOf(field)
    if (ordinal < 0)
      throw InvalidInput("MISSING_COLUMN", "column" -> field, "columns" -> dataSchema.fieldNames.mkString(", "))
    ordinal
  }.toArray
}

/** How the log files of a merge-on-read table are written.
  *
  * @param version
  *   table version
  * @param parquet
  *   rows are stored as parquet, not as Avro
  * @param blockBytes
  *   size at which a block is finished
  * @param fileBytes
  *   size at which another file is begun
  * @param findsPositions
  *   rows of base files that changes replace are looked for when nobody has told them
  * @param takesInserts
  *   new rows go to the log of a file group that there is, as an index finds them there; otherwise to base files
  * @param compactions
  *   instant of the pending compaction of a file group; before version 8 it names the log files
  */
final case class LogSettings(
    version: Int,
    parquet: Boolean = false,
    blockBytes: Long = LogSettings.BlockBytes,
    fileBytes: Long = LogSettings.FileBytes,
    findsPositions: Boolean = false,
    takesInserts: Boolean = false,
    compactions: Map[FileGroupId, String] = Map.empty) {

  /** Log files bear the instant of their write, not of their slice. */
  def byInstant: Boolean = version >= LogSettings.FirstVersionByInstant
}

object LogSettings {
  val BlockBytes: Long = 64L * 1024 * 1024
  val FileBytes: Long = 1024L * 1024 * 1024

  /** A block is collected in one array, which must hold the row that reaches the block's size, too. */
  val MostBlockBytes: Long = 1024L * 1024 * 1024
  val FirstVersionByInstant = 8
}

/** How large files are and how they are laid out.
  *
  * @param maxFileBytes
  *   size at which inserts go to another file
  * @param codec
  *   parquet's name of the compression codec, any case
  * @param rowGroupBytes
  *   encoded size of a row group; rather small, because a merge copies the row groups that it need not touch
  * @param keyPageRows
  *   rows of a page of the record key column; small, because a lookup reads whole pages
  */
final case class FileSettings(
    maxFileBytes: Long = FileSettings.MaxFileBytes,
    codec: String = "zstd",
    rowGroupBytes: Long = FileSettings.RowGroupBytes,
    pageBytes: Int = FileSettings.PageBytes,
    keyPageRows: Int = BaseFileFooter.KeyPageRows)

object FileSettings {
  val MaxFileBytes: Long = 120L * 1024 * 1024
  val RowGroupBytes: Long = 16L * 1024 * 1024
  val PageBytes: Int = 1024 * 1024
}

/** Layout of the bloom filters of new files, as in [[BloomFilter.fitted]]. */
final case class BloomSettings(
    typeCode: String = BloomFilter.Dynamic, entries: Int = 60000, fpp: Double = 0.000000001, maxEntries: Int = 100000) {
  def create(): BloomFilter = BloomFilter.fitted(typeCode, entries, fpp, maxEntries)
}

/** The running attempt of a task; makes its file names and sequence numbers unique. */
final case class TaskAttempt(partitionId: Int, stageId: Int, attemptId: Long) {
  def writeToken: String = FileNames.writeToken(partitionId, stageId, attemptId)
}

package io.hudilite.config

import io.hudilite.config.key.ConfigKey
import io.hudilite.config.service.ServiceConf

/** The options of one write, checked and read once.
  *
  * @param options
  *   as they were given, session settings included: for the facts of a new table, and for the reads that belong to the
  *   write
  * @param operation
  *   what the write does with its rows; `None` = what the statement says
  * @param partitionsToDelete
  *   partition paths or beginnings of such, for the operation that drops partitions; `None` = those of the rows
  * @param overwrite
  *   what an overwriting write replaces
  * @param columns
  *   how the columns of the rows meet those of the table
  * @param timesAsTexts
  *   keys and partition paths of a new table spell timestamps as texts
  * @param services
  *   what the table does for itself, after the write or because it is called
  */
final case class WriteConf(
    options: Map[String, String],
    operation: Option[String],
    partitionsToDelete: Option[Seq[String]],
    overwrite: OverwriteConf,
    columns: ColumnsConf,
    timesAsTexts: Boolean,
    index: IndexConf,
    combine: CombineConf,
    parallelism: ParallelismConf,
    packing: PackingConf,
    files: FileConf,
    bloom: BloomConf,
    logs: LogConf,
    commit: CommitConf,
    services: ServiceConf)

object WriteConf {

  /** Raises `InvalidInput` for an option that nobody knows and for a value that cannot be read. */
  def of(options: Map[String, String]): WriteConf = {
    Options.check(options)
    val files = FileConf(WriteOptions.MaxFileSize(options), WriteOptions.CompressionCodec(options),
      whenSet(WriteOptions.BlockSize, options), whenSet(WriteOptions.PageSize, options))
    WriteConf(
      options = options,
      operation = whenSet(WriteOptions.Operation, options),
      partitionsToDelete = WriteOptions.PartitionsToDelete.get(options),
      overwrite = OverwriteConf(WriteOptions.ReplaceWhere.get(options),
        WriteOptions.OverwriteMode.get(options).map(_ == "dynamic")),
      columns = ColumnsConf(WriteOptions.MergeSchema(options), WriteOptions.NullForMissing(options)),
      timesAsTexts = WriteOptions.TimesAsTexts(options),
      index = indexOf(options),
      combine = CombineConf(WriteOptions.CombineBeforeUpsert(options), WriteOptions.CombineBeforeInsert(options)),
      parallelism = ParallelismConf(WriteOptions.UpsertParallelism(options), WriteOptions.InsertParallelism(options),
        WriteOptions.BulkInsertParallelism(options), WriteOptions.DeleteParallelism(options)),
      packing = packingOf(options),
      files = files,
      bloom = BloomConf(WriteOptions.BloomType(options), WriteOptions.BloomEntries(options),
        WriteOptions.BloomFpp(options), WriteOptions.BloomMaxEntries(options)),
      logs = LogConf(WriteOptions.LogBlockFormat(options) == "parquet", WriteOptions.LogBlockSize(options),
        WriteOptions.LogFileSize(options), WriteOptions.RecordPositions(options)),
      commit = CommitConf(WriteOptions.LockWaitMs(options), WriteOptions.MetadataStrict(options),
        WriteOptions.FailedWritesPolicy(options)),
      services = ServiceConf.of(options, files.maxBytes))
  }

  private def indexOf(options: Map[String, String]): IndexConf = IndexConf(
    kind = whenSet(WriteOptions.IndexType, options),
    simpleMoves = WriteOptions.SimpleUpdatePartition(options),
    bloomMoves = WriteOptions.BloomUpdatePartition(options),
    prunesByRanges = WriteOptions.PruneByRanges(options),
    buckets = whenSet(WriteOptions.Buckets, options),
    hashFields = WriteOptions.BucketHashFields.get(options),
    rule = WriteOptions.BucketsInPartitions.get(options))

  private def packingOf(options: Map[String, String]): PackingConf = PackingConf(
    sortsWhole = WriteOptions.SortMode(options) == "GLOBAL_SORT",
    smallFileBytes = WriteOptions.SmallFileLimit(options),
    smallGroups = WriteOptions.SmallGroups(options),
    recordBytes = WriteOptions.RecordSizeEstimate(options),
    recordShare = WriteOptions.RecordSizeThreshold(options))

  private def whenSet[T](key: ConfigKey[T], options: Map[String, String]): Option[T] =
    if (key.isSet(options)) key.get(options) else None
}

/** What a write with the save mode overwrite replaces.
  *
  * @param where
  *   a condition on partition columns, in SQL
  * @param dynamic
  *   the partitions of the rows only, or the whole table; `None` = what the session says
  */
final case class OverwriteConf(where: Option[String], dynamic: Option[Boolean])

/** How the columns of the rows meet those of the table.
  *
  * @param grow
  *   the rows may bring new columns and wider types
  * @param fillNull
  *   what they lack is null
  */
final case class ColumnsConf(grow: Boolean, fillNull: Boolean)

/** How keys are looked up, as the options say it; what it means for a table is core's `Index`.
  *
  * @param kind
  *   `None` = as the table has it
  * @param simpleMoves
  *   with the kind GLOBAL_SIMPLE, a row whose partition has changed moves there
  * @param bloomMoves
  *   the same with GLOBAL_BLOOM
  * @param prunesByRanges
  *   files whose range of keys cannot hold a key are not looked into
  * @param hashFields
  *   fields of the record key that deal keys to buckets; `None` = all
  * @param rule
  *   partitions with another number of buckets; `None` = as the table has it
  */
final case class IndexConf(kind: Option[String], simpleMoves: Boolean, bloomMoves: Boolean, prunesByRanges: Boolean,
    buckets: Option[Int], hashFields: Option[Seq[String]], rule: Option[BucketRule] = None) {

  def byBuckets: Boolean = kind.contains(WriteOptions.ByBuckets)

  /** The same, with this number, these fields and this rule where the options leave them open. */
  def orBuckets(count: Int, fields: Seq[String], other: BucketRule): IndexConf =
    copy(buckets = buckets.orElse(Some(count)), hashFields = hashFields.orElse(Some(fields)),
      rule = rule.orElse(Some(other)))
}

/** Whether the rows of one write with the same key are reduced to the newest one. */
final case class CombineConf(beforeUpsert: Boolean, beforeInsert: Boolean)

/** Tasks of the shuffle of each operation; 0 = as many as fit. */
final case class ParallelismConf(upsert: Int, insert: Int, bulkInsert: Int, delete: Int)

/** How rows are brought to files.
  *
  * @param sortsWhole
  *   a bulk insert sorts its rows as a whole; otherwise in each task
  * @param smallFileBytes
  *   inserts go to base files smaller than this first
  * @param smallGroups
  *   file groups of a partition that take inserts of one write to a merge-on-read table
  * @param recordBytes
  *   size of a row when no commit tells
  * @param recordShare
  *   a commit tells when it wrote more than this share of `smallFileBytes`
  */
final case class PackingConf(sortsWhole: Boolean, smallFileBytes: Long, smallGroups: Int, recordBytes: Int,
    recordShare: Double)

/** New base files; row groups and pages without a size in the options have one that suits merges.
  *
  * @param maxBytes
  *   size at which another file is begun
  */
final case class FileConf(maxBytes: Long, codec: String, rowGroupBytes: Option[Long], pageBytes: Option[Int])

/** Bloom filters of new base files. */
final case class BloomConf(kind: String, entries: Int, fpp: Double, maxEntries: Int)

/** Log files.
  *
  * @param parquet
  *   rows are stored as parquet, not as Avro
  * @param positions
  *   blocks say which rows of the base file they replace, where the table has a place for it
  */
final case class LogConf(parquet: Boolean, blockBytes: Long, fileBytes: Long, positions: Boolean)

/** How the write begins and commits.
  *
  * @param metadata
  *   which metadata tables keep it from being written
  * @param foreignWrites
  *   what becomes of pending writes of other programs
  */
final case class CommitConf(lockWaitMs: Long, metadata: String, foreignWrites: String)

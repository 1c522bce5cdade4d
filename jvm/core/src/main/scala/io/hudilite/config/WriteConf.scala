package io.hudilite.config

import io.hudilite.config.key.{ConfigKey, Setting}
import io.hudilite.config.service.ServiceConf
import io.hudilite.outside.{CallbackConf, CallbackOptions, LockFileConf, LockOptions}
import io.hudilite.sync.SyncConf

/** Options of one write, checked and read once.
  *
  * @param options
  *   options as they were given, session settings included, for the facts of a new table and for the reads of the write
  * @param operation
  *   operation on the rows; `None` = that of the statement
  * @param saysOperation
  *   the write itself says it, and not its session or table
  * @param partitionsToDelete
  *   partition paths or beginnings of such, for the operation that drops partitions; `None` = those of the rows
  * @param inserts
  *   treatment of rows that are inserted
  * @param overwrite
  *   part of the table that an overwriting write replaces
  * @param columns
  *   changes of columns that the rows may bring
  * @param timesAsTexts
  *   true when keys and partition paths of a new table spell timestamps as texts
  * @param notes
  *   words of its commit beside the rows
  * @param services
  *   services of the table, after the write or by a call
  * @param sync
  *   names in the session's catalog that are kept up after the write
  * @param callback
  *   service that is told of the write
  */
final case class WriteConf(
    options: Map[String, String],
    operation: Option[String],
    saysOperation: Boolean,
    partitionsToDelete: Option[Seq[String]],
    inserts: InsertConf,
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
    notes: CommitNotes,
    services: ServiceConf,
    sync: Option[SyncConf] = None,
    callback: Option[CallbackConf] = None)

object WriteConf {

  /** Options of a write. Raises `InvalidInput` for an unknown option and for a malformed value.
    *
    * @param own
    *   those of the options that the write itself gives, and not its session or table
    */
  def of(options: Map[String, String], own: Option[Map[String, String]] = None): WriteConf = {
    Options.check(options)
    val files = FileConf(WriteOptions.MaxFileSize(options), WriteOptions.CompressionCodec(options),
      whenSet(WriteOptions.BlockSize, options), whenSet(WriteOptions.PageSize, options))
    WriteConf(
      options = options,
      operation = whenSet(WriteOptions.Operation, options),
      saysOperation = WriteOptions.Operation.isSet(own.getOrElse(options)),
      partitionsToDelete = WriteOptions.PartitionsToDelete.get(options),
      inserts = insertsOf(options),
      overwrite = OverwriteConf(WriteOptions.ReplaceWhere.get(options), isDynamic(own.getOrElse(options)),
        isDynamic(options)),
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
        WriteOptions.LogFileSize(options), WriteOptions.RecordPositions(options),
        WriteOptions.PartialUpdates(options)),
      commit = CommitConf(WriteOptions.LockWaitMs(options), WriteOptions.MetadataStrict(options),
        WriteOptions.FailedWritesPolicy(options), WriteOptions.AmongOthers(options),
        whenSet(ReadOptions.UsesMetadata, options), WriteOptions.MetadataDeltas(options), IndexOptions.of(options),
        LockOptions.of(options), BootstrapOptions.Copies.get(options)),
      notes = CommitNotes.of(options),
      services = ServiceConf.of(options, files.maxBytes),
      sync = SyncConf.of(options),
      callback = CallbackOptions.of(options))
  }

  private def isDynamic(options: Map[String, String]): Option[Boolean] =
    WriteOptions.OverwriteMode.get(options).map(_ == "dynamic")

  private def insertsOf(options: Map[String, String]): InsertConf = InsertConf(
    WriteOptions.InsertInto.get(options).orElse(
      if (WriteOptions.BulkInsertSql(options)) Some("bulk_insert")
      else WriteOptions.InsertMode.get(options).filter(_ == "upsert")),
    WriteOptions.DuplicatePolicy.setting(options).default(by =>
      if (WriteOptions.DropDuplicates(options)) "drop" else if (isStrict(options)) "fail" else by),
    WriteOptions.DropDuplicates(options))

  private def isStrict(options: Map[String, String]): Boolean =
    WriteOptions.InsertMode.get(options).contains("strict") && !WriteOptions.InsertInto.isSet(options)

  private def indexOf(options: Map[String, String]): IndexConf = IndexConf(
    kind = whenSet(WriteOptions.IndexType, options),
    simpleMoves = WriteOptions.SimpleUpdatePartition(options),
    bloomMoves = WriteOptions.BloomUpdatePartition(options),
    prunesByRanges = WriteOptions.PruneByRanges(options),
    buckets = whenSet(WriteOptions.Buckets, options),
    hashFields = WriteOptions.BucketHashFields.get(options),
    rule = WriteOptions.BucketsInPartitions.get(options),
    recordMoves = WriteOptions.RecordUpdatePartition(options),
    engine = whenSet(WriteOptions.BucketEngine, options),
    asksMetadata = IndexOptions.asksForKeys(options))

  private def packingOf(options: Map[String, String]): PackingConf = PackingConf(
    sortsWhole = WriteOptions.SortMode(options) == "GLOBAL_SORT",
    gathersPartitions = WriteOptions.SortMode(options).startsWith("PARTITION_PATH"),
    smallFileBytes = WriteOptions.SmallFileLimit(options),
    smallGroups = WriteOptions.SmallGroups(options),
    recordBytes = WriteOptions.RecordSizeEstimate(options),
    recordShare = WriteOptions.RecordSizeThreshold(options))

  private def whenSet[T](key: ConfigKey[T], options: Map[String, String]): Option[T] =
    if (key.isSet(options)) key.get(options) else None
}

/** The treatment of rows that are inserted.
  *
  * @param statement
  *   operation of an INSERT INTO
  * @param duplicates
  *   treatment of rows whose keys the table has: none, drop or fail
  * @param dropsInUpserts
  *   true when an upsert, too, leaves such rows out
  */
final case class InsertConf(statement: Option[String], duplicates: Setting[String], dropsInUpserts: Boolean)

/** The part of a table that a write with the save mode overwrite replaces.
  *
  * @param where
  *   condition on partition columns, in SQL
  * @param dynamic
  *   true for the partitions of the rows only, false for the whole table, as the write itself says; `None` = it does not
  * @param preferred
  *   as `dynamic`, by any option of the write, its session and its table; `None` = as Spark's own setting says
  */
final case class OverwriteConf(where: Option[String], dynamic: Option[Boolean], preferred: Option[Boolean])

/** Differences between the columns of the rows and those of the table.
  *
  * @param grow
  *   true when the rows may bring new columns and wider types
  * @param fillNull
  *   true when columns that they lack are null
  */
final case class ColumnsConf(grow: Boolean, fillNull: Boolean)

/** Index that the options ask for. Core's `Index` is its meaning for a table.
  *
  * @param kind
  *   `None` = as the table has it
  * @param simpleMoves
  *   true when GLOBAL_SIMPLE moves a row whose partition has changed
  * @param bloomMoves
  *   true when GLOBAL_BLOOM does so
  * @param prunesByRanges
  *   true when files are passed over whose range of keys cannot hold a key
  * @param hashFields
  *   fields of the record key that deal keys to buckets; `None` = all
  * @param rule
  *   partitions with another number of buckets; `None` = as the table has it
  * @param recordMoves
  *   true when a record index of the whole table moves a row whose partition has changed
  * @param isTold
  *   the table has told the kind, which options leave open
  * @param engine
  *   how keys are dealt to buckets; `None` = as the table has it
  * @param asksMetadata
  *   true when the metadata table is asked for ranges and bloom filters of keys
  */
final case class IndexConf(kind: Option[String], simpleMoves: Boolean, bloomMoves: Boolean, prunesByRanges: Boolean,
    buckets: Option[Int], hashFields: Option[Seq[String]], rule: Option[BucketRule] = None,
    recordMoves: Boolean = false, isTold: Boolean = false, engine: Option[String] = None,
    asksMetadata: Boolean = false) {

  def byBuckets: Boolean = kind.contains(WriteOptions.ByBuckets)

  /** By buckets of hash rings. */
  def isConsistent: Boolean = byBuckets && engine.contains(WriteOptions.ConsistentHashing)

  /** By a record index, of the whole table or of each partition. */
  def byRecords: Boolean =
    kind.exists(k => WriteOptions.ByRecords.contains(k) || k == WriteOptions.ByRecordsInPartitions)

  /** This index, with this number, these fields and this rule where the options leave them open. */
  def orBuckets(count: Int, fields: Seq[String], other: BucketRule): IndexConf =
    copy(buckets = buckets.orElse(Some(count)), hashFields = hashFields.orElse(Some(fields)),
      rule = rule.orElse(Some(other)))
}

/** Operations that reduce rows with equal keys to the newest one. */
final case class CombineConf(beforeUpsert: Boolean, beforeInsert: Boolean)

/** Tasks of the shuffle of each operation; 0 = as many as fit. */
final case class ParallelismConf(upsert: Int, insert: Int, bulkInsert: Int, delete: Int)

/** Packing of rows into files.
  *
  * @param sortsWhole
  *   true when a bulk insert sorts its rows as a whole, false when in each task
  * @param gathersPartitions
  *   true when a bulk insert puts the rows of a partition together
  * @param smallFileBytes
  *   size below which a base file gets inserts first
  * @param smallGroups
  *   file groups of a partition that take inserts of one write to a merge-on-read table
  * @param recordBytes
  *   size of a row when no commit tells
  * @param recordShare
  *   share of `smallFileBytes` above which a commit tells the size of a row
  */
final case class PackingConf(sortsWhole: Boolean, gathersPartitions: Boolean, smallFileBytes: Long, smallGroups: Int,
    recordBytes: Int, recordShare: Double)

/** New base files. Row groups and pages have a size that suits merges, unless the options give one.
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
  *   true when rows are stored as parquet, false when as Avro
  * @param positions
  *   true when blocks have the positions of the rows of the base file that they replace, where the format allows it
  * @param partial
  *   true when updates of a statement have only the columns that it sets, where the format allows it
  */
final case class LogConf(parquet: Boolean, blockBytes: Long, fileBytes: Long, positions: Boolean,
    partial: Boolean)

/** Begin and commit of the write.
  *
  * @param metadata
  *   metadata tables that the write may remove
  * @param foreignWrites
  *   treatment of pending writes of other programs
  * @param amongOthers
  *   true when a new table may be made in a folder with other files
  * @param lockFile
  *   lock file that is taken on top of the machine's lock
  * @param copies
  *   token of a write that ends a bootstrap
  */
final case class CommitConf(lockWaitMs: Long, metadata: String, foreignWrites: String, amongOthers: Boolean,
    keepsMetadata: Option[Boolean], metadataDeltas: Int, indexes: IndexesConf = IndexesConf(),
    lockFile: Option[LockFileConf] = None, copies: Option[String] = None)

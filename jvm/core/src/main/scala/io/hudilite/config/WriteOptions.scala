package io.hudilite.config

import io.hudilite.config.key.ConfigKey

/** Options of one write. */
object WriteOptions {

  private val MiB = 1024L * 1024L

  val Operation: ConfigKey[String] = ConfigKey.choice("hoodie.datasource.write.operation", Some("upsert"),
    Seq("upsert", "insert", "bulk_insert", "delete", "insert_overwrite", "insert_overwrite_table", "delete_partition"),
    "What the write does with its rows. `upsert` and `delete` look their keys up, `insert` and `bulk_insert` do not.")

  val InsertInto: ConfigKey[String] = ConfigKey.choice("hoodie.spark.sql.insert.into.operation", None,
    Seq("insert", "upsert", "bulk_insert"),
    "What an INSERT INTO does with its rows, unless hoodie.datasource.write.operation says it. Without both: `insert`.")

  val BulkInsertSql: ConfigKey[Boolean] = ConfigKey.flag("hoodie.sql.bulk.insert.enable", default = false,
    "An older way to say `bulk_insert` for each INSERT INTO.")

  val InsertMode: ConfigKey[String] = ConfigKey.choice("hoodie.sql.insert.mode", None,
    Seq("upsert", "strict", "non-strict"),
    "An older way to say what an INSERT INTO does, where the two above say nothing: `upsert`, or `insert` with the policy " +
      "`fail` (strict) or `none` (non-strict).")

  val DuplicatePolicy: ConfigKey[String] = ConfigKey.choice("hoodie.datasource.insert.dup.policy", Some("none"),
    Seq("none", "drop", "fail"),
    "What an insert does with a row whose key the table has: `none` adds it beside the other, `drop` leaves it out, and " +
      "`fail` refuses the write. `drop` and `fail` look keys up, as an upsert does, and of rows of one key they take one.")

  val DropDuplicates: ConfigKey[Boolean] = ConfigKey.flag("hoodie.datasource.write.insert.drop.duplicates",
    default = false, "An older way to say `drop`, which holds for upserts, too.",
    Seq("hoodie.datasource.insert.drop.duplicates"))

  val PartitionsToDelete: ConfigKey[Seq[String]] = ConfigKey.list("hoodie.datasource.write.partitions.to.delete",
    "Partition paths that `delete_partition` drops; a trailing `*` stands for any rest. Without it: the partitions of " +
      "the given rows.")

  val ReplaceWhere: ConfigKey[String] = ConfigKey("replaceWhere", None,
    "With the save mode overwrite: a condition on partition columns, in SQL. The rows take the place of all partitions " +
      "that it selects, also of those that get none of them; a row outside of it is an error.",
    (s: String) => if (s.isEmpty) throw new IllegalArgumentException("it must be a condition in SQL") else s)

  val OverwriteMode: ConfigKey[String] = ConfigKey.choice("partitionOverwriteMode", None, Seq("static", "dynamic"),
    "With the save mode overwrite. static: the rows take the place of the whole table, as `insert_overwrite_table` " +
      "does; dynamic: of the partitions that they are in, as `insert_overwrite` does. Without it: what " +
      "`spark.sql.sources.partitionOverwriteMode` says.",
    Seq("hoodie.datasource.overwrite.mode"))

  val MergeSchema: ConfigKey[Boolean] = ConfigKey.flag("mergeSchema", default = true,
    "Rows may bring new columns, which follow those of the table, and wider types of numbers. With `false` a " +
      "write that would change the table's columns is refused.")

  val NullForMissing: ConfigKey[Boolean] = ConfigKey.flag("hoodie.write.set.null.for.missing.columns",
    default = false,
    "A column of the table, or a field of a struct, that the rows lack is null in them; with `false` the write is " +
      "refused. Record key, partition and ordering columns must be there in any case.",
    Seq("hoodie.datasource.write.reconcile.schema"))

  val TimesAsTexts: ConfigKey[Boolean] = ConfigKey.flag(
    "hoodie.datasource.write.keygenerator.consistent.logical.timestamp.enabled", default = false,
    "The record keys and partition paths of a new table spell timestamps as texts, to the millisecond and in " +
      "the zone of the process, and not as microseconds since 1970. A table keeps the spelling that it has; texts are " +
      "refused where it has numbers.")

  /** The index type of tables with buckets. */
  val ByBuckets: String = "BUCKET"

  /** The index types of tables with a record index: of the whole table, by two names, and of each partition. */
  val ByRecords: Seq[String] = Seq("RECORD_INDEX", "GLOBAL_RECORD_LEVEL_INDEX")
  val ByRecordsInPartitions: String = "RECORD_LEVEL_INDEX"

  val IndexType: ConfigKey[String] = ConfigKey.choice("hoodie.index.type", Some("SIMPLE"),
    Seq("SIMPLE", "GLOBAL_SIMPLE", "BLOOM", "GLOBAL_BLOOM", ByBuckets) ++ ByRecords :+ ByRecordsInPartitions,
    "How keys are looked up: in their partition or in the whole table, with or without the bloom filters of the files. " +
      "BUCKET: not at all, since the key says which file group of its partition it belongs to. RECORD_INDEX and " +
      "GLOBAL_RECORD_LEVEL_INDEX: in the record index of the metadata table, RECORD_LEVEL_INDEX: in one that has keys " +
      "by partition. A table keeps to buckets, and to a record index that has the place of every row, so that later " +
      "writes need not say so.")

  /** Most buckets of a partition. A larger number is taken for the beginning of a random file id, of which one in
    * 65,000 begins with so small a number.
    */
  val MostBuckets: Int = 65536

  val Buckets: ConfigKey[Int] = ConfigKey.int("hoodie.bucket.index.num.buckets", 256,
    "With BUCKET, file groups in each partition. Of a table with files it is the number that the commits of hudilite " +
      "state, else the one that its files show, and any other is refused; it must be given only where the files leave " +
      "several.",
    1, "buckets", max = MostBuckets)

  val BucketHashFields: ConfigKey[Seq[String]] = ConfigKey.list("hoodie.bucket.index.hash.field",
    "With BUCKET, the record key fields that decide: all of them, or those that a write of hudilite has stated.")

  val BucketsInPartitions: ConfigKey[BucketRule] = ConfigKey("hoodie.bucket.index.partition.expressions", None,
    "With BUCKET, partitions with numbers of buckets of their own, as `expression,number;expression,number`: the first " +
      "regular expression that is found in the path of a partition says its number, and where none is " +
      "hoodie.bucket.index.num.buckets does. A table keeps to those that it has.",
    BucketRule.of(_))

  val BucketRuleType: ConfigKey[String] = ConfigKey.choice("hoodie.bucket.index.partition.rule.type",
    Some(BucketRule.Regex), Seq(BucketRule.Regex), "The kind of these expressions.")

  /** The engine of buckets by hash rings. */
  val ConsistentHashing: String = "CONSISTENT_HASHING"

  val BucketEngine: ConfigKey[String] = ConfigKey.choice("hoodie.index.bucket.engine", Some("SIMPLE"),
    Seq("SIMPLE", ConsistentHashing),
    "With BUCKET, how keys are dealt to buckets. SIMPLE: by the remainder of a hash, with a fixed number. " +
      "CONSISTENT_HASHING: by a hash ring in each partition of a merge-on-read table, which begins with " +
      "hoodie.bucket.index.num.buckets, and whose buckets Apache Hudi can split and merge. A table keeps to its own.")

  val BloomUpdatePartition: ConfigKey[Boolean] = ConfigKey.flag("hoodie.bloom.index.update.partition.path",
    default = true,
    "With GLOBAL_BLOOM, a row whose partition has changed moves there; otherwise it is updated where it is, and " +
      "keeps the values of its partition columns.")

  val SimpleUpdatePartition: ConfigKey[Boolean] = ConfigKey.flag("hoodie.simple.index.update.partition.path",
    default = true,
    "With GLOBAL_SIMPLE, a row whose partition has changed moves there; otherwise it is updated where it is, and " +
      "keeps the values of its partition columns.")

  val RecordUpdatePartition: ConfigKey[Boolean] = ConfigKey.flag("hoodie.record.index.update.partition.path",
    default = false,
    "With RECORD_INDEX, a row whose partition has changed moves there; otherwise it is updated where it is, and keeps " +
      "the values of its partition columns.")

  val PruneByRanges: ConfigKey[Boolean] = ConfigKey.flag("hoodie.bloom.index.prune.by.ranges", default = true,
    "Files whose range of keys cannot hold a key are not looked into.")

  val BloomEntries: ConfigKey[Int] = ConfigKey.int("hoodie.index.bloom.num_entries", 60000,
    "Keys that the bloom filter of a new file is laid out for; with an eighth of them or fewer it is laid out for these.",
    1, "keys")

  val BloomFpp: ConfigKey[Double] = ConfigKey.double("hoodie.index.bloom.fpp", 0.000000001,
    "Share of absent keys that a bloom filter may take for present ones.", p => p > 0 && p < 1, "between 0 and 1")

  val BloomType: ConfigKey[String] = ConfigKey.choice("hoodie.bloom.index.filter.type", Some("DYNAMIC_V0"),
    Seq("SIMPLE", "DYNAMIC_V0"), "Bloom filter of a new file: of fixed size, or growing with the keys up to a bound.")

  val BloomMaxEntries: ConfigKey[Int] = ConfigKey.int("hoodie.bloom.index.filter.dynamic.max.entries", 100000,
    "Keys up to which a DYNAMIC_V0 filter grows; more keys raise its share of false answers.", 1, "keys")

  val CombineBeforeUpsert: ConfigKey[Boolean] = ConfigKey.flag("hoodie.combine.before.upsert", default = true,
    "Rows of one upsert or delete with the same key are reduced to the newest one, and so are the new rows of one " +
      "MERGE that have a key and a partition in common.")

  val CombineBeforeInsert: ConfigKey[Boolean] = ConfigKey.flag("hoodie.combine.before.insert", default = false,
    "Rows of one insert with the same key are reduced to the newest one.")

  val SortMode: ConfigKey[String] = ConfigKey.choice("hoodie.bulkinsert.sort.mode", Some("NONE"),
    Seq("NONE", "PARTITION_SORT", "GLOBAL_SORT", "PARTITION_PATH_REPARTITION", "PARTITION_PATH_REPARTITION_AND_SORT"),
    "Order in which `bulk_insert` deals rows out to files: as they come, sorted within each task, sorted as a whole, or " +
      "each partition's rows together, so that it gets few files.")

  val MaxFileSize: ConfigKey[Long] = ConfigKey.long("hoodie.parquet.max.file.size", 120 * MiB,
    "Size at which a new base file is begun.", 1, "bytes")

  val SmallFileLimit: ConfigKey[Long] = ConfigKey.long("hoodie.parquet.small.file.limit", 100 * MiB,
    "Inserts go to base files smaller than this before new files are begun; 0 = always new files.", 0, "bytes")

  val SmallGroups: ConfigKey[Int] = ConfigKey.int("hoodie.merge.small.file.group.candidates.limit", 1,
    "Of a merge-on-read table: file groups of a partition that take the inserts of one write, each by a rewrite of its " +
      "base file; only groups without log files do.",
    0, "file groups")

  val LogBlockFormat: ConfigKey[String] = ConfigKey.choice("hoodie.logfile.data.block.format", Some("avro"),
    Seq("avro", "parquet"), "How rows are stored in the log files of a merge-on-read table.")

  val LogBlockSize: ConfigKey[Long] = ConfigKey.long("hoodie.logfile.data.block.max.size", 64 * MiB,
    "Size at which a block of a log file is finished; a task holds as much in memory.", 1, "bytes")

  val LogFileSize: ConfigKey[Long] = ConfigKey.long("hoodie.logfile.max.size", 1024 * MiB,
    "Size at which a task goes on in another log file.", 1, "bytes")

  val RecordPositions: ConfigKey[Boolean] = ConfigKey.flag("hoodie.write.record.positions", default = true,
    "Blocks of log files say which rows of the base file they replace; readers then need not compare keys. Where no " +
      "lookup has told, as with BUCKET, the write reads the record keys of base files in their place. Tables of " +
      "version 6 have no place for it.")

  val PartialUpdates: ConfigKey[Boolean] = ConfigKey.flag("hoodie.spark.sql.merge.into.partial.updates",
    default = false,
    "An UPDATE or MERGE writes to the logs of a merge-on-read table only the columns that it sets, from version 8 " +
      "on. The logs are smaller, and docs/format.md says what becomes of rows that come late or come back.")

  val RecordSizeEstimate: ConfigKey[Int] = ConfigKey.int("hoodie.copyonwrite.record.size.estimate", 1024,
    "Size of a row when no earlier commit tells.", 1, "bytes")

  val RecordSizeThreshold: ConfigKey[Double] = ConfigKey.double("hoodie.record.size.estimation.threshold", 1.0,
    "The size of a row is taken from the newest commit that wrote more than this share of the small-file limit.",
    _ >= 0, "0 or more")

  private def parallelism(operation: String): ConfigKey[Int] = ConfigKey.int(s"hoodie.$operation.shuffle.parallelism",
    0,
    s"Tasks of the shuffle of `${operation.replace("bulkinsert", "bulk_insert")}`; 0 = Spark decides by the data's size.",
    0, "tasks")

  val UpsertParallelism: ConfigKey[Int] = parallelism("upsert")
  val InsertParallelism: ConfigKey[Int] = parallelism("insert")
  val BulkInsertParallelism: ConfigKey[Int] = parallelism("bulkinsert")
  val DeleteParallelism: ConfigKey[Int] = parallelism("delete")

  val CompressionCodec: ConfigKey[String] = ConfigKey.choice("hoodie.parquet.compression.codec", Some("zstd"),
    Seq("zstd", "snappy", "gzip", "lz4_raw", "uncompressed"),
    "Compression of new base files. Hadoop's parquet.compression.codec.zstd.level is 1 unless set otherwise.")

  val BlockSize: ConfigKey[Long] = ConfigKey.long("hoodie.parquet.block.size", 16 * MiB,
    "Size of a row group; its pages count as they are compressed.", 1, "bytes")

  val PageSize: ConfigKey[Int] = ConfigKey.int("hoodie.parquet.page.size", 1024 * 1024, "Size of a page.", 1, "bytes")

  val MetadataStrict: ConfigKey[String] = ConfigKey.choice("hoodie.metadata.strict", Some("indexes"),
    Seq("indexes", "true", "false"),
    "Which metadata tables keep a table from being written, of those that hudilite does not keep up. indexes: those with a " +
      "record, secondary or expression index; another one is dropped first, and Apache Hudi builds it again with its " +
      "next write. true: all. false: none, each is dropped.")

  val MetadataDeltas: ConfigKey[Int] = ConfigKey.int("hoodie.metadata.compact.max.delta.commits", 10,
    "Writes of the metadata table after which the next write of the table compacts it.", 1, "writes")

  val LockWaitMs: ConfigKey[Long] = ConfigKey.long("hoodie.write.lock.wait_time_ms", 60000L,
    "Time that a commit waits for the table lock.", 0, "milliseconds")

  val FailedWritesPolicy: ConfigKey[String] = ConfigKey.choice("hoodie.clean.failed.writes.policy", Some("LAZY"),
    Seq("EAGER", "LAZY", "NEVER"),
    "What happens to a pending write of another program before this one begins. LAZY: it is rolled back when its " +
      "heartbeat has expired, or when it was announced that long ago and never began; otherwise this write is refused. " +
      "EAGER: it is rolled back, dead or not. NEVER: it is left as it is; Apache Hudi may then refuse its own next write.",
    Seq("hoodie.cleaner.policy.failed.writes"))

  val Application: ConfigKey[String] = ConfigKey("txnAppId", None,
    "With `txnVersion`, the application that writes, by a name that stays. A write whose version the table has seen of " +
      "it is skipped, so that `foreachBatch` may repeat a batch. In a session's settings the two hold for statements.",
    (s: String) => if (s.isEmpty) throw new IllegalArgumentException("it must be a name") else s)

  val ApplicationVersion: ConfigKey[Long] = ConfigKey("txnVersion", None,
    "Number of this write of the application, greater than those before, such as the id of a batch. Every commit of " +
      "hudilite carries the greatest of each application on.",
    (s: String) =>
      try s.toLong
      catch { case _: NumberFormatException => throw new IllegalArgumentException("it must be a whole number") },
    valueType = "long")

  val NotesPrefix: ConfigKey[String] = ConfigKey.text("hoodie.datasource.write.commitmeta.key.prefix", Some("_"),
    "Options whose names begin so are no options, but entries of the commit's extra metadata, which `history` shows.")

  /** Numbers of buckets by partition. */
  val ofPartitions: Seq[ConfigKey[_]] = Seq(BucketsInPartitions, BucketRuleType)

  /** Upkeep of metadata tables. */
  val ofMetadata: Seq[ConfigKey[_]] = Seq(MetadataDeltas)

  val AmongOthers: ConfigKey[Boolean] = ConfigKey.flag("hudilite.among.other.files", default = false,
    "A new table may be made in a folder that holds other files, which none of its reads shows.")

  /** Inserts by statements, inserts of keys that are there, and updates by statements. */
  val ofStatements: Seq[ConfigKey[_]] =
    Seq(InsertInto, BulkInsertSql, InsertMode, DuplicatePolicy, DropDuplicates, PartialUpdates)

  /** Options that deal keys to buckets. */
  val OfBuckets: Seq[ConfigKey[_]] =
    Seq(IndexType, Buckets, BucketHashFields, BucketEngine) ++ ofPartitions

  val all: Seq[ConfigKey[_]] = Seq(Operation, PartitionsToDelete, ReplaceWhere, OverwriteMode, MergeSchema,
    NullForMissing, TimesAsTexts, IndexType, Buckets, BucketHashFields, BucketEngine,
    BloomUpdatePartition,
    SimpleUpdatePartition, RecordUpdatePartition,
    PruneByRanges, BloomEntries, BloomFpp, BloomType, BloomMaxEntries, CombineBeforeUpsert, CombineBeforeInsert,
    SortMode, MaxFileSize, SmallFileLimit, SmallGroups, LogBlockFormat, LogBlockSize, LogFileSize, RecordPositions,
    RecordSizeEstimate,
    RecordSizeThreshold, UpsertParallelism,
    InsertParallelism, BulkInsertParallelism, DeleteParallelism, CompressionCodec, BlockSize, PageSize, MetadataStrict,
    LockWaitMs, FailedWritesPolicy, Application, ApplicationVersion, NotesPrefix)
}

package io.hudilite.sync

import io.hudilite.config.key.ConfigKey

/** Options of a write that keeps the names of its table in the session's catalog up. */
object SyncOptions {

  private val Of = "hoodie.datasource.hive_sync"

  val Hive: ConfigKey[Boolean] = ConfigKey.flag(s"$Of.enable", default = false,
    "After a write, register the table in the session's catalog, with its columns and partitions, and keep these up.")

  val Meta: ConfigKey[Boolean] =
    ConfigKey.flag("hoodie.datasource.meta.sync.enable", default = false,
      s"As $Of.enable, by Hudi's newer name.")

  val Tools: ConfigKey[Seq[String]] = ConfigKey.list("hoodie.meta.sync.client.tool.class",
    "Hudi's class that registers the table: org.apache.hudi.hive.HiveSyncTool, for which the session's catalog stands.")

  val Mode: ConfigKey[String] = ConfigKey.text(s"$Of.mode", None,
    "How a metastore is reached: hms, for which the session's catalog stands. jdbc and hiveql are refused.")

  val UsesJdbc: ConfigKey[String] =
    ConfigKey.text(s"$Of.use_jdbc", None, "Refused where it is true and no mode is set.")

  val JdbcUrl: ConfigKey[String] = ConfigKey.text(s"$Of.jdbcurl", None, "Refused, unless the mode is hms.")

  val Uris: ConfigKey[String] = ConfigKey.text(s"$Of.metastore.uris", None,
    "The metastore. It must be the one of the session, hive.metastore.uris.")

  val Database: ConfigKey[String] = ConfigKey.text(s"$Of.database", None,
    "Database of the names. Without it the database that the table names, else default.")

  val Table: ConfigKey[String] = ConfigKey.text(s"$Of.table", None,
    "The name. Without it that of the table. A merge-on-read table has the names `<name>_ro` and `<name>_rt`, too.")

  val CreatesDatabase: ConfigKey[Boolean] = ConfigKey.flag(s"$Of.auto_create_database", default = true,
    "Make the database where it is missing.")

  val IgnoresErrors: ConfigKey[Boolean] = ConfigKey("hoodie.datasource.hive_sync.ignore_exceptions", None,
    "Without it, and with `true`, a warning says why names are not up to date. With `false` the write ends with an error; " +
      "its commit stays.",
    ConfigKey.flag(s"$Of.ignore_exceptions", default = false, "").parse, valueType = "boolean")

  val PartitionFields: ConfigKey[Seq[String]] = ConfigKey.list(s"$Of.partition_fields",
    "Partition columns of the names. Without it those of the table.")

  val ExtractorClass: ConfigKey[String] = ConfigKey.text(s"$Of.partition_extractor_class", None,
    "Hudi's class that takes the values of a partition from its path: NonPartitionedExtractor, " +
      "SinglePartPartitionValueExtractor, HiveStylePartitionValueExtractor, MultiPartKeysValueExtractor, " +
      "SlashEncodedDayPartitionValueExtractor or SlashEncodedHourPartitionValueExtractor. Without it, the one that fits the " +
      "partition columns.")

  val Decodes: ConfigKey[Boolean] = ConfigKey("hoodie.meta.sync.decode_partition", None,
    "In paths `%XX` stands for a character. Without it as the table writes its paths.",
    ConfigKey.flag("hoodie.meta.sync.decode_partition", default = false, "").parse, valueType = "boolean")

  val SkipsSuffix: ConfigKey[Boolean] = ConfigKey.flag(s"$Of.skip_ro_suffix", default = false,
    "The name of a merge-on-read table without a suffix reads base files alone.")

  val Strategy: ConfigKey[String] = ConfigKey.choice(s"$Of.table.strategy", Some("ALL"), Seq("ALL", "RO", "RT"),
    "Names of a merge-on-read table. RO: one name, which reads base files alone; RT: one name, which reads all rows.")

  val SnapshotByName: ConfigKey[Boolean] = ConfigKey.flag("hoodie.meta.sync.sync_snapshot_with_table_name",
    default = true, "With ALL, the name without a suffix is registered as well, and reads all rows.")

  val Comments: ConfigKey[Boolean] =
    ConfigKey.flag(s"$Of.sync_comment", default = false, "Register the comments of columns.")

  val OmitsMeta: ConfigKey[Boolean] =
    ConfigKey.flag(s"$Of.omit_metadata_fields", default = false, "Register no meta columns.")

  val TableProperties: ConfigKey[String] =
    ConfigKey.text(s"$Of.table_properties", Some(""), "Properties of the names, one `key=value` a line.")

  val SerdeProperties: ConfigKey[String] =
    ConfigKey.text(s"$Of.serde_properties", Some(""), "Properties of their serde, one `key=value` a line.")

  val SchemaLength: ConfigKey[Int] = ConfigKey.int(s"$Of.schema_string_length_thresh", 4000,
    "Length of a property in a Hive metastore; longer schemas are several.", 1, "letters")

  val Batch: ConfigKey[Int] =
    ConfigKey.int(s"$Of.batch_num", 1000, "Partitions that are sent at once.", 1, "partitions")

  val Incremental: ConfigKey[Boolean] = ConfigKey.flag("hoodie.meta.sync.incremental", default = true,
    "Look only at partitions that commits since the last time name; with `false` at all.")

  val OnChange: ConfigKey[Boolean] = ConfigKey.flag("hoodie.datasource.meta_sync.condition.sync", default = false,
    "Write the instant of the last commit to the entry only where columns or partitions have changed.")

  /** Options that have one value only here, and the reason. */
  private[sync] val fixed: Seq[(ConfigKey[String], String, String)] = Seq(
    ("base_file_format", "PARQUET", "base files are Parquet"),
    ("support_timestamp", "true", "timestamps are registered as timestamps"),
    ("sync_as_datasource", "true", "Spark reads the names, too"),
    ("create_managed_table", "false", "the files would go with the name; CREATE TABLE makes such a table"),
    ("bucket_sync", "false", "Hive's buckets are others than Hudi's"),
    ("use_pre_apache_input_format", "false", "such readers are too old"),
    ("recreate_table_on_error", "false", "no name is taken away; drop it")).map { case (name, value, reason) =>
    (ConfigKey.text(s"$Of.$name", None, s"Only `$value`: $reason."), value, reason)
  }

  val all: Seq[ConfigKey[_]] = Seq(Hive, Meta, Tools, Mode, UsesJdbc, JdbcUrl, Uris, Database, Table, CreatesDatabase,
    IgnoresErrors, PartitionFields, ExtractorClass, Decodes, SkipsSuffix, Strategy, SnapshotByName, Comments, OmitsMeta,
    TableProperties, SerdeProperties, SchemaLength, Batch, Incremental, OnChange) ++ fixed.map(_._1)
}

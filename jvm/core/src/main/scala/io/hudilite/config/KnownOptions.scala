package io.hudilite.config

/** An option of Hudi's that hudilite does not act on.
  *
  * @param harmless
  *   values, in lower case, with which ignoring it changes nothing
  */
final case class RefusedOption(name: String, harmless: Seq[String], reason: String)

/** Options that Hudi knows and hudilite does not document: accepted where ignoring them loses nothing, else refused. */
private[config] object KnownOptions {

  /** Names that are accepted and have no effect. */
  val Accepted: Set[String] = Set(
    "hoodie.allow.empty.commit", "hoodie.bloom.index.bucketized.checking", "hoodie.bloom.index.input.storage.level",
    "hoodie.bloom.index.keys.per.bucket", "hoodie.bloom.index.parallelism", "hoodie.bloom.index.use.caching",
    "hoodie.bloom.index.use.metadata", "hoodie.bloom.index.use.treebased.filter",
    "hoodie.bloom.index.fileid.key.sorting.enable", "hoodie.combine.before.delete",
    "hoodie.copyonwrite.insert.auto.split", "hoodie.copyonwrite.insert.split.size", "hoodie.base.path",
    "hoodie.datasource.compaction.async.enable", "hoodie.datasource.overwrite.mode",
    "hoodie.datasource.write.row.writer.enable", "hoodie.datasource.write.partitionpath.field.default",
    "hoodie.datasource.read.file.index.listing.mode", "hoodie.datasource.read.use.new.parquet.file.format",
    "hoodie.datasource.merge.type", "hoodie.enable.data.skipping", "hoodie.fail.on.timeline.archiving",
    "hoodie.file.index.enable", "hoodie.finalize.write.parallelism", "hoodie.global.simple.index.parallelism",
    "hoodie.insert.write.buffer.limit.bytes", "hoodie.mergehandle.old.record.dictionary.enabled",
    "hoodie.parquet.bloom.filter.enabled", "hoodie.parquet.compression.ratio", "hoodie.parquet.dictionary.enabled",
    "hoodie.parquet.outputtimestamptype", "hoodie.parquet.writelegacyformat.enabled",
    "hoodie.parquet.field_id.write.enabled", "hoodie.read.timeline.holes.resolution.policy",
    "hoodie.record.size.estimation.max.commits", "hoodie.record.size.estimator.class",
    "hoodie.record.size.estimator.max.commits", "hoodie.release.resource.on.completion.enable",
    "hoodie.simple.index.input.storage.level", "hoodie.simple.index.parallelism", "hoodie.simple.index.use.caching",
    "hoodie.timeline.layout.version", "hoodie.timeline.path", "hoodie.timeline.history.path",
    "hoodie.table.partition_extractor_class", "hoodie.table.initial.version", "hoodie.table.checksum",
    "hoodie.upsert.rollback.parallelism", "hoodie.write.auto.upgrade", "hoodie.write.buffer.limit.bytes",
    "hoodie.write.buffer.record.cache.limit", "hoodie.write.buffer.record.sampling.rate",
    "hoodie.write.executor.type", "hoodie.write.markers.type", "hoodie.write.num.retries.on.conflict.failures",
    "hoodie.write.status.storage.level", "hoodie.writestatus.class", "hoodie.spark.sql.merge.into.partial.updates",
    "hoodie.spark.sql.optimized.writes.enable", "hoodie.write.complex.keygen.new.encoding",
    "hoodie.write.complex.keygen.validation.enable", "hoodie.avro.schema.validate", "hoodie.archivelog.folder")

  /** Families of names that are accepted and have no effect. */
  val AcceptedPrefixes: Seq[String] = Seq(
    "hoodie.archive.", "hoodie.async.", "hoodie.aws.", "hoodie.bucket.index.", "hoodie.clean.", "hoodie.cleaner.",
    "hoodie.client.", "hoodie.clustering.", "hoodie.compact.", "hoodie.compaction.", "hoodie.commits.archival.", "hoodie.common.", "hoodie.consistency.check.", "hoodie.cleanup.",
    "hoodie.datasource.hive_sync.", "hoodie.datasource.meta.sync.", "hoodie.embed.timeline.server",
    "hoodie.filesystem.", "hoodie.gcp.", "hoodie.hfile.", "hoodie.keep.", "hoodie.logfile.", "hoodie.markers.",
    "hoodie.max.", "hoodie.memory.", "hoodie.meta.sync.", "hoodie.meta_sync.", "hoodie.metadata.", "hoodie.metrics.",
    "hoodie.orc.", "hoodie.payload.", "hoodie.rollback.", "hoodie.table.metadata.", "hoodie.timeline.server.",
    "hoodie.write.lock.")

  private val Off = Seq("false")

  /** Names whose meaning would be lost; accepted only with a harmless value. */
  val Refused: Seq[RefusedOption] = Seq(
    RefusedOption("hoodie.allow.operation.metadata.field", Off, "rows do not carry their change type"),
    RefusedOption("hoodie.auto.commit", Seq("true"), "every write commits"),
    RefusedOption("hoodie.clustering.async.enabled", Off, "hudilite does not cluster"),
    RefusedOption("hoodie.clustering.inline", Off, "hudilite does not cluster"),
    RefusedOption("hoodie.clustering.schedule.inline", Off, "hudilite does not cluster"),
    RefusedOption("hoodie.compact.inline", Off, "hudilite does not compact"),
    RefusedOption("hoodie.compact.schedule.inline", Off, "hudilite does not compact"),
    RefusedOption("hoodie.datasource.insert.dup.policy", Seq("none"), "insert does not look keys up; use upsert"),
    RefusedOption("hoodie.datasource.query.incremental.format", Seq("latest_state"), "change records are not read"),
    RefusedOption("hoodie.datasource.read.incr.fallback.fulltablescan.enable", Off, "an incremental read never scans it all"),
    RefusedOption("hoodie.datasource.read.incr.filters", Seq(""), "filter the DataFrame instead"),
    RefusedOption("hoodie.datasource.read.incr.path.glob", Seq(""), "filter on the partition columns instead"),
    RefusedOption("hoodie.datasource.write.drop.partition.columns", Off, "partition columns stay in the files"),
    RefusedOption("hoodie.datasource.write.insert.drop.duplicates", Off, "insert does not look keys up; use upsert"),
    RefusedOption("hoodie.datasource.write.keygenerator.consistent.logical.timestamp.enabled", Off,
      "timestamps in keys are spelled as Hudi's row writer does"),
    RefusedOption("hoodie.datasource.write.reconcile.schema", Off, "the rows' own schema is used"),
    RefusedOption(TableKeys.SlashSeparatedDates, Off, "partition paths keep the value's own spelling"),
    RefusedOption("hoodie.keygen.datetime.parser.class", Seq("org.apache.hudi.keygen.parser.hoodiedatetimeparser"),
      "only Hudi's own date parser is supported"),
    RefusedOption("hoodie.keygen.timebased.input.dateformat.list.delimiter.regex", Seq(","),
      "date formats are separated by commas"),
    RefusedOption("hoodie.merge.allow.duplicate.on.inserts", Seq("true"), "insert does not look keys up; use upsert"),
    RefusedOption(TableKeys.PopulateMetaFields, Seq("true"), "every row is written with its key"),
    RefusedOption("hoodie.schema.on.read.enable", Off, "columns are matched by name"),
    RefusedOption("hoodie.spark.sql.insert.into.operation", Seq("insert"), "choose hoodie.datasource.write.operation"),
    RefusedOption("hoodie.sql.insert.mode", Seq("upsert", "non-strict"), "insert does not look keys up"),
    RefusedOption("hoodie.sql.bulk.insert.enable", Off, "choose hoodie.datasource.write.operation"),
    RefusedOption(TableKeys.BaseFileFormat, Seq("parquet"), "base files are Parquet"),
    RefusedOption("hoodie.base.file.format", Seq("parquet"), "base files are Parquet"),
    RefusedOption(TableKeys.CdcEnabled, Off, "change records are not written"),
    RefusedOption(TableKeys.TableFormat, Seq("native"), "only Hudi's own table format is written"),
    RefusedOption(TableKeys.PartialUpdateMode, Seq(""), "an update replaces the whole row"),
    RefusedOption(TableKeys.TimelineZone, Seq("utc"), "new tables keep their instants in UTC"),
    RefusedOption("hoodie.write.record.merge.custom.implementation.classes", Seq(""), "its merge rule is not known"),
    RefusedOption("hoodie.write.set.null.for.missing.columns", Off, "give all columns of the table"))

  /** Spellings of the payload class, which must stand for a merge mode. */
  val PayloadNames: Seq[String] = Seq("hoodie.datasource.write.payload.class", TableKeys.PayloadClass)

  /** Spellings of the merge strategy, which must be that of a merge mode. */
  val StrategyNames: Seq[String] =
    Seq("hoodie.write.record.merge.strategy.id", TableKeys.StrategyId, TableKeys.OldStrategyId)

  val ConcurrencyMode = "hoodie.write.concurrency.mode"
  val LockProvider = "hoodie.write.lock.provider"
}

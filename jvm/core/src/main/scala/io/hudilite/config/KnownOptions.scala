package io.hudilite.config

import io.hudilite.config.service.ClusteringOptions

import java.util.Locale

/** An option of Hudi's that hudilite does not act on.
  *
  * @param harmless
  *   values, in lower case, with which ignoring it changes nothing
  */
final case class RefusedOption(name: String, harmless: Seq[String], reason: String)

/** Options that Hudi knows and hudilite does not document: accepted where ignoring them loses nothing, else refused. */
private[config] object KnownOptions {

  /** What Spark itself adds to the options of a read or write, in lower case: only the argument of `load` and `save`
    * (seen on 3.5.9, 4.0.1 and 4.3.0).
    */
  val OfSpark: Set[String] = Set("path")

  /** Options of other formats, and Hudi's names in SQL, in lower case, and what does their work here. */
  val InPlaceOf: Map[String, String] = Map(
    "primarykey" -> TableOptions.RecordKeyFields.name,
    "precombinefield" -> TableOptions.OrderingFields.name,
    "compression" -> WriteOptions.CompressionCodec.name,
    "overwrite-mode" -> WriteOptions.OverwriteMode.name,
    "overwriteschema" -> WriteOptions.MergeSchema.name,
    "merge-schema" -> WriteOptions.MergeSchema.name,
    "snapshot-id" -> ReadOptions.VersionAsOf.name,
    "as-of-timestamp" -> ReadOptions.TimestampAsOf.name,
    "startingversion" -> ReadOptions.BeginInstant.name,
    "startingtimestamp" -> ReadOptions.BeginInstant.name)

  /** Names that are accepted and have no effect. */
  val Accepted: Set[String] = Set(
    "hoodie.allow.multi.write.on.same.instant", "hoodie.archivelog.folder",
    "hoodie.auto.adjust.lock.configs", "hoodie.avro.schema.validate", "hoodie.avro.write.support.class",
    "hoodie.base.path", "hoodie.clean.allow.multiple", "hoodie.clean.async", "hoodie.clean.async.enabled",
    "hoodie.clean.delete.bootstrap.base.file", "hoodie.clean.multiple.enabled", "hoodie.clean.parallelism",
    "hoodie.clean.trigger.strategy", "hoodie.cleaner.delete.bootstrap.base.file", "hoodie.cleaner.parallelism",
    "hoodie.block.writes.on.speculative.execution", "hoodie.bloom.index.bucketized.checking",
    "hoodie.bloom.index.bucketized.checking.enable.dynamic.parallelism",
    "hoodie.bloom.index.fileid.key.sorting.enable", "hoodie.bloom.index.input.storage.level",
    "hoodie.bloom.index.keys.per.bucket", "hoodie.bloom.index.parallelism", "hoodie.bloom.index.use.caching",
    "hoodie.bloom.index.use.metadata", "hoodie.bloom.index.use.treebased.filter",
    "hoodie.bucket.index.max.num.buckets", "hoodie.bucket.index.merge.threshold",
    "hoodie.bucket.index.min.num.buckets", "hoodie.bucket.index.partition.rule.type",
    "hoodie.bucket.index.query.pruning", "hoodie.bucket.index.remote.partitioner.enable",
    "hoodie.bucket.index.split.threshold",
    "hoodie.bulkinsert.are.partitioner.records.sorted", "hoodie.combine.before.delete",
    "hoodie.clustering.async.max.commits", "hoodie.clustering.group.read.parallelism",
    "hoodie.clustering.max.parallelism",
    "hoodie.compact.merge.handle.class", "hoodie.compaction.lazy.block.read",
    "hoodie.compaction.preserve.commit.metadata", "hoodie.compaction.reverse.log.read",
    "hoodie.copyonwrite.insert.auto.split", "hoodie.copyonwrite.insert.split.size",
    "hoodie.datasource.compaction.async.enable", "hoodie.datasource.merge.type",
    "hoodie.datasource.meta_sync.condition.sync",
    "hoodie.datasource.partition_extractor_class", "hoodie.datasource.read.create.filesystem.relation",
    "hoodie.datasource.read.file.index.list.partitions.from.catalog",
    "hoodie.datasource.read.file.index.listing.mode", "hoodie.datasource.read.file.index.listing.partition",
    "hoodie.datasource.read.file.index.optimize.listing.using.path.filter",
    "hoodie.datasource.read.incr.skip_cluster", "hoodie.datasource.read.incr.skip_compact",
    "hoodie.datasource.read.partition.value.extractor.enabled",
    "hoodie.datasource.read.use.new.parquet.file.format", "hoodie.datasource.write.partitionpath.field.default",
    "hoodie.datasource.write.row.writer.enable", "hoodie.datasource.write.streaming.checkpoint.identifier",
    "hoodie.datasource.write.streaming.disable.compaction", "hoodie.datasource.write.streaming.retry.count",
    "hoodie.datasource.write.streaming.retry.interval.ms", "hoodie.enable.data.skipping",
    "hoodie.fail.job.on.duplicate.data.file.detection", "hoodie.fail.on.timeline.archiving",
    "hoodie.fail.writes.on.inline.table.service.exception", "hoodie.file.group.reader.enabled",
    "hoodie.file.index.enable", "hoodie.file.listing.parallelism", "hoodie.finalize.write.parallelism",
    "hoodie.global.index.reconcile.parallelism", "hoodie.global.simple.index.parallelism",
    "hoodie.insert.write.buffer.limit.bytes", "hoodie.io.factory.class",
    "hoodie.layout.optimize.build.curve.sample.size", "hoodie.layout.optimize.curve.build.method",
    "hoodie.layout.optimize.curve.optimize.sample.number", "hoodie.layout.optimize.data.skipping.enable",
    "hoodie.logfile.to.parquet.compression.ratio",
    "hoodie.merge.use.record.positions",
    "hoodie.mergehandle.old.record.dictionary.enabled", "hoodie.parquet.bloom.filter.enabled",
    "hoodie.parquet.compression.ratio", "hoodie.parquet.dictionary.enabled",
    "hoodie.parquet.field_id.write.enabled", "hoodie.parquet.outputtimestamptype",
    "hoodie.parquet.spark.row.write.support.class", "hoodie.parquet.write.utc",
    "hoodie.parquet.writelegacyformat.enabled", "hoodie.post.commit.failures.ignored",
    "hoodie.prewrite.cleaner.policy", "hoodie.read.timeline.holes.resolution.policy",
    "hoodie.record.size.estimation.max.commits", "hoodie.record.size.estimator.average.metadata.size",
    "hoodie.record.size.estimator.class", "hoodie.record.size.estimator.max.commits",
    "hoodie.release.resource.on.completion.enable", "hoodie.schema.on.read.enable", "hoodie.sensitive.config.keys",
    "hoodie.simple.index.input.storage.level", "hoodie.simple.index.parallelism", "hoodie.simple.index.use.caching",
    "hoodie.skip.default.partition.validation", "hoodie.spark.sql.merge.into.partial.updates",
    "hoodie.spark.sql.optimized.writes.enable", "hoodie.storage.class",
    "hoodie.table.cdc.supplemental.logging.mode", "hoodie.table.checksum", "hoodie.table.index.defs.path",
    "hoodie.table.initial.version", "hoodie.table.log.file.format", "hoodie.table.partition_extractor_class",
    "hoodie.table.services.incremental.enabled", "hoodie.timeline.history.path",
    "hoodie.timeline.layout.version", "hoodie.timeline.manifest.retained.versions", "hoodie.timeline.path",
    "hoodie.upsert.rollback.parallelism", "hoodie.write.application.id", "hoodie.write.auto.upgrade",
    "hoodie.write.buffer.limit.bytes", "hoodie.write.buffer.record.cache.limit",
    "hoodie.write.buffer.record.sampling.rate", "hoodie.write.can.ignore.post.commit.failures",
    "hoodie.write.complex.keygen.new.encoding", "hoodie.write.complex.keygen.validation.enable",
    "hoodie.write.concat.handle.class", "hoodie.write.conflict.resolution.strategy",
    "hoodie.write.empty.clean.interval.hours", "hoodie.write.executor.type", "hoodie.write.markers.type",
    "hoodie.write.merge.handle.class", "hoodie.write.merge.handle.fallback",
    "hoodie.write.num.retries.on.conflict.failures",
    "hoodie.write.status.storage.level", "hoodie.write.tagged.record.storage.level",
    "hoodie.write.track.event.time.watermark", "hoodie.writestatus.class")

  /** Families of names that are accepted and have no effect. */
  val AcceptedPrefixes: Seq[String] = Seq(
    "hoodie.archive.", "hoodie.async.", "hoodie.aws.", "hoodie.bootstrap.", "hoodie.cdc.",
    "hoodie.cleanup.", "hoodie.client.",
    "hoodie.commits.archival.", "hoodie.common.", "hoodie.consistency.check.", "hoodie.datasource.hive_sync.",
    "hoodie.datasource.meta.sync.", "hoodie.deltastreamer.", "hoodie.embed.timeline.server", "hoodie.errortable.",
    "hoodie.expression.index.", "hoodie.file.index.cache.", "hoodie.filesystem.", "hoodie.fs.", "hoodie.gcp.",
    "hoodie.hfile.", "hoodie.lance.", "hoodie.markers.", "hoodie.max.",
    "hoodie.memory.", "hoodie.meta.sync.", "hoodie.meta_sync.", "hoodie.metadata.", "hoodie.metaserver.",
    "hoodie.metrics.", "hoodie.optimistic.consistency.", "hoodie.orc.", "hoodie.payload.",
    "hoodie.precommit.validators.", "hoodie.record.index.", "hoodie.rollback.", "hoodie.streamer.",
    "hoodie.table.metadata.", "hoodie.table.service.manager.", "hoodie.time.generator.",
    "hoodie.timeline.compaction.", "hoodie.timeline.server.", "hoodie.write.commit.callback.",
    "hoodie.write.concurrency.", "hoodie.write.executor.", "hoodie.write.lock.", "hoodie.write.rolling.metadata.")

  private val Off = Seq("false")
  private val Empty = Seq("")
  private val DateParser = Seq("org.apache.hudi.keygen.parser.hoodiedatetimeparser")
  private val Mergers =
    Seq("org.apache.hudi.common.model.hoodieavrorecordmerger", "org.apache.hudi.defaultsparkrecordmerger")

  /** Names whose meaning would be lost; accepted only with a harmless value. */
  val Refused: Seq[RefusedOption] = Seq(
    RefusedOption("hoodie.allow.empty.commit", Seq("true"), "a write of no rows is a commit, too"),
    RefusedOption("hoodie.allow.operation.metadata.field", Off, "rows do not carry their change type"),
    RefusedOption("hoodie.auto.commit", Seq("true"), "every write commits"),
    RefusedOption("hoodie.avro.schema", Empty, "the rows' own schema is used"),
    RefusedOption("hoodie.base.file.format", Seq("parquet"), "base files are Parquet"),
    RefusedOption("hoodie.bucket.index.partition.expressions", Empty, "every partition has as many buckets"),
    RefusedOption("hoodie.bulkinsert.user.defined.partitioner.class", Empty, "choose hoodie.bulkinsert.sort.mode"),
    RefusedOption("hoodie.bulkinsert.user.defined.partitioner.sort.columns", Empty,
      "choose hoodie.bulkinsert.sort.mode"),
    RefusedOption("hoodie.clustering.async.enabled", Off, "clusterings run inline, or when they are called"),
    RefusedOption("hoodie.clustering.execution.strategy.class",
      Empty ++ ClusteringOptions.Executions.map(name =>
        s"org.apache.hudi.client.clustering.run.strategy.$name".toLowerCase(Locale.ROOT)),
      "only clusterings that sort and put together are known"),
    RefusedOption("hoodie.clustering.plan.strategy.single.group.clustering.enabled", Seq("true", "false"),
      "a single file is written again only to be sorted"),
    RefusedOption("hoodie.clustering.preserve.commit.metadata", Seq("true"), "rows keep their commit times"),
    RefusedOption("hoodie.clustering.rollback.pending.replacecommit.on.conflict", Off,
      "a write does not take a planned clustering back"),
    RefusedOption("hoodie.clustering.schedule.inline", Off, "call schedule_clustering()"),
    RefusedOption("hoodie.clustering.updates.strategy",
      Seq("org.apache.hudi.client.clustering.update.strategy.sparkrejectupdatestrategy"),
      s"a program that runs the plan later, such as Apache Hudi, would leave out what was written since; set " +
        s"${ClusteringOptions.WaitMs.name} for writes that wait"),
    RefusedOption("hoodie.compaction.partition.path.regex", Empty, "choose hoodie.compaction.strategy"),
    RefusedOption("hoodie.compaction.plan.generator",
      Seq("org.apache.hudi.table.action.compact.plan.generators.hoodiecompactionplangenerator"),
      "choose hoodie.compaction.strategy"),
    RefusedOption("hoodie.datasource.clustering.async.enable", Off, "clusterings run inline, or when they are called"),
    RefusedOption("hoodie.datasource.clustering.inline.enable", Off, "choose hoodie.clustering.inline"),
    RefusedOption("hoodie.datasource.insert.dup.policy", Seq("none"), "insert does not look keys up; use upsert"),
    RefusedOption("hoodie.datasource.query.incremental.format", Seq("latest_state"), "change records are not read"),
    RefusedOption("hoodie.datasource.read.extract.partition.values.from.path", Off,
      "they do where a path tells them"),
    RefusedOption("hoodie.datasource.read.incr.filters", Empty, "filter the DataFrame instead"),
    RefusedOption("hoodie.datasource.read.incr.path.glob", Empty, "filter on the partition columns instead"),
    RefusedOption("hoodie.datasource.read.paths", Empty, "read one table at a time"),
    RefusedOption("hoodie.datasource.read.schema.use.end.instanttime", Off, "the newest schema is used"),
    RefusedOption("hoodie.datasource.write.commitmeta.key.prefix", Seq("_"), "options are not copied into commits"),
    RefusedOption("hoodie.datasource.write.drop.partition.columns", Off, "partition columns stay in the files"),
    RefusedOption("hoodie.datasource.write.insert.drop.duplicates", Off, "insert does not look keys up; use upsert"),
    RefusedOption("hoodie.datasource.write.reconcile.schema", Off, "the rows' own schema is used"),
    RefusedOption("hoodie.datasource.write.record.merger.impls", Mergers, "its merge rule is not known"),
    RefusedOption("hoodie.datasource.write.schema.allow.auto.evolution.column.drop", Off,
      "give all columns of the table"),
    RefusedOption(TableKeys.SlashSeparatedDates, Off, "partition paths keep the value's own spelling"),
    RefusedOption("hoodie.datasource.write.streaming.ignore.failed.batch", Off, "a failed batch fails the write"),
    RefusedOption("hoodie.deltastreamer.keygen.datetime.parser.class", DateParser,
      "only Hudi's own date parser is supported"),
    RefusedOption("hoodie.deltastreamer.keygen.timebased.input.dateformat.list.delimiter.regex", Seq(","),
      "date formats are separated by commas"),
    RefusedOption("hoodie.errortable.enable", Off, "a row that cannot be written fails the write"),
    RefusedOption("hoodie.index.class", Empty, "choose hoodie.index.type"),
    RefusedOption("hoodie.keygen.datetime.parser.class", DateParser, "only Hudi's own date parser is supported"),
    RefusedOption("hoodie.keygen.timebased.input.dateformat.list.delimiter.regex", Seq(","),
      "date formats are separated by commas"),
    RefusedOption("hoodie.layout.optimize.enable", Off, "choose hoodie.layout.optimize.strategy"),
    RefusedOption("hoodie.merge.allow.duplicate.on.inserts", Seq("true"), "insert does not look keys up; use upsert"),
    RefusedOption("hoodie.metaserver.enabled", Off, "tables are found by their path"),
    RefusedOption("hoodie.parquet.write.config.injector.class", Empty, "Parquet is set by hoodie.parquet options only"),
    RefusedOption("hoodie.partition.ttl.management.strategy.type", Seq("keep_by_time"),
      "partitions go by their last write"),
    RefusedOption("hoodie.partition.ttl.strategy.class", Empty, "partitions go by their last write"),
    RefusedOption(TableKeys.PopulateMetaFields, Seq("true"), "every row is written with its key"),
    RefusedOption("hoodie.precommit.validators", Empty, "validators are not run"),
    RefusedOption("hoodie.prewrite.validators", Empty, "validators are not run"),
    RefusedOption("hoodie.spark.sql.insert.into.operation", Seq("insert"), "choose hoodie.datasource.write.operation"),
    RefusedOption("hoodie.sql.bulk.insert.enable", Off, "choose hoodie.datasource.write.operation"),
    RefusedOption("hoodie.sql.insert.mode", Seq("upsert", "non-strict"), "insert does not look keys up"),
    RefusedOption("hoodie.static.overwrite.partition.paths", Empty, "the partitions of the rows are overwritten"),
    RefusedOption("hoodie.storage.layout.type", Seq("default", "bucket"), "hoodie.index.type decides it"),
    RefusedOption(TableKeys.BaseFileFormat, Seq("parquet"), "base files are Parquet"),
    RefusedOption(TableKeys.CdcEnabled, Off, "change records are not written"),
    RefusedOption(TableKeys.TableFormat, Seq("native"), "only Hudi's own table format is written"),
    RefusedOption(TableKeys.PartialUpdateMode, Empty, "an update replaces the whole row"),
    RefusedOption("hoodie.write.commit.callback.on", Off, "callbacks are not called"),
    RefusedOption("hoodie.write.ignore.failed", Off, "a row that cannot be written fails the write"),
    RefusedOption("hoodie.write.partial.update.schema", Empty, "an update replaces the whole row"),
    RefusedOption("hoodie.write.record.merge.custom.implementation.classes", Empty, "its merge rule is not known"),
    RefusedOption("hoodie.write.schema", Empty, "the rows' own schema is used"))

  /** Spellings of the payload class, which must stand for a merge mode. */
  val PayloadNames: Seq[String] = Seq("hoodie.datasource.write.payload.class", TableKeys.PayloadClass)

  /** Spellings of the merge strategy, which must be that of a merge mode. */
  val StrategyNames: Seq[String] =
    Seq("hoodie.write.record.merge.strategy.id", "hoodie.datasource.write.record.merger.strategy",
      TableKeys.StrategyId, TableKeys.OldStrategyId)

  val ConcurrencyMode = "hoodie.write.concurrency.mode"
  val LockProvider = "hoodie.write.lock.provider"
}

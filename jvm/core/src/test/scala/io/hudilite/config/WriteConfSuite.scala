package io.hudilite.config

import io.hudilite.config.key.Setting
import io.hudilite.config.service.ServiceConf
import io.hudilite.error.InvalidInput

import munit.FunSuite

class WriteConfSuite extends FunSuite {

  private val MiB = 1024L * 1024L

  test("a write without options has the documented defaults") {
    assertEquals(
      WriteConf.of(Map.empty),
      WriteConf(
        options = Map.empty,
        operation = None,
        saysOperation = false,
        partitionsToDelete = None,
        inserts = InsertConf(None, Setting("none", isGiven = false), dropsInUpserts = false),
        overwrite = OverwriteConf(where = None, dynamic = None, preferred = None),
        columns = ColumnsConf(grow = true, fillNull = false),
        timesAsTexts = false,
        index = IndexConf(None, simpleMoves = true, bloomMoves = true, prunesByRanges = true, None, None),
        combine = CombineConf(beforeUpsert = true, beforeInsert = false),
        parallelism = ParallelismConf(0, 0, 0, 0),
        packing = PackingConf(sortsWhole = false, gathersPartitions = false, 100 * MiB, 1, 1024, 1.0),
        files = FileConf(120 * MiB, "zstd", None, None),
        bloom = BloomConf("DYNAMIC_V0", 60000, 0.000000001, 100000),
        logs = LogConf(parquet = false, 64 * MiB, 1024 * MiB, positions = true, partial = false),
        commit = CommitConf(60000, "indexes", "LAZY", amongOthers = false, None, 10),
        notes = CommitNotes.Empty,
        services = ServiceConf.of(Map.empty, fileBytes = 120 * MiB)))
  }

  test("each option of writes comes to its place, in any case and from older spellings") {
    val asked = Map(
      "HOODIE.datasource.write.operation" -> "Bulk_Insert",
      "hoodie.spark.sql.insert.into.operation" -> "UPSERT",
      "hoodie.sql.bulk.insert.enable" -> "true",
      "hoodie.datasource.insert.dup.policy" -> "Fail",
      "hoodie.datasource.insert.drop.duplicates" -> "true",
      "hoodie.datasource.write.partitions.to.delete" -> "a, b/*",
      "replaceWhere" -> " dt > 'a' ",
      "hoodie.datasource.overwrite.mode" -> "DYNAMIC",
      "mergeSchema" -> "False",
      "hoodie.write.set.null.for.missing.columns" -> "true",
      "hoodie.datasource.write.keygenerator.consistent.logical.timestamp.enabled" -> "true",
      "hoodie.index.type" -> "bucket",
      "hoodie.simple.index.update.partition.path" -> "false",
      "hoodie.bloom.index.update.partition.path" -> "false",
      "hoodie.record.index.update.partition.path" -> "true",
      "hoodie.bloom.index.prune.by.ranges" -> "false",
      "hoodie.bucket.index.num.buckets" -> "7",
      "hoodie.bucket.index.hash.field" -> "x,y",
      "hoodie.combine.before.upsert" -> "false",
      "hoodie.combine.before.insert" -> "true",
      "hoodie.bucket.index.partition.expressions" -> "p,3",
      "hoodie.bucket.index.partition.rule.type" -> "REGEX",
      "hoodie.upsert.shuffle.parallelism" -> "1",
      "hoodie.insert.shuffle.parallelism" -> "2",
      "hoodie.bulkinsert.shuffle.parallelism" -> "3",
      "hoodie.delete.shuffle.parallelism" -> "4",
      "hoodie.bulkinsert.sort.mode" -> "global_sort",
      "hoodie.parquet.small.file.limit" -> "5",
      "hoodie.merge.small.file.group.candidates.limit" -> "6",
      "hoodie.copyonwrite.record.size.estimate" -> "8",
      "hoodie.record.size.estimation.threshold" -> "0.5",
      "hoodie.parquet.max.file.size" -> "9",
      "hoodie.parquet.compression.codec" -> "SNAPPY",
      "hoodie.parquet.block.size" -> "10",
      "hoodie.parquet.page.size" -> "11",
      "hoodie.bloom.index.filter.type" -> "simple",
      "hoodie.index.bloom.num_entries" -> "12",
      "hoodie.index.bloom.fpp" -> "0.25",
      "hoodie.bloom.index.filter.dynamic.max.entries" -> "13",
      "hoodie.logfile.data.block.format" -> "parquet",
      "hoodie.logfile.data.block.max.size" -> "14",
      "hoodie.logfile.max.size" -> "15",
      "hoodie.write.record.positions" -> "false",
      "hoodie.spark.sql.merge.into.partial.updates" -> "True",
      "hoodie.write.lock.wait_time_ms" -> "16",
      "hoodie.metadata.strict" -> "true",
      "hoodie.metadata.enable" -> "true",
      "hoodie.metadata.compact.max.delta.commits" -> "4",
      "hudilite.among.other.files" -> "true",
      "hoodie.cleaner.policy.failed.writes" -> "eager",
      "txnAppId" -> "jobs",
      "txnVersion" -> "-17",
      "hoodie.datasource.write.commitmeta.key.prefix" -> "note.",
      "Note.Who" -> "ann")
    assertEquals(
      WriteConf.of(asked),
      WriteConf(
        options = asked,
        operation = Some("bulk_insert"),
        saysOperation = true,
        partitionsToDelete = Some(Seq("a", "b/*")),
        inserts = InsertConf(Some("upsert"), Setting("fail", isGiven = true), dropsInUpserts = true),
        overwrite = OverwriteConf(Some("dt > 'a'"), Some(true), Some(true)),
        columns = ColumnsConf(grow = false, fillNull = true),
        timesAsTexts = true,
        index = IndexConf(Some("BUCKET"), simpleMoves = false, bloomMoves = false, prunesByRanges = false, Some(7),
          Some(Seq("x", "y")), Some(BucketRule("p,3")), recordMoves = true),
        combine = CombineConf(beforeUpsert = false, beforeInsert = true),
        parallelism = ParallelismConf(upsert = 1, insert = 2, bulkInsert = 3, delete = 4),
        packing = PackingConf(sortsWhole = true, gathersPartitions = false, smallFileBytes = 5, smallGroups = 6,
          recordBytes = 8,
          recordShare = 0.5),
        files = FileConf(9, "snappy", Some(10), Some(11)),
        bloom = BloomConf("SIMPLE", 12, 0.25, 13),
        logs = LogConf(parquet = true, blockBytes = 14, fileBytes = 15, positions = false, partial = true),
        commit = CommitConf(16, "true", "EAGER", amongOthers = true, Some(true), 4),
        notes = CommitNotes(Map("Note.Who" -> "ann"), Some(WriteVersion("jobs", -17))),
        services = ServiceConf.of(Map.empty, fileBytes = 9)))
    val read = asked.keySet.map(_.toLowerCase)
    assertEquals(WriteOptions.all.filterNot(_.names.map(_.toLowerCase).exists(read)), Seq(WriteOptions.BucketEngine),
      "an option that is in no test; buckets have one engine")
  }

  test("options are checked before they are read") {
    def condition(options: (String, String)*): String = intercept[InvalidInput](WriteConf.of(options.toMap)).condition
    assertEquals(condition("hoodie.index.typ" -> "BLOOM"), "UNKNOWN_OPTION")
    assertEquals(condition("hoodie.index.type" -> "GLOBAL_BUCKET"), "INVALID_OPTION_VALUE")
    assertEquals(condition("hoodie.index.bucket.engine" -> "CONSISTENT"), "INVALID_OPTION_VALUE")
  }
}

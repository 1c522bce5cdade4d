package io.hudilite.config

import io.hudilite.config.key.ConfigKey
import io.hudilite.config.service.{ArchiveOptions, ClusteringOptions, CompactionOptions}
import io.hudilite.error.{EditDistance, InvalidInput}

import io.hudilite.outside.LockFileConf
import munit.FunSuite

import scala.util.Try

class OptionsSuite extends FunSuite {

  private def error(options: (String, String)*): InvalidInput = intercept[InvalidInput](Options.check(options.toMap))

  private def accept(options: (String, String)*): Unit = Options.check(options.toMap)

  test("documented options, their old spellings and what Spark adds are accepted, in any case of letters") {
    accept("hoodie.datasource.write.operation" -> "upsert", "HOODIE.Index.Type" -> "bloom",
      "hoodie.table.recordkey.fields" -> "id", "path" -> "/t", "VERSIONASOF" -> "20240101000000000")
    Options.documented.flatMap(_.names).filter(_.startsWith("hoodie."))
      .foreach(name => assert(!name.exists(_.isUpper), name))
  }

  test("an option that is not Hudi's is refused as well, with the one that does its work where there is one") {
    Seq("replaceWheres", "overwrite-mode", "overwriteSchema", "header", "as.of.instnt", "spark.hudilite.services",
      "fs.s3a.endpoint", "", " path").foreach { name =>
      Seq(OptionSide.Any, OptionSide.Read, OptionSide.Write).foreach { side =>
        val e = intercept[InvalidInput](Options.check(Map(name -> "1"), side))
        assertEquals((e.condition, e.parameters("option")), ("UNKNOWN_OPTION", name))
      }
    }
    assertEquals(error("replaceWheres" -> "dt = 1").parameters("nearest"), "replaceWhere")
    assertEquals(error("overwrite-mode" -> "dynamic").parameters("nearest"), "partitionOverwriteMode")
    assertEquals(error("primaryKey" -> "id").parameters("nearest"), "hoodie.datasource.write.recordkey.field")
    assertEquals(error("as.of.instnt" -> "1").parameters("nearest"), "as.of.instant")
    assertEquals(error("timestampAsof_" -> "1").parameters("nearest"), "timestampAsOf")
    KnownOptions.InPlaceOf.values.foreach(name => assert(Options.documented.exists(_.name == name), name))
    assert(KnownOptions.InPlaceOf.keys.forall(name => name == name.toLowerCase))
  }

  test("an option of reads is refused on a write and the reverse, whatever its value") {
    def refused(key: ConfigKey[_], side: OptionSide): Unit = key.names.foreach { name =>
      val value = key.default.fold(key match {
        case WriteOptions.OverwriteMode => "static"
        case WriteOptions.InsertInto => "insert"
        case WriteOptions.InsertMode => "strict"
        case _ => "20240101"
      })(_.toString)
      val e = intercept[InvalidInput](Options.check(Map(name.toUpperCase -> value), side))
      assertEquals((e.condition, e.parameters("option")), ("OPTION_NOT_SUPPORTED", name.toUpperCase))
      Options.check(Map(name -> value))
    }
    ReadOptions.all.foreach(refused(_, OptionSide.Write))
    (WriteOptions.all ++ WriteOptions.ofStatements ++ CompactionOptions.all ++ ArchiveOptions.all).filterNot(
      WriteOptions.OfBuckets.contains)
      .foreach(refused(_, OptionSide.Read))
  }

  test("facts of a table, its buckets and what has no effect may stand in the options of reads and writes") {
    val shared = Map("hoodie.table.name" -> "t", "hoodie.datasource.write.recordkey.field" -> "id",
      "hoodie.index.type" -> "BUCKET", "hoodie.bucket.index.num.buckets" -> "8", "hoodie.metadata.enable" -> "true")
    Seq(OptionSide.Any, OptionSide.Read, OptionSide.Write).foreach(Options.check(shared, _))
  }

  test("an unknown option is refused with the nearest known one") {
    Seq("hoodie.datasource.write.recordkey.fields" -> "hoodie.datasource.write.recordkey.field",
      "hoodie.datasource.write.operations" -> "hoodie.datasource.write.operation",
      "hoodie.index.typ" -> "hoodie.index.type",
      "hoodie.log.compaction.enabled" -> "hoodie.log.compaction.enable",
      "hoodie.compaction.strategyy" -> "hoodie.compaction.strategy",
      "hoodie.compact.inline.max.deltacommits" -> "hoodie.compact.inline.max.delta.commits",
      "hoodie.logfile.max.sizes" -> "hoodie.logfile.max.size",
      "hoodie.datasource.write.precombine" -> "hoodie.datasource.write.precombine.field",
      "Hoodie.Parquet.Max.FileSize" -> "hoodie.parquet.max.file.size").foreach { case (wrong, right) =>
      val e = error(wrong -> "1")
      assertEquals((e.condition, e.parameters), ("UNKNOWN_OPTION", Map("option" -> wrong, "nearest" -> right)))
    }
  }

  test("of an unknown option that is near to none no other is named") {
    Seq("nonsense", "header", "x", "", "fs.s3a.endpoint", "my.own.setting", "delta.columnMapping.mode").foreach {
      name =>
        val e = error(name -> "1")
        assertEquals((e.condition, e.parameters), ("UNKNOWN_OPTION", Map("option" -> name)))
        assert(e.getMessage.startsWith(s"[UNKNOWN_OPTION] The option $name is not known. Correct"), e.getMessage)
    }
    assert(
      error("replaceWheres" -> "dt = 1").getMessage.contains(" known. The nearest known option is replaceWhere. Cor"))
  }

  test("options that Hudi knows and that change nothing here are accepted") {
    accept("hoodie.metadata.enable" -> "true", "hoodie.embed.timeline.server" -> "false",
      "hoodie.clean.automatic" -> "true",
      "hoodie.cleaner.commits.retained" -> "3", "hoodie.keep.max.commits" -> "30",
      "hoodie.write.markers.type" -> "DIRECT",
      "hoodie.datasource.hive_sync.enable" -> "false", "hoodie.write.auto.upgrade" -> "false",
      "hoodie.compact.inline.max.delta.commits" -> "5", "hoodie.compaction.lazy.block.read" -> "false",
      "hoodie.logfile.to.parquet.compression.ratio" -> "0.5", "hoodie.clustering.plan.strategy.max.num.groups" -> "5")
  }

  test("an option whose meaning would be lost is refused by its name, unless its value is harmless") {
    KnownOptions.Refused.foreach { option =>
      val e = error(option.name -> "something else")
      assertEquals((e.condition, e.parameters("option")), ("OPTION_NOT_SUPPORTED", option.name))
      option.harmless.foreach(value => accept(option.name.toUpperCase -> value.toUpperCase))
    }
    assertEquals(error("hoodie.clustering.schedule.inline" -> "true").parameters("reason"),
      "call schedule_clustering()")
    ClusteringOptions.Executions.foreach(name =>
      accept("hoodie.clustering.execution.strategy.class" ->
        s"org.apache.hudi.client.clustering.run.strategy.$name"))
  }

  test("options that are known by name alone are listed once each, and in their place options that hudilite heeds") {
    val listed = Options.accepted ++ Options.refused.map(_.name)
    assertEquals(listed.diff(listed.distinct), Nil)
    assert(listed.forall(name => name == name.toLowerCase && name.startsWith("hoodie.")), listed)
    val heeded = (Options.documented ++ Options.further).flatMap(_.names).toSet
    val named = (Options.refused.map(_.reason) ++ KnownOptions.WithoutEffect.flatMap(_.instead))
      .flatMap("""(?:hoodie|hudilite)\.[\w.]+\w""".r.findAllIn(_))
    assert(named.size > 10, named)
    assertEquals(named.filterNot(heeded).filterNot(_ == "hoodie.parquet"), Nil)
  }

  test("concurrency control is refused where its lock needs a client of its own") {
    val mode = "hoodie.write.concurrency.mode"
    val provider = "hoodie.write.lock.provider"
    val inProcess = "org.apache.hudi.client.transaction.lock.InProcessLockProvider"
    accept(mode -> "single_writer")
    accept(mode -> "optimistic_concurrency_control", provider -> inProcess)
    assertEquals(error(mode -> "optimistic_concurrency_control").parameters("option"), mode)
    assertEquals(error(mode -> "NON_BLOCKING_CONCURRENCY_CONTROL", provider -> inProcess).parameters("option"), mode)
    Seq("client.transaction.lock.ZookeeperBasedLockProvider", "aws.transaction.lock.DynamoDBBasedLockProvider",
      "client.transaction.lock.StorageBasedLockProvider",
      "hive.transaction.lock.HiveMetastoreBasedLockProvider").foreach {
      name =>
        val said = error(provider -> s"org.apache.hudi.$name").parameters
        assertEquals(said("option"), provider)
        assert(said("reason").contains("FileSystemBasedLockProvider"), said)
    }
    val onStorage = Map(provider -> "org.apache.hudi.client.transaction.lock.FileSystemBasedLockProvider",
      mode -> "optimistic_concurrency_control")
    def lock(more: (String, String)*): Option[LockFileConf] = WriteConf.of(onStorage ++ more).commit.lockFile
    assertEquals(lock(), Some(LockFileConf(None, 0L, Set.empty)))
    assertEquals(lock("hoodie.write.lock.filesystem.path" -> "/locks", "hoodie.write.lock.filesystem.expire" -> "2",
        "hoodie.fs.atomic_creation.support" -> "abfs,OSS"),
      Some(LockFileConf(Some("/locks"), 120000L, Set("abfs", "oss"))))
    assertEquals(WriteConf.of(Map(provider -> inProcess)).commit.lockFile, None)
    assertEquals(intercept[io.hudilite.error.InvalidInput](lock("hoodie.cleaner.policy.failed.writes" -> "EAGER"))
        .parameters("value"), "EAGER")
    assertEquals(lock("hoodie.cleaner.policy.failed.writes" -> "LAZY"), lock())
  }

  test("a payload class or a strategy is accepted when it stands for a merge mode") {
    val payload = "hoodie.datasource.write.payload.class"
    val latest = "org.apache.hudi.common.model.OverwriteWithLatestAvroPayload"
    assertEquals(Options.mergeMode(Map(payload -> latest)), Some(MergeMode.CommitTime))
    assertEquals(Options.mergeMode(Map("hoodie.record.merge.strategy.id" -> MergeMode.EventTime.strategyId)),
      Some(MergeMode.EventTime))
    assertEquals(Options.mergeMode(Map.empty), None)
    assertEquals(error(payload -> "com.acme.Sum").condition, "OPTION_NOT_SUPPORTED")
    val partial = Payload.PartialUpdate
    assertEquals(Options.mergeMode(Map(payload -> partial.className)), Some(MergeMode.EventTime))
    assertEquals(Options.payload(Map(payload -> partial.className)), Some(partial))
    assertEquals(Options.payload(Map(payload -> latest)), None)
    assertEquals(error(payload -> latest, "hoodie.record.merge.mode" -> "EVENT_TIME_ORDERING").condition,
      "INVALID_OPTION_VALUE")
  }

  test("a value that cannot be read is refused with the reason") {
    def reason(option: (String, String)): String = {
      val e = error(option)
      assertEquals((e.condition, e.parameters("option"), e.parameters("value")),
        ("INVALID_OPTION_VALUE", option._1, option._2))
      e.parameters("reason")
    }
    assertEquals(reason("hoodie.index.bloom.num_entries" -> "many"), "it must be a whole number, in keys")
    assertEquals(reason("hoodie.index.bloom.num_entries" -> "0"), "it must be at least 1, in keys")
    assertEquals(reason("hoodie.index.bloom.num_entries" -> "3000000000"),
      "it must be at most 2147483647, in keys")
    assertEquals(reason("hoodie.parquet.max.file.size" -> "8589934592*8589934592"),
      "it must be a whole number, in bytes")
    assertEquals(WriteOptions.MaxFileSize(Map("hoodie.parquet.max.file.size" -> "128 * 1024*1024")), 134217728L)
    assertEquals(reason("hoodie.index.bloom.fpp" -> "1"), "it must be between 0 and 1")
    assertEquals(reason("hoodie.index.bloom.fpp" -> "little"), "it must be a number")
    assertEquals(reason("hoodie.combine.before.insert" -> "yes"), "it must be true or false")
    assertEquals(reason("hoodie.write.table.version" -> "7"), "it must be 6, 8 or 9")
    assertEquals(reason("hoodie.index.type" -> "HBASE"),
      "it must be one of SIMPLE, GLOBAL_SIMPLE, BLOOM, GLOBAL_BLOOM, BUCKET, RECORD_INDEX, GLOBAL_RECORD_LEVEL_INDEX, " +
        "RECORD_LEVEL_INDEX")
    assertEquals(reason("hoodie.index.bucket.engine" -> "CONSISTENT"),
      "it must be one of SIMPLE, CONSISTENT_HASHING")
    assertEquals(reason("hoodie.bucket.index.num.buckets" -> "65537"), "it must be at most 65536, in buckets")
    assertEquals(reason("hoodie.datasource.write.operation" -> "upsrt"),
      "it must be one of upsert, insert, bulk_insert, delete, insert_overwrite, insert_overwrite_table, delete_partition")
  }

  test("each option that takes not just any text refuses what it cannot read, by its name, value and unit") {
    val bad = Map(
      "boolean" -> Seq("", "yes", "1", "null", "tru e"),
      "int" -> Seq("", "many", "1.5", "1e3", "10MB", "9999999999", "99999999999999999999", "0x10", "-2147483649"),
      "long" -> Seq("", "many", "1.5", "120 MB", "99999999999999999999", "-9223372036854775809"),
      "double" -> Seq("", "little", "1,5", "NaN", "-1"))
    val free = Set("string", "comma separated list")
    val walked = (Options.documented ++ Options.further).flatMap { key =>
      val values = bad.getOrElse(key.valueType,
        if (free(key.valueType)) Nil
        else Seq("no such thing (", "0").take(if (key.valueType == "regular expression") 1 else 2))
      for (name <- key.names; value <- values) yield {
        val e = Try(Options.check(Map(name -> value))).failed.getOrElse(fail(s"$name takes '$value'"))
          .asInstanceOf[InvalidInput]
        assertEquals((e.condition, e.parameters("option"), e.parameters("value")),
          ("INVALID_OPTION_VALUE", name, value))
        assert(e.parameters("reason").endsWith(key.unit) && e.parameters("reason").contains("must"), e.getMessage)
        name
      }
    }
    assert(walked.distinct.size >= 80, s"only ${walked.distinct.size} options take more than texts")
  }

  test("an option without effect is told with what takes its place, one with effect is not") {
    val told = IneffectiveOptions.among(Map("Hoodie.Metadata.Async" -> "true",
        "hoodie.upsert.shuffle.parallelism" -> "2",
        "hoodie.simple.index.parallelism" -> "9", "hoodie.metadata.strict" -> "true", "path" -> "/t",
        "hoodie.write.lock.provider" -> "x.InProcessLockProvider", "hoodie.clean.async" -> "true"))
    assertEquals(told.map(_.text),
      Seq(
        "The option Hoodie.Metadata.Async has no effect in hudilite: it keeps the files, statistics and bloom filters of " +
          "a metadata table up in each write.",
        "The option hoodie.clean.async has no effect in hudilite: hudilite.services.async lets services run beside the " +
          "writes.",
        "The option hoodie.simple.index.parallelism has no effect in hudilite: Spark deals the work out by its size."))
    assertEquals(IneffectiveOptions.among(Options.accepted.map(_ -> "1").toMap).size, Options.accepted.size)
    assertEquals(IneffectiveOptions.among((Options.documented ++ Options.further).flatMap(_.names).map(_ -> "1").toMap),
      Nil)
  }

  test("values are trimmed, choices take the declared spelling, lists lose their blanks") {
    assertEquals(WriteOptions.Operation(Map("hoodie.datasource.write.operation" -> " UPSERT ")), "upsert")
    assertEquals(TableOptions.RecordKeyFields.get(Map("hoodie.datasource.write.recordkey.field" -> " a , b,,")),
      Some(Seq("a", "b")))
    assertEquals(WriteOptions.MaxFileSize(Map("HOODIE.PARQUET.MAX.FILE.SIZE" -> "7")), 7L)
    assertEquals(WriteOptions.MaxFileSize(Map.empty), 125829120L)
  }

  test("the name comes before old spellings") {
    val options = Map("hoodie.table.precombine.field" -> "old", "hoodie.datasource.write.precombine.field" -> "new")
    assertEquals(TableOptions.OrderingFields.get(options), Some(Seq("new")))
    assertEquals(TableOptions.OrderingFields.raw(options - "hoodie.datasource.write.precombine.field"),
      Some("hoodie.table.precombine.field" -> "old"))
  }

  test("the distance of two texts counts letters inserted, dropped and changed") {
    assertEquals(EditDistance.between("", "abc"), 3)
    assertEquals(EditDistance.between("kitten", "sitting"), 3)
    assertEquals(EditDistance.between("same", "same"), 0)
  }
}

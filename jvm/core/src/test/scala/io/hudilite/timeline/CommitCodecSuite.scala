package io.hudilite.timeline

import io.hudilite.error.CorruptTable

import java.nio.charset.StandardCharsets.UTF_8

import munit.FunSuite

class CommitCodecSuite extends FunSuite {

  private val base = WriteStat("f1-0", "p/f1-0_0-1-2_20.parquet", "10", "p", numWrites = 5, numDeletes = 1,
    numUpdateWrites = 2, numInserts = 3, totalWriteBytes = 400, fileSizeInBytes = 401, totalWriteErrors = 1,
    prevBaseFile = Some("f1-0_0-1-2_10.parquet"), cdcStats = Map("p/.f1-0_20.log.1_0-1-2.cdc" -> 77L),
    minEventTime = Some(1L), maxEventTime = Some(2L), logScan = LogScan(9, 8, 7, 6, 5, 4, 3, 2, 1))

  private val log = WriteStat("f2-0", "p/.f2-0_20.log.3_0-1-2", WriteStat.NoPreviousCommit, "p",
    baseFile = Some("f2-0_0-1-2_10.parquet"), logFiles = Seq(".f2-0_20.log.3_0-1-2"), logVersion = 3, logOffset = 12)

  private val commit = CommitMetadata("UPSERT", Map("p" -> Seq(base, log), "" -> Seq(base.copy(partitionPath = ""))),
    Map("schema" -> "{\"type\":\"record\"}", "é" -> "ü"))

  private def roundTrip(metadata: CommitMetadata, action: String, layout: Int): CommitMetadata =
    CommitCodec.read(CommitCodec.write(metadata, action, layout), "/t/file")

  test("Avro keeps every field of a commit") {
    assertEquals(roundTrip(commit, "deltacommit", 2), commit)
  }

  test("JSON keeps every field of a commit but the number of log files, which has no name there") {
    val expected = commit.copy(stats = commit.stats.map { case (p, s) =>
      p -> s.map(x => x.copy(logScan = x.logScan.copy(files = 0)))
    })
    assertEquals(roundTrip(commit, "deltacommit", 1), expected)
  }

  test("replaced file groups and the compaction mark survive in both layouts") {
    val replace = CommitMetadata("INSERT_OVERWRITE", Map.empty, Map.empty, Map("p" -> Seq("a-0", "b-0"), "" -> Nil))
    val compaction = CommitMetadata("COMPACT", Map.empty, Map.empty, compacted = true)
    Seq(1, 2).foreach { layout =>
      assertEquals(roundTrip(replace, "replacecommit", layout), replace)
      assertEquals(roundTrip(compaction, "compaction", layout), compaction)
    }
  }

  test("a pending write's stub has no path") {
    val stat = WriteStat("f1-0", "", "10", "p", numUpdateWrites = 3)
    val stub = CommitMetadata("UPSERT", Map("p" -> Seq(stat)), Map.empty)
    Seq(1, 2).foreach(layout => assertEquals(roundTrip(stub, "commit", layout), stub))
  }

  test("JSON with unknown fields, nulls and missing numbers is read") {
    val json = """{"partitionToWriteStats":{"p":[{"fileId":"f","path":"p/x","prevCommit":null,"novel":{"a":[1]},
      "cdcStats":null,"numWrites":3}]},"compacted":null,"extraMetadata":{"schema":null,"k":"v"},"more":1}"""
    assertEquals(CommitCodec.read(json.getBytes(UTF_8), "/t/file"),
      CommitMetadata("UNKNOWN",
        Map("p" -> Seq(WriteStat("f", "p/x", "null", "p", numWrites = 3))), Map("k" -> "v")))
  }

  test("an empty file is empty metadata") {
    assertEquals(CommitCodec.read(Array.emptyByteArray, "/t/file"), CommitMetadata.Empty)
  }

  test("damaged bytes name the file") {
    val avro = CommitCodec.write(commit, "commit", 2)
    val damaged = Seq("not JSON", "[1]", "{\"partitionToWriteStats\":{", "null").map(_.getBytes(UTF_8)) ++
      Seq(avro.take(avro.length / 2), avro.take(6), avro.dropRight(20))
    damaged.foreach { bytes =>
      val e = intercept[CorruptTable](CommitCodec.read(bytes, "/t/.hoodie/20.commit"))
      assertEquals((e.condition, e.parameters("path")), ("CORRUPT_FILE", "/t/.hoodie/20.commit"))
    }
  }

  test("touched file groups are those written or replaced") {
    val metadata = commit.copy(replaced = Map("q" -> Seq("gone-0")))
    assertEquals(metadata.touchedFileGroups, Set("p" -> "f1-0", "p" -> "f2-0", "" -> "f1-0", "q" -> "gone-0"))
  }

  test("plans keep what they hold") {
    val target = InstantName("20", "commit")
    val rollback = RollbackPlan(target, Seq(RollbackRequest("p", Seq("/t/p/x"), "f", "10", Map("l" -> 3L))))
    assertEquals(PlanCodec.rollbackPlan(PlanCodec.write(rollback)), rollback)
    val done = RollbackMetadata("30", 5, Seq(target), Seq(RolledBackPartition("p", Seq("/t/p/x"), Seq("/t/p/y"))))
    assertEquals(PlanCodec.rollback(PlanCodec.write(done)), done)
    val operation =
      CompactionOperation("p", "f-0", "10", None, Seq(".f-0_10.log.1_0-1-2"), Map("TOTAL_LOG_FILES" -> 1.0))
    val compaction = CompactionPlan(Seq(operation))
    assertEquals(PlanCodec.compactionPlan(PlanCodec.write(compaction)), compaction)
    val cleanPlan = CleanPlan("KEEP_LATEST_COMMITS", Some(Instant("10", "commit", State.Completed, None, "")), "20",
      Map("p" -> Seq("/t/p/x")), Seq("q"))
    assertEquals(PlanCodec.cleanPlan(PlanCodec.write(cleanPlan)), cleanPlan)
    val cleaned = CleanedPartition("p", "KEEP_LATEST_COMMITS", Seq("x"), Seq("y"), partitionDeleted = true)
    val clean = CleanMetadata("30", 5, "10", "20", Seq(cleaned))
    assertEquals(PlanCodec.clean(PlanCodec.write(clean)), clean)
    val savepoint = SavepointMetadata("me", 1L, "why", Map("p" -> Seq("x")))
    assertEquals(PlanCodec.savepoint(PlanCodec.write(savepoint)), savepoint)
    assertEquals(PlanCodec.clusteringPlan(PlanCodec.emptyRequestedReplace), None)
  }
}

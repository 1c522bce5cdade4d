package io.hudilite.timeline

import io.hudilite.error.CorruptTable
import io.hudilite.timeline.plan.{
  CompactionOperation,
  CompactionPlan,
  InstantName,
  RollbackMetadata,
  RollbackPlan,
  RollbackRequest,
  RolledBackPartition,
  SavepointMetadata
}

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

  test("plans keep what they hold") {
    val target = InstantName("20", "commit")
    val rollback = RollbackPlan(target, Seq(RollbackRequest("p", Seq("p/x"), "f", "10", Map("l" -> 3L))))
    assertEquals(PlanCodec.rollbackPlan(PlanCodec.write(rollback, "/t")), rollback)
    val done = RollbackMetadata("30", 5, Seq(target), Seq(RolledBackPartition("p", Seq("p/x"), Seq("p/y"))))
    assertEquals(PlanCodec.rollback(PlanCodec.write(done, "/t")), done)
    val operation =
      CompactionOperation("p", "f-0", "10", None, Seq(".f-0_10.log.1_0-1-2"), Map("TOTAL_LOG_FILES" -> 1.0))
    val compaction = CompactionPlan(Seq(operation))
    assertEquals(PlanCodec.compactionPlan(PlanCodec.write(compaction)), compaction)
    val cleanPlan = CleanPlan("KEEP_LATEST_COMMITS", Some(Instant("10", "commit", State.Completed, None, "")), "20",
      Map("p" -> Seq("p/x")), Seq("q"))
    assertEquals(PlanCodec.cleanPlan(PlanCodec.write(cleanPlan, "/t")), cleanPlan)
    val cleaned = CleanedPartition("p", "KEEP_LATEST_COMMITS", Seq("x"), Seq("y"), partitionDeleted = true)
    val clean = CleanMetadata("30", 5, "10", "20", Seq(cleaned))
    assertEquals(PlanCodec.clean(PlanCodec.write(clean)), clean)
    val savepoint = SavepointMetadata("me", 1L, "why", Map("p" -> Seq("x")))
    assertEquals(PlanCodec.savepoint(PlanCodec.write(savepoint)), savepoint)
    assertEquals(PlanCodec.clusteringPlan(PlanCodec.emptyRequestedReplace), None)
  }

  test("partitions are compared in one form, as Hudi lists them") {
    val spelled = Seq("/p", "p/", "./p").map(p => p -> Seq(WriteStat("f-0", s"p/f-0_0_1.parquet", "null", p))).toMap
    for (layout <- Seq(1, 2)) {
      val bytes = CommitCodec.write(CommitMetadata("UPSERT", spelled, Map.empty, Map("//q" -> Seq("g-0"))),
        Action.ReplaceCommit, layout)
      val read = CommitCodec.read(bytes, "/t/c")
      assertEquals(read.stats.keySet, Set("p"))
      assertEquals(read.allStats.map(_.partitionPath), Seq("p", "p", "p"))
      assertEquals(read.replaced, Map("q" -> Seq("g-0")))
    }
  }

  // Commits that name files outside the table, which must be neither written, read nor deleted.
  private val outside: Seq[(String, CommitMetadata)] = {
    val stat = WriteStat("f-0", "p/f-0_0_1.parquet", "null", "p")
    def of(partition: String, stat: WriteStat): CommitMetadata =
      CommitMetadata("UPSERT", Map(partition -> Seq(stat)), Map.empty)
    Seq(
      "a partition" -> of("../p", stat),
      "a partition on the way" -> of("a/../../p", stat),
      "a partition in a stat" -> of("p", stat.copy(partitionPath = "..")),
      "a file" -> of("p", stat.copy(path = "../f-0_0_1.parquet")),
      "a file id" -> of("p", stat.copy(fileId = "../f-0")),
      "a file id with a slash" -> of("p", stat.copy(fileId = "a/b")),
      "a base file" -> of("p", stat.copy(path = "p/.f-0_1.log.1_0-0-0", baseFile = Some("../f"))),
      "an earlier base file" -> of("p", stat.copy(prevBaseFile = Some("/etc/passwd"))),
      "a log file" -> of("p", stat.copy(path = "p/.f-0_1.log.1_0-0-0", logFiles = Seq("../../l"))),
      "change data" -> of("p", stat.copy(cdcStats = Map("../x" -> 1L))),
      "a replaced partition" -> CommitMetadata("INSERT_OVERWRITE", Map.empty, Map.empty, Map(".." -> Seq("f-0"))),
      "a replaced file group" -> CommitMetadata("INSERT_OVERWRITE", Map.empty, Map.empty, Map("p" -> Seq("../f-0"))))
  }

  test("a commit that names what lies outside the table is damaged") {
    for ((what, metadata) <- outside; layout <- Seq(1, 2)) {
      val bytes = CommitCodec.write(metadata, Action.ReplaceCommit, layout)
      val e = intercept[CorruptTable](CommitCodec.read(bytes, "/t/.hoodie/20.commit"))
      assertEquals((e.condition, e.parameters("path")), ("CORRUPT_FILE", "/t/.hoodie/20.commit"), what)
    }
  }

  test("of an absolute path in a plan the name counts, and the partition that the plan puts it in") {
    val plan = RollbackPlan(InstantName("20", "commit"), Seq(RollbackRequest("p", Seq("p/x"))))
    assertEquals(PlanCodec.rollbackPlan(PlanCodec.write(plan, "/another/../place")), plan)
    val operation = CompactionOperation("p", "f-0", "10", Some("file:/etc/f-0_0_10.parquet"), Seq("/etc/.f-0_10.log.1"))
    assertEquals(PlanCodec.compactionPlan(PlanCodec.write(CompactionPlan(Seq(operation)))).operations,
      Seq(operation.copy(baseFile = Some("f-0_0_10.parquet"), logFiles = Seq(".f-0_10.log.1"))))
  }

  test("a plan that names a partition or a file outside the table is damaged") {
    val operation = CompactionOperation("p", "f-0", "10", None, Nil)
    val compactions = Seq(operation.copy(partition = "../../q"), operation.copy(fileId = "../f"),
      operation.copy(baseFile = Some("..")), operation.copy(logFiles = Seq("p/..")))
    compactions.foreach(o =>
      intercept[IllegalArgumentException](PlanCodec.compactionPlan(PlanCodec.write(CompactionPlan(Seq(o))))))
    val target = InstantName("20", "commit")
    Seq(RollbackRequest("..", Nil), RollbackRequest("p", Seq("p/..")), RollbackRequest("p", Nil, "a/b")).foreach(r =>
      intercept[IllegalArgumentException](PlanCodec.rollbackPlan(PlanCodec.write(RollbackPlan(target, Seq(r)), "/t"))))
    intercept[IllegalArgumentException](
      PlanCodec.cleanPlan(PlanCodec.write(CleanPlan("", None, "", Map("../p" -> Nil)), "/t")))
    intercept[IllegalArgumentException](
      PlanCodec.savepoint(PlanCodec.write(SavepointMetadata("", 1L, "", Map("p" -> Seq(".."))))))
  }
}

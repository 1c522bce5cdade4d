package io.hudilite.spark.service

import io.hudilite.error.InvalidInput
import io.hudilite.filegroup.FileNames
import io.hudilite.spark.{GoldenAnswers, GoldenTables, Interpreted, SharedSession}
import io.hudilite.spark.procedure.{CompactionRun, ServiceCall}
import io.hudilite.spark.service.compact.FinishedCompaction
import io.hudilite.storage.HadoopStorage
import io.hudilite.table.Table
import io.hudilite.timeline.Action

import java.nio.file.{Files, Paths}

import munit.FunSuite
import org.apache.hadoop.conf.Configuration

import scala.collection.JavaConverters._

/** Compactions of log files that Apache Hudi wrote, against the rows that Hudi reads from them. */
class CompactionSuite extends FunSuite with Interpreted {

  override def munitTimeout: scala.concurrent.duration.Duration = scala.concurrent.duration.Duration(5, "min")

  private val spark = SharedSession.spark

  private def open(path: String): Table = Table.open(new HadoopStorage(new Configuration()), path)

  private def runOf(path: String): CompactionRun = CompactionRun(ServiceCall(spark, path))

  private def compact(path: String): Seq[FinishedCompaction] = runOf(path).start().result()

  /** Compacts until there is nothing left: first what Hudi planned, then the rest. */
  private def compactAll(path: String): Seq[FinishedCompaction] =
    Iterator.continually(compact(path)).takeWhile(_.nonEmpty).flatten.toList

  private def rows(path: String): Seq[String] = GoldenAnswers.of(spark.read.format("hudilite").load(path))

  for (name <- GoldenTables.names.filter(GoldenTables.isMergeOnRead)) {
    test(s"$name: compacted, it holds the rows that Hudi reads, with the commit times that they had") {
      val path = GoldenAnswers.copy(name)
      val before = open(path).allSlices().values.flatten.toSeq
      val finished = compactAll(path)
      val after = open(path)
      assertEquals(after.allSlices().values.flatten.flatMap(_.logs).toSeq, Nil)
      assertEquals(rows(path), GoldenAnswers.snapshot(name))
      val times = spark.read.format("hudilite").load(path).select("_hoodie_commit_time").distinct()
        .collect().map(_.getString(0)).sorted.toSeq
      assertEquals(times,
        GoldenTables.facts(name).get("commit_times_in_rows").elements.asScala.map(_.asText).toSeq.sorted)
      assertEquals(after.timeline.pending, Nil)
      assertEquals(finished.isEmpty, before.forall(_.logs.isEmpty))
    }
  }

  test("a compaction records what it merged, and Hudi's names for it") {
    val path = GoldenAnswers.copy("mor-logs-v9")
    val slices = open(path).allSlices().values.flatten.filter(_.logs.nonEmpty).toSeq
    val finished = compact(path).head
    val now = open(path)
    val metadata = now.store.readCommit(now.timeline.write(finished.instant).get)
    assertEquals((metadata.operation, metadata.compacted), ("COMPACT", true))
    assertEquals(metadata.schema, now.schemaJson)
    val stats = metadata.allStats.sortBy(_.fileId)
    assertEquals(stats, finished.stats.sortBy(_.fileId).toList)
    assertEquals(
      stats.map(s => (s.fileId, s.prevCommit, s.prevBaseFile, s.logScan.filesCompacted)),
      slices.sortBy(_.fileId).map(s => (s.fileId, s.instant, s.base.map(_.name), s.logs.size.toLong)).toList)
    stats.foreach { s =>
      assert(s.path.endsWith(s"_${finished.instant}.parquet"), s.path)
      assert(s.logScan.records > 0 && s.logScan.sizeCompacted > 0 && s.fileSizeInBytes > 0)
    }
  }

  test("a plan is made apart from its run, and is run once") {
    val path = GoldenAnswers.copy("mor-logs-v6")
    val planned = runOf(path).schedule().get
    assertEquals(runOf(path).schedule(), None)
    assertEquals(runOf(path).preview().map(_.instant), Seq(planned.instant))
    assertEquals(compact(path).map(_.instant), planned.instant.toSeq)
    assertEquals(compact(path), Nil)
    val error = intercept[InvalidInput](runOf(path).start(planned.instant))
    assertEquals(error.condition, "COMPACTION_NOT_FOUND")
  }

  test("the options choose the strategy, and a preview says what it would take and cost") {
    val path = GoldenAnswers.copy("mor-logs-v9")
    def chosen(options: (String, String)*): Seq[String] =
      CompactionRun(ServiceCall(spark, path, options.toMap)).preview().flatMap(_.candidates).map(_.slice.fileId)
    val all = chosen("hoodie.compaction.strategy" -> "UnBounded")
    assert(all.size > 1)
    assertEquals(chosen("hoodie.compaction.strategy" -> "BoundedIO", "hoodie.compaction.target.io" -> "0").size, 1)
    assertEquals(chosen("hoodie.compaction.logfile.size.threshold" -> "1000000000"), Nil)
    assertEquals(open(path).timeline.pending, Nil)
  }

  test("a compaction that fails leaves its plan and nothing else, and can be run again") {
    val path = GoldenAnswers.copy("mor-logs-v9")
    val planned = runOf(path).schedule().get
    val log = java.nio.file.Paths.get(path, planned.candidates.head.slice.logs.head.relativePath)
    val content = java.nio.file.Files.readAllBytes(log)
    val damaged = content.clone()
    def replace(bytes: Array[Byte]): Unit = {
      java.nio.file.Files.deleteIfExists(log.resolveSibling(s".${log.getFileName}.crc"))
      java.nio.file.Files.write(log, bytes)
      ()
    }
    // An unknown version of the log format, in the header of the first block.
    damaged(17) = 99
    replace(damaged)
    intercept[Throwable](compact(path))
    val table = open(path)
    assertEquals(table.timeline.pending.map(i => (i.time, i.action, i.state.name)),
      Seq((planned.instant.get, Action.Compaction, "REQUESTED")))
    val outputs = table.storage.list(table.partitions().map(p => s"$path/$p")).values.flatten
      .filter(_.name.endsWith(s"_${planned.instant.get}.parquet"))
    assertEquals(outputs.toSeq, Nil)
    replace(content)
    assertEquals(compact(path).map(_.instant), planned.instant.toSeq)
    assertEquals(rows(path), GoldenAnswers.snapshot("mor-logs-v9"))
  }

  test("a base file that a task of a failed run wrote late is not left in the file group") {
    val path = GoldenAnswers.copy("mor-logs-v9")
    val instant = runOf(path).schedule().get.instant.get
    val slice = open(path).allSlices().values.flatten.find(_.logs.nonEmpty).get
    val late = Paths.get(path, slice.partition, FileNames.baseFile(slice.fileId, "9-9-9", instant))
    Files.copy(Paths.get(path, slice.base.get.relativePath), late)
    compact(path)
    assert(!Files.exists(late))
    assertEquals(rows(path), GoldenAnswers.snapshot("mor-logs-v9"))
  }

  test("a copy-on-write table is refused") {
    val path = GoldenAnswers.copy("cow-basic-v9")
    val calls = Seq[() => Any](
      () => compact(path),
      () => runOf(path).preview(),
      () => runOf(path).schedule(dryRun = true),
      () => runOf(path).copy(onlyIfDue = true).schedule())
    calls.foreach(call => assertEquals(intercept[InvalidInput](call()).condition, "COMPACTION_NOT_POSSIBLE"))
  }

  test("an unknown strategy is refused") {
    val path = GoldenAnswers.copy("mor-logs-v9")
    val options = Map("hoodie.compaction.strategy" -> "Fancy")
    assertEquals(intercept[InvalidInput](CompactionRun(ServiceCall(spark, path, options)).preview()).condition,
      "INVALID_OPTION_VALUE")
  }
}

package io.hudilite.spark.service

import io.hudilite.error.{CommitConflict, InvalidInput}
import io.hudilite.log.{BlockSelection, LogBlock}
import io.hudilite.service.compact.CompactionKind
import io.hudilite.spark.{GoldenAnswers, GoldenTables, Interpreted}
import io.hudilite.spark.procedure.{CompactionRun, ServiceCall}
import io.hudilite.spark.read.PlanProbe
import io.hudilite.spark.scan.task.ScanMetrics
import io.hudilite.spark.service.compact.FinishedCompaction
import io.hudilite.spark.write.MergeOnReadFixture
import io.hudilite.timeline.{Action, Instant}

import java.nio.file.{Files, Path, Paths}

import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.functions.lit

import scala.collection.JavaConverters._

/** Log compactions of tables by both writers: no query may see a difference but in what it has to read. */
class LogCompactionSuite extends MergeOnReadFixture with Interpreted {

  private val threshold = Map("hoodie.log.compaction.blocks.threshold" -> "2")
  private val meta = Seq("_hoodie_commit_time", "_hoodie_commit_seqno", "_hoodie_record_key", "_hoodie_partition_path")
  private val modes = Seq("EVENT_TIME_ORDERING", "COMMIT_TIME_ORDERING")

  private def fold(path: String, more: (String, String)*): Seq[FinishedCompaction] =
    CompactionRun(ServiceCall(spark, path, threshold ++ more), CompactionKind.Log).start().result()

  private def compact(path: String): Seq[FinishedCompaction] =
    CompactionRun(ServiceCall(spark, path)).start().result()

  private def content(frame: DataFrame, columns: String*): Seq[String] =
    frame.selectExpr(columns ++ frame.columns: _*).collect().map(_.mkString("|")).sorted.toSeq

  private def state(path: String, options: (String, String)*): Seq[String] =
    content(spark.read.format("hudilite").options(options.toMap).load(path), meta: _*)

  private def asOf(path: String, instant: String): Seq[String] = state(path, "as.of.instant" -> instant)

  private def since(path: String, begin: Instant): Seq[String] = state(path,
    "hoodie.datasource.query.type" -> "incremental",
    "hoodie.datasource.read.begin.instanttime" -> begin.completionTime.getOrElse(begin.time))

  private def merged(path: String): Seq[LogBlock] = {
    val opened = table(path)
    opened.allSlices().values.flatten.toSeq.flatMap(slice =>
      BlockSelection.select(slice.logs.flatMap(l => blocks(Paths.get(path, l.relativePath))), opened.blockInstants()))
  }

  private def operations(path: String): Seq[String] = {
    val opened = table(path)
    opened.store.readCommits(opened.timeline.writes).map(_._2.operation)
  }

  private def flagged(frame: DataFrame, deleted: Boolean): DataFrame =
    frame.withColumn("_hoodie_is_deleted", lit(deleted))

  /** Updates, late ones, deletes by key and by column, and keys that come back. */
  private def live(path: String, from: Long, more: (String, String)*): Unit = {
    write(flagged(rows(0 until 20, from + 10, "a"), deleted = false), path, "upsert", more: _*)
    write(flagged(rows(10 until 30, from + 5, "b"), deleted = false), path, "upsert", more: _*)
    write(rows(30 until 40, 0, "x").select("id", "p"), path, "delete", more: _*)
    write(flagged(rows(35 until 45, from - 5, "c"), deleted = false), path, "upsert", more: _*)
    write(flagged(rows(16 until 26, from + 7, "d"), deleted = true), path, "upsert", more: _*)
  }

  private def copy(path: String): String = {
    val target = Files.createTempDirectory("hudilite-twin").resolve("t")
    val walk = Files.walk(Paths.get(path))
    try walk.iterator.asScala.foreach(f => Files.copy(f, target.resolve(Paths.get(path).relativize(f).toString)))
    finally walk.close()
    target.toString
  }

  for (version <- Seq(6, 8, 9); mode <- modes) {
    val format = if (version == 8) "parquet" else "avro"

    test(s"version $version, $mode: every query sees the same rows, and has fewer blocks to read") {
      val more = Seq("hoodie.logfile.data.block.format" -> format)
      val path = create(version, mode)
      live(path, 20, more: _*)
      val writes = table(path).timeline.writes
      val (now, optimized) = (state(path), state(path, "hoodie.datasource.query.type" -> "read_optimized"))
      val past = writes.map(w => asOf(path, w.time))
      val changes = writes.map(since(path, _))
      val (before, placed) = (merged(path), merged(path).forall(_.positionsBase.isDefined))
      val probe = read(path)
      probe.collect()
      val recordsBefore = PlanProbe.metric(probe, ScanMetrics.LogRecords)

      val finished = fold(path, more: _*)
      val instant = table(path).timeline.writes.last
      assertEquals(finished.map(_.instant), Seq(instant.time))
      assertEquals((lastCommit(path).operation, instant.action), ("LOG_COMPACT", Action.DeltaCommit))
      assertEquals(
        lastCommit(path).allStats.map(s => (s.path, s.logScan.records, s.logVersion)).toSet,
        finished.head.stats.map(s => (s.path, s.logScan.records, s.logVersion)).toSet)
      assertEquals(state(path), now)
      assertEquals(state(path, "hoodie.datasource.query.type" -> "read_optimized"), optimized)
      assertEquals(writes.map(w => asOf(path, w.time)), past)
      assertEquals(asOf(path, instant.time), now)
      assertEquals(writes.map(since(path, _)), changes)
      assertEquals(since(path, writes.last), Nil)

      val after = merged(path)
      assertEquals(after.map(_.instant).distinct, Seq(instant.time))
      assert(after.forall(_.compactedInstants == writes.drop(1).map(_.time)))
      assert(after.size <= 4 && before.size >= 10, s"${before.size} blocks became ${after.size}")
      assertEquals(after.forall(_.positionsBase.isDefined), placed)
      val again = read(path)
      again.collect()
      assert(PlanProbe.metric(again, ScanMetrics.LogRecords) < recordsBefore)
      assertEquals(fold(path), Nil)
    }
  }

  // Versions 8 and 9 lay their logs out alike; test_merge_on_read.py lives so with each version in each mode.
  for ((version, mode) <- Seq(6, 9).zip(modes))
    test(s"version $version, $mode: writes, foldings and a compaction go on as if it had not been") {
      val path = create(version, mode)
      live(path, 20)
      val twin = copy(path)
      def same(): Unit = assertEquals(content(read(path)), content(read(twin)))
      assert(fold(path).nonEmpty)
      same()
      for (t <- Seq(path, twin)) live(t, 26, "hoodie.logfile.data.block.format" -> "parquet")
      same()
      assert(fold(path).nonEmpty)
      same()
      for (t <- Seq(path, twin)) write(flagged(rows(40 until 60, 28, "e"), deleted = false), t, "upsert")
      same()
      val (past, last) = (state(path), table(path).timeline.writes.last.time)
      for (t <- Seq(path, twin)) assertEquals(compact(t).size, 1)
      same()
      assertEquals(asOf(path, last), past)
      assertEquals(merged(path), Nil)
      assertEquals(content(spark.read.format("hudilite").option("hoodie.datasource.query.type", "read_optimized")
            .load(path)), content(read(twin)))
      for (t <- Seq(path, twin)) live(t, 40)
      assert(fold(path).nonEmpty)
      same()
    }

  for (name <- GoldenTables.names.filter(GoldenTables.isMergeOnRead))
    test(s"$name: folded, it holds the rows that Hudi reads, and so it does compacted") {
      val path = GoldenAnswers.copy(name)
      def snapshot: Seq[String] = GoldenAnswers.of(read(path))
      def times: Seq[String] = read(path).selectExpr(meta: _*).collect().map(_.mkString("|")).sorted.toSeq
      val before = times
      fold(path)
      assertEquals(snapshot, GoldenAnswers.snapshot(name))
      assertEquals(times, before)
      compact(path)
      compact(path)
      assertEquals(snapshot, GoldenAnswers.snapshot(name))
      assertEquals(times, before)
    }

  test("blocks and files of a result end at their sizes, and all say what they replace") {
    val path = create(9)
    live(path, 20)
    val before = state(path)
    val small = Seq("hoodie.logfile.data.block.max.size" -> "1024", "hoodie.logfile.max.size" -> "2048")
    val stats = fold(path, small: _*).head.stats
    assert(stats.size > 2 && stats.map(_.fileId).distinct.size == 2, stats.map(_.path).toString)
    val written = stats.flatMap(s => blocks(Paths.get(path, s.path)))
    assert(written.size > stats.size)
    assertEquals(written.map(_.compactedInstants).distinct.size, 1)
    assertEquals(state(path), before)
  }

  test("a log compaction that fails leaves nothing, and another one can be run") {
    for (version <- Seq(6, 9)) {
      val path = create(version)
      // One file group alone, or the task of another might outlive the failure and write late.
      (1 to 3).foreach(i => write(rows(0 until 1, 10L + i, s"v$i"), path, "upsert"))
      val (before, logs) = (state(path), logFiles(path))
      val damaged = logs.last
      val content = Files.readAllBytes(damaged)
      def replace(bytes: Array[Byte]): Path = {
        Files.deleteIfExists(damaged.resolveSibling(s".${damaged.getFileName}.crc"))
        Files.write(damaged, bytes)
      }
      val planned = CompactionRun(ServiceCall(spark, path, threshold), CompactionKind.Log).schedule().get
      replace(content.updated(17, 99.toByte)) // an unknown version of the log format
      intercept[Throwable](CompactionRun(ServiceCall(spark, path, threshold)).start(planned.instant).result())
      assertEquals(logFiles(path), logs)
      assertEquals(table(path).timeline.instants.filter(_.time == planned.instant.get), Nil)
      replace(content)
      assertEquals(fold(path).size, 1)
      assertEquals(state(path), before)
    }
  }

  test("a plan that a write outdated is given up for a new one, or an error when it is named") {
    val path = create(6)
    live(path, 20)
    val run = CompactionRun(ServiceCall(spark, path, threshold), CompactionKind.Log)
    def schedule(): Option[String] = run.schedule().flatMap(_.instant)
    val outdated = schedule()
    write(flagged(rows(0 until 50, 90, "later"), deleted = false), path, "upsert")
    val before = state(path)
    assertEquals(intercept[CommitConflict](run.start(outdated)).condition,
      "COMMIT_CONFLICT")
    val preview = run.preview()
    assertEquals(preview.map(p => (p.instant, p.kind, p.candidates.size)), Seq((None, CompactionKind.Log, 2)))
    val finished = fold(path)
    assertEquals(finished.size, 1)
    assertNotEquals(finished.map(_.instant), outdated.toSeq)
    assertEquals(state(path), before)
    assertEquals(table(path).timeline.pending, Nil)
  }

  test("with versions 8 and 9 writers go on between plan and run, and the newer records win") {
    for (version <- Seq(8, 9); mode <- modes) {
      val path = create(version, mode)
      live(path, 20)
      val planned = CompactionRun(ServiceCall(spark, path, threshold), CompactionKind.Log).schedule().get
      write(flagged(rows(0 until 50, 90, "later"), deleted = false), path, "upsert")
      val (before, between) = (state(path), table(path).timeline.writes.last.time)
      assertEquals(fold(path).map(_.instant), planned.instant.toSeq)
      assertEquals(state(path), before)
      assertEquals(asOf(path, between), before)
    }
  }

  test("inline, log files are folded after as many delta commits as the threshold") {
    for (version <- Seq(6, 9)) {
      val path = newPath()
      val inline = Seq("hoodie.log.compaction.inline" -> "true", "hoodie.log.compaction.blocks.threshold" -> "3")
      write(rows(0 until 100, 10, "old"), path, "upsert", options(version).toSeq ++ inline: _*)
      (1 to 6).foreach(i => write(rows(0 until 10, 10L + i, s"v$i"), path, "upsert", inline: _*))
      // The first write is a delta commit, too, but leaves only two blocks when the third one makes it due.
      assertEquals(operations(path).zipWithIndex.filter(_._1 == "LOG_COMPACT").map(_._2), Seq(4, 8))
      assertEquals(versions(path), Map("old" -> 90L, "v6" -> 10L))
      assertEquals(table(path).timeline.pending, Nil)
      write(rows(0 until 10, 30, "off"), path, "upsert", inline :+ ("hoodie.table.services.enabled" -> "false"): _*)
      assertEquals(operations(path).count(_ == "LOG_COMPACT"), 2)
    }
  }

  test("a log compaction that is asked for and forbidden in one is refused, inline before anything is written") {
    val path = create(9)
    live(path, 20)
    val before = operations(path)
    val forbidden = "hoodie.log.compaction.enable" -> "false"
    def asked(body: => Any): Unit = {
      val error = intercept[InvalidInput](body)
      assertEquals((error.condition, error.parameters("option")), ("INVALID_OPTION_VALUE", forbidden._1))
    }
    val options = threshold + forbidden
    asked(fold(path, forbidden))
    asked(CompactionRun(ServiceCall(spark, path, options), CompactionKind.Log).preview())
    for (onlyIfDue <- Seq(true, false); dryRun <- Seq(true, false))
      asked(CompactionRun(ServiceCall(spark, path, options), CompactionKind.Log, onlyIfDue).schedule(dryRun))
    val more = flagged(rows(0 until 10, 99, "e"), deleted = false)
    asked(write(more, path, "upsert", forbidden, "hoodie.log.compaction.inline" -> "true"))
    assertEquals(operations(path), before)
    write(more, path, "upsert", forbidden)
    assert(CompactionRun(ServiceCall(spark, path, Map(forbidden))).start().result().nonEmpty)
  }
}

package io.hudilite.service.compact

import io.hudilite.TestTables
import io.hudilite.TestTables.{log, write, writeFile}
import io.hudilite.error.{CommitConflict, CorruptTable, InvalidInput}
import io.hudilite.service.Services
import io.hudilite.table.Table
import io.hudilite.timeline.{Action, State}
import io.hudilite.timeline.plan.{CompactionOperation, CompactionPlan}
import io.hudilite.transaction.Transaction
import io.hudilite.transaction.lock.Process

import munit.FunSuite

class CompactionSchedulerSuite extends FunSuite {

  private def versions(name: String)(body: Int => Unit): Unit =
    for (version <- Seq(6, 8, 9)) test(s"version $version: $name")(body(version))

  /** A table with file groups a-0 and b-0, of which a-0 has one log file. */
  private def logged(version: Int): (Table, String) = {
    val table = TestTables.createMergeOnRead(version)
    val base = write(table, "p1" -> "a-0", "p1" -> "b-0").time
    log(table, ("p1", "a-0", base))
    (table, base)
  }

  private def schedule(table: Table, options: (String, String)*): Option[PlannedCompaction] =
    CompactionScheduler.schedule(table.refresh(), Services.of(options: _*).compaction)

  private def logs(table: Table): Seq[(String, Int)] =
    table.refresh().allSlices().values.flatten.map(s => s.fileId -> s.logs.size).toSeq.sorted

  /** Does what executors do: one new base file for each operation. */
  private def run(table: Table, planned: PlannedCompaction): String = {
    val now = table.refresh()
    val instant = PendingCompactions.named(now, planned.instant.get)
    val transaction = Transaction.resume(now, instant, "COMPACT")
    transaction.commit(PendingCompactions.open(now, instant).slices.map(s =>
        writeFile(table, transaction.instant, s.partition, s.fileId, Some(s.instant))))
    transaction.instant
  }

  versions("a plan names the slices with log files, after everything that it takes in") { version =>
    val (table, base) = logged(version)
    val planned = schedule(table).get
    val now = table.refresh()
    assertEquals(now.pendingCompactions.map { case (g, t) => (g.fileId, t) }.toSeq, Seq("a-0" -> planned.instant.get))
    val (instant, plan) = now.store.pendingCompactions(now.timeline).head
    assertEquals(instant.state, State.Requested: State)
    assert(now.timeline.writes.forall(w => w.time < instant.time && w.completionTime.forall(_ < instant.time)))
    val operation = plan.operations.head
    assertEquals((operation.partition, operation.fileId, operation.baseInstant), ("p1", "a-0", base))
    assertEquals(operation.baseFile, Some(s"a-0_0-0-0_$base.parquet"))
    assertEquals(operation.logFiles.size, 1)
    assertEquals(operation.metrics("TOTAL_LOG_FILES"), 1.0)
  }

  versions("a group that is being compacted is not planned again, and nothing is planned for nothing") { version =>
    val (table, _) = logged(version)
    assert(schedule(table).isDefined)
    assertEquals(schedule(table), None)
    assertEquals(table.refresh().timeline.pendingCompactions.size, 1)
  }

  versions("a preview writes nothing") { version =>
    val (table, _) = logged(version)
    val before = TestTables.files(table)
    val preview =
      CompactionScheduler.preview(table.refresh(), Services.of("hoodie.compaction.strategy" -> "UnBounded").compaction)
    assertEquals((preview.instant, preview.strategy, preview.candidates.map(_.slice.fileId)),
      (None, "UnBounded", Seq("a-0")))
    assertEquals(TestTables.files(table), before)
  }

  versions("a compaction is planned only when it is due, if asked so") { version =>
    val (table, base) = logged(version)
    def due(): Boolean = CompactionScheduler
      .scheduleIfDue(table.refresh(),
        Services.of("hoodie.compact.inline.max.delta.commits" -> "2").compaction).isDefined
    assert(!due())
    log(table, ("p1", "b-0", base))
    assert(due())
  }

  versions("a completed compaction is the new slice, and what was logged meanwhile lies on top of it") { version =>
    val (table, base) = logged(version)
    val planned = schedule(table).get
    val later = planned.instant.get
    log(table, ("p1", "a-0", later), ("p1", "b-0", base))
    assertEquals(logs(table), Seq("a-0" -> 2, "b-0" -> 1))
    assertEquals(run(table, planned), later)
    val slices = table.refresh().allSlices().values.flatten.map(s => (s.fileId, s.instant, s.logs.size)).toSeq.sorted
    assertEquals(slices, Seq(("a-0", later, 1), ("b-0", base, 1)))
    val now = table.refresh()
    val metadata = now.store.readCommit(now.timeline.write(later).get)
    assertEquals((metadata.compacted, metadata.operation), (true, "COMPACT"))
    assertEquals(now.timeline.pendingCompactions, Nil)
    assertEquals(schedule(table).get.candidates.map(_.slice.fileId), Seq("a-0", "b-0"))
  }

  versions("a compaction that is rolled back is requested again, and can be run again") { version =>
    val (table, _) = logged(version)
    val planned = schedule(table).get
    val before = TestTables.files(table)
    val now = table.refresh()
    val attempt = Transaction.resume(now, PendingCompactions.named(now, planned.instant.get), "COMPACT")
    writeFile(table, attempt.instant, "p1", "a-0", Some("old"))
    attempt.rollback()
    assertEquals(TestTables.files(table), before)
    run(table, planned)
    assertEquals(logs(table), Seq("a-0" -> 0, "b-0" -> 0))
  }

  versions("a compaction whose process died is taken back by the next writer, which keeps its plan") { version =>
    val (table, base) = logged(version)
    val planned = schedule(table).get
    val now = table.refresh()
    val dead = Transaction.resume(now, PendingCompactions.named(now, planned.instant.get), "COMPACT")
    writeFile(table, dead.instant, "p1", "a-0", Some("old"))
    Process.current.ends(table.place, dead.instant) // as if this process had forgotten it
    log(table, ("p1", "b-0", base))
    assertEquals(table.refresh().timeline.pendingCompactions.map(_.state), Seq(State.Requested: State))
    assertEquals(TestTables.files(table).filter(_.contains(s"_${dead.instant}.parquet")), Set.empty[String])
    run(table, planned)
    assertEquals(logs(table), Seq("a-0" -> 0, "b-0" -> 1))
  }

  test("a compaction that somebody runs is not run twice") {
    val (table, _) = logged(9)
    val planned = schedule(table).get
    val now = table.refresh()
    val first = Transaction.resume(now, PendingCompactions.named(now, planned.instant.get), "COMPACT")
    assertEquals(intercept[CommitConflict](run(table, planned)).condition, "INSTANT_TAKEN")
    first.rollback()
  }

  test("with version 6 nothing is planned while a delta commit is under way, with version 9 it is") {
    for ((version, blocked) <- Seq(6 -> true, 9 -> false)) {
      val (table, _) = logged(version)
      val writing = Transaction.begin(table.refresh(), Action.DeltaCommit, "UPSERT")
      if (blocked) assertEquals(intercept[CommitConflict](schedule(table)).condition, "WRITE_PENDING")
      else assert(schedule(table).isDefined)
      writing.rollback()
    }
  }

  test("a copy-on-write table cannot be compacted") {
    val error = intercept[InvalidInput](schedule(TestTables.create(9)))
    assertEquals(error.condition, "COMPACTION_NOT_POSSIBLE")
  }

  test("two pending compactions of one file group are an error that names both") {
    val (table, base) = logged(9)
    val plan = CompactionPlan(Seq(CompactionOperation("p1", "a-0", base, Some(s"a-0_0-0-0_$base.parquet"), Nil)))
    val times = Seq.fill(2)(table.store.newInstantTime())
    times.foreach(table.store.requestCompaction(_, plan))
    val error = intercept[CorruptTable](table.refresh().allSlices())
    assertEquals((error.condition, error.parameters("instants")), ("COMPACTIONS_OVERLAP", times.mkString(", ")))
    val now = table.refresh()
    intercept[CorruptTable](PendingCompactions.open(now, PendingCompactions.named(now, times.head)))
  }

  test("a plan whose files are gone is an error that names the file") {
    val (table, _) = logged(9)
    val planned = schedule(table).get
    val lost = planned.candidates.head.slice.logs.head.relativePath
    table.storage.delete(s"${table.basePath}/$lost")
    assert(intercept[CorruptTable](run(table, planned)).parameters("path").endsWith(lost))
  }

  test("an instant that is no pending compaction is an error that names those that are") {
    val (table, _) = logged(9)
    val planned = schedule(table).get
    val error = intercept[InvalidInput](PendingCompactions.named(table.refresh(), "20200101000000000"))
    assertEquals((error.condition, error.parameters("pending")), ("COMPACTION_NOT_FOUND", planned.instant.get))
  }

  test("a strategy may not make slices up or repeat them") {
    val found = Seq(Candidates.candidate("a", 1, 1))
    Seq[CompactionStrategy]((c, _) => c ++ c, (_, _) => Seq(Candidates.candidate("b", 1, 1))).foreach(strategy =>
      intercept[IllegalStateException](CompactionScheduler.select(strategy, found, Candidates.settings)))
  }
}

package io.hudilite.service.compact

import io.hudilite.TestTables
import io.hudilite.TestTables.{appendLog, log, write, writeFile}
import io.hudilite.error.{CommitConflict, CorruptTable}
import io.hudilite.filegroup.FileSlice
import io.hudilite.service.Services
import io.hudilite.table.{IncrementalRange, Table}
import io.hudilite.timeline.{Action, Instant, State}
import io.hudilite.timeline.plan.{CompactionOperation, CompactionPlan}
import io.hudilite.transaction.Transaction
import io.hudilite.transaction.lock.Process

import munit.FunSuite

/** Plans of log compactions and what may stand against their commits; what their tasks do is stood in for. */
class LogCompactionSuite extends FunSuite {

  private def versions(name: String)(body: Int => Unit): Unit =
    for (version <- Seq(6, 8, 9)) test(s"version $version: $name")(body(version))

  /** A table with file groups a-0 and b-0, of which a-0 has `deltas` log files of a block each. */
  private def logged(version: Int, deltas: Int = 3): Table = {
    val table = TestTables.createMergeOnRead(version)
    write(table, "p1" -> "a-0", "p1" -> "b-0")
    (1 to deltas).foreach(_ => append(table, "a-0"))
    table
  }

  private def slice(table: Table, id: String): FileSlice =
    table.refresh().allSlices().values.flatten.find(_.fileId == id).get

  private def append(table: Table, id: String): Instant = {
    val transaction = Transaction.begin(table.refresh(), Action.DeltaCommit, "UPSERT")
    transaction.commit(Seq(appendLog(table, transaction.instant, slice(table, id))))
  }

  private def schedule(table: Table, threshold: Int = 3): Option[PlannedCompaction] = CompactionScheduler.schedule(
    table.refresh(), Services.of("hoodie.log.compaction.blocks.threshold" -> threshold.toString).compaction,
    kind = CompactionKind.Log)

  private def begin(table: Table, planned: PlannedCompaction): (Table, Transaction) = {
    val now = table.refresh()
    val instant = PendingCompactions.named(now, planned.instant.get)
    val transaction = Transaction.resume(now, instant, CompactionKind.Log.operation)
    PendingCompactions.open(now, instant)
    now -> transaction
  }

  private def finish(begun: (Table, Transaction), planned: PlannedCompaction): Instant =
    begun._2.commit(planned.candidates.map(c => appendLog(begun._1, begun._2.instant, c.slice)))

  /** A log compaction whose log file is written, and that is not committed. */
  private def halfway(table: Table): Transaction = {
    val (now, transaction) = begin(table, schedule(table).get)
    appendLog(now, transaction.instant, slice(table, "a-0"))
    transaction
  }

  private def dataFiles(table: Table): Set[String] = TestTables.files(table).filterNot(_.contains(".hoodie"))

  private def conflict(body: => Any): String = intercept[CommitConflict](body).condition

  versions("a plan takes slices from the threshold on, once, and completes as a delta commit") { version =>
    for ((deltas, planned) <- Seq(0 -> false, 1 -> false, 2 -> false, 3 -> true, 4 -> true))
      assertEquals(schedule(logged(version, deltas)).isDefined, planned, s"$deltas blocks")
    val table = logged(version)
    val before = slice(table, "a-0")
    val planned = schedule(table).get
    assertEquals(planned.candidates.map(_.slice), Seq(before))
    val pending = table.refresh().timeline.pending
    assertEquals(pending.map(i => (i.time, i.action, i.state)),
      Seq((planned.instant.get, Action.LogCompaction, State.Requested: State)))
    assertEquals(schedule(table), None)
    val completed = finish(begin(table, planned), planned)
    val now = table.refresh()
    val metadata = now.store.readCommit(completed)
    assertEquals((completed.action, metadata.operation, metadata.compacted), (Action.DeltaCommit, "LOG_COMPACT", false))
    assertEquals((slice(table, "a-0").instant, slice(table, "a-0").logs.size), (before.instant, before.logs.size + 1))
    assertEquals(now.timeline.pending, Nil)
  }

  test("slices that were read before the table is locked are read again where they have changed by then") {
    for (version <- Seq(8, 9)) {
      val table = logged(version)
      def qualifying(slices: Seq[FileSlice], known: Map[FileSlice, Boolean]): Map[FileSlice, Boolean] =
        LogCompactionPlanner.qualifying(table.refresh(), slices, 3, known)
      val before = Seq("a-0", "b-0").map(slice(table, _))
      val known = qualifying(before, Map.empty)
      assertEquals(before.map(known), Seq(true, false))
      val log = before.head.logs.last
      table.storage.replace(s"${table.basePath}/${log.relativePath}", Array.fill(log.length.toInt)('*'.toByte))
      assertEquals(qualifying(before, known), known)
      assertEquals(intercept[CorruptTable](qualifying(before, Map.empty)).condition, "CORRUPT_FILE")
      (1 to 3).foreach(_ => append(table, "b-0"))
      val changed = slice(table, "b-0")
      assert(qualifying(Seq(changed), known)(changed))
    }
  }

  versions("a group in a compaction of one kind is not planned for the other") { version =>
    val table = logged(version)
    def base(): Option[PlannedCompaction] = CompactionScheduler.schedule(table.refresh(), Services.of().compaction)
    val folding = schedule(table).get
    assertEquals(base(), None)
    append(table, "b-0")
    assertEquals(base().get.candidates.map(_.slice.fileId), Seq("b-0"))
    begin(table, folding.copy(candidates = Nil))._2.rollback()
    assertEquals(base().get.candidates.map(_.slice.fileId), Seq("a-0"))
    assertEquals(schedule(table), None)
  }

  versions("nothing is planned while a delta commit is under way, which may complete behind it") { version =>
    val table = logged(version)
    val writing = Transaction.begin(table.refresh(), Action.DeltaCommit, "UPSERT")
    assertEquals(conflict(schedule(table)), "WRITE_PENDING")
    writing.rollback()
    assert(schedule(table).isDefined)
  }

  versions("a log compaction that is rolled back is gone, and can be planned again") { version =>
    val table = logged(version)
    val before = dataFiles(table)
    val attempt = halfway(table)
    attempt.rollback()
    assertEquals(dataFiles(table), before)
    assertEquals(table.refresh().timeline.instants.filter(_.time == attempt.instant), Nil)
    assert(schedule(table).isDefined)
  }

  versions("a log compaction whose process died is taken back by the next writer") { version =>
    val table = logged(version)
    val before = dataFiles(table)
    Process.current.ends(table.place, halfway(table).instant) // as if this process had forgotten it
    assertEquals(schedule(table).get.candidates.size, 1)
    assertEquals(dataFiles(table), before)
  }

  test("what is logged after the plan outdates it in version 6, where it would lie before the result") {
    for ((version, outdated) <- Seq(6 -> true, 8 -> false, 9 -> false)) {
      val table = logged(version)
      val planned = schedule(table).get
      append(table, "b-0")
      append(table, "a-0")
      val now = table.refresh()
      val instant = PendingCompactions.named(now, planned.instant.get)
      assertEquals(PendingCompactions.outdated(now, instant).isDefined, outdated)
      if (outdated) assertEquals(conflict(PendingCompactions.open(now, instant)), "COMMIT_CONFLICT")
      else finish(begin(table, planned), planned)
    }
  }

  test("log files that other writes append meanwhile do not stand against it, nor it against them") {
    for (version <- Seq(8, 9)) {
      val table = logged(version)
      val planned = schedule(table).get
      val begun = begin(table, planned)
      append(table, "a-0")
      val writing = Transaction.begin(table.refresh(), Action.DeltaCommit, "UPSERT")
      val appended = appendLog(table, writing.instant, slice(table, "a-0"))
      finish(begun, planned)
      writing.commit(Seq(appended))
      assertEquals(slice(table, "a-0").logs.size, 6)
    }
  }

  versions("a new base file of the group stands against it, whoever completes first") { version =>
    for (rewriteFirst <- Seq(true, false)) {
      val table = logged(version)
      val planned = schedule(table).get
      val begun = begin(table, planned)
      val rewriting = Transaction.begin(table.refresh(), Action.DeltaCommit, "UPSERT")
      val base = writeFile(table, rewriting.instant, "p1", "a-0", Some(slice(table, "a-0").instant))
      if (rewriteFirst) {
        rewriting.commit(Seq(base))
        assertEquals(conflict(finish(begun, planned)), "COMMIT_CONFLICT")
        begun._2.rollback()
      } else {
        finish(begun, planned)
        assertEquals(conflict(rewriting.commit(Seq(base))), "COMMIT_CONFLICT")
        rewriting.rollback()
      }
    }
  }

  versions("a compaction that another program plans for the group stands against it") { version =>
    val table = logged(version)
    val planned = schedule(table).get
    val begun = begin(table, planned)
    val taken = slice(table, "a-0")
    val operation = CompactionOperation("p1", "a-0", taken.instant, taken.base.map(_.name), taken.logs.map(_.name))
    table.store.requestCompaction(table.store.newInstantTime(), CompactionPlan(Seq(operation)))
    assertEquals(conflict(finish(begun, planned)), "COMMIT_CONFLICT")
    begun._2.rollback()
  }

  versions("an incremental read looks at no file group because of a log compaction") { version =>
    val table = logged(version)
    val planned = schedule(table).get
    val last = table.refresh().timeline.writes.last
    finish(begin(table, planned), planned)
    val since = IncrementalRange(last.completionTime.getOrElse(last.time))
    assertEquals(table.refresh().incremental(since).slices, Map.empty[String, Seq[FileSlice]])
    log(table, ("p1", "b-0", slice(table, "b-0").instant))
    assertEquals(table.refresh().incremental(since).slices.values.flatten.map(_.fileId).toSeq, Seq("b-0"))
  }
}

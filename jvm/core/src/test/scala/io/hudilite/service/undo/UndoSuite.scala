package io.hudilite.service.undo

import io.hudilite.TestTables
import io.hudilite.config.TableType
import io.hudilite.error.{CorruptTable, InvalidInput}
import io.hudilite.filegroup.FileGroupId
import io.hudilite.service.{Services, TextServices}
import io.hudilite.service.clean.{CleanScheduler, Cleaning}
import io.hudilite.service.compact.CompactionScheduler
import io.hudilite.storage.{MemoryStorage, Storage}
import io.hudilite.table.Table
import io.hudilite.timeline.{Action, Instant, State}
import io.hudilite.timeline.plan.{InstantName, RollbackPlan}
import io.hudilite.transaction.{TextWrites, Transaction, TransactionOptions}

import munit.FunSuite

/** Savepoints, and completed writes that are taken back. */
class UndoSuite extends FunSuite {

  private val path = "/t"

  private def versions(name: String)(body: Int => Unit): Unit =
    for (version <- Seq(6, 8, 9)) test(s"version $version: $name")(body(version))

  private def table(storage: Storage): Table = Table.open(storage, path)

  private def made(version: Int, tableType: TableType = TableType.CopyOnWrite): MemoryStorage = {
    val storage = new MemoryStorage()
    TextWrites.table(storage, path, version, tableType)
    storage
  }

  private def data(storage: MemoryStorage): Seq[String] =
    storage.paths.filterNot(p => p.contains("/.hoodie/") || p.endsWith("_metadata"))

  private def state(storage: Storage): Seq[String] =
    table(storage).allSlices().values.flatten.map(_.toString).toSeq.sorted

  private def times(storage: Storage): Seq[String] = table(storage).timeline.writes.map(_.time)

  private def refused(condition: String)(body: => Any): String = {
    val e = intercept[InvalidInput](body)
    assertEquals(e.condition, condition)
    e.getMessage
  }

  for (version <- Seq(8, 9))
    test(s"version $version: a write whose log file is older than an upgrade is not taken back") {
      val table = TestTables.createMergeOnRead(version)
      val base = TestTables.write(table, "p" -> "a-0").time
      val name = TestTables.upgradedLog(table, "p", "a-0", base, 1)
      val other = TestTables.elsewhere(table)
      def logs: Seq[String] = other.refresh().allSlices()("p").flatMap(_.logs).map(_.name)
      assertEquals(logs, Seq(name))
      for (look <- Seq[() => Any](() => Rollbacks.preview(other, None), () => Rollbacks.run(other, None)))
        assert(refused("ROLLBACK_NOT_POSSIBLE")(look()).contains(name))
      for (look <- Seq[() => Any](() => Restores.preview(other, base), () => Restores.run(other, base)))
        assert(refused("RESTORE_NOT_POSSIBLE")(look()).contains(name))
      assertEquals(logs, Seq(name))
    }

  for ((kind, write) <- Seq("an update" -> TextWrites.rewrite, "an insert" -> TextWrites.insert("h-0"),
      "an overwrite" -> TextWrites.overwrite))
    versions(s"$kind that is taken back leaves the table as it was") { version =>
      val storage = made(version)
      val (before, files) = (state(storage), data(storage))
      write.run(table(storage))
      val newest = times(storage).last
      assertEquals(Rollbacks.preview(table(storage), None).write, newest)
      val done = Rollbacks.run(table(storage), None)
      assertEquals((done.write, done.files), (newest, 1))
      assertEquals(state(storage), before)
      assertEquals(data(storage), files)
      assert(!table(storage).timeline.contains(newest))
      val recorded = table(storage).timeline.completed.find(_.action == Action.Rollback).get
      assertEquals(table(storage).store.readRollback(recorded).targets.map(_.time), Seq(newest))
      write.run(table(storage))
      assert(state(storage) != before)
    }

  versions("log files that are taken back are gone, or have a block that says so") { version =>
    val storage = made(version, TableType.MergeOnRead)
    TextWrites.append.run(table(storage))
    val before = state(storage)
    TextWrites.append.run(table(storage))
    Rollbacks.run(table(storage), None)
    assertEquals(state(storage), before)
  }

  versions("a compaction that is taken back is planned again") { version =>
    val storage = made(version, TableType.MergeOnRead)
    TextWrites.append.run(table(storage))
    val now = table(storage)
    val planned = CompactionScheduler.schedule(now, Services.of().compaction).get.instant.get
    val pending = table(storage).timeline.pendingCompactions.head
    val before = state(storage)
    val transaction = Transaction.resume(table(storage), pending, "COMPACT")
    val slice = table(storage).slices(Seq("p"))("p").head
    transaction.commit(Seq(TestTables.writeFile(now, planned, "p", "g-0", Some(slice.instant))))
    Rollbacks.run(table(storage), None)
    assertEquals(state(storage), before)
    assertEquals(table(storage).timeline.pendingCompactions.map(i => (i.time, i.state)),
      Seq((planned, State.Requested: State)))
  }

  versions("a write on which something rests is not taken back") { version =>
    val storage = made(version)
    val first = times(storage).head
    TextWrites.rewrite.run(table(storage))
    assert(refused("ROLLBACK_NOT_POSSIBLE")(Rollbacks.run(table(storage), Some(first))).contains(
        "is later; roll that back first"))
    assert(refused("ROLLBACK_NOT_POSSIBLE")(Rollbacks.run(table(storage), Some("20200101000000000")))
        .contains("no completed write"))
    val saved = Savepoints.create(table(storage), None, "me", "before the change")
    assert(refused("ROLLBACK_NOT_POSSIBLE")(Rollbacks.run(table(storage), None)).contains("savepoint"))
    Savepoints.delete(table(storage), saved.instant)
    val under = TestTables.begin(table(storage))
    assert(refused("ROLLBACK_NOT_POSSIBLE")(Rollbacks.preview(table(storage), None)).contains("pending"))
    under.rollback()
    new Cleaning(TransactionOptions(), TextServices.deleting).run(table(storage),
      Services.of("hoodie.clean.fileversions.retained" -> "1").cleaning)
    val before = state(storage)
    refused("ROLLBACK_NOT_POSSIBLE")(Rollbacks.run(table(storage), None))
    assertEquals(state(storage), before)
  }

  versions("the first write can be taken back, too, and then there is none") { version =>
    val storage = made(version)
    Rollbacks.run(table(storage), None)
    assertEquals(state(storage), Nil)
    assert(refused("ROLLBACK_NOT_POSSIBLE")(Rollbacks.run(table(storage), None)).contains("no completed write"))
  }

  versions("a rollback that was planned and cut off goes with the next one of its write") { version =>
    val storage = made(version)
    TextWrites.rewrite.run(table(storage))
    for (state <- Seq[State](State.Requested, State.Inflight)) {
      TextWrites.rewrite.run(table(storage))
      val (now, write) = (table(storage), table(storage).timeline.writes.last)
      val planned = now.store.newInstantTime(write.time)
      now.store.requestRollback(planned, RollbackPlan(InstantName(write.time, write.action), Nil))
      if (state == State.Inflight) now.store.toInflight(planned, Action.Rollback)
      assertEquals(Rollbacks.run(table(storage), None).write, write.time)
      assertEquals(table(storage).timeline.pending, Nil: Seq[Instant])
      assert(!table(storage).timeline.contains(planned))
      assertEquals(data(storage).filter(_.contains(write.time)), Nil)
    }
  }

  versions("a savepoint lists the files of its state, and is found and given free by its instant") { version =>
    val storage = made(version)
    val first = times(storage).head
    TextWrites.rewrite.run(table(storage))
    val saved = Savepoints.create(table(storage), Some(first), "me", "why")
    assertEquals((saved.instant, saved.files), (first, 1))
    assertEquals(Savepoints.list(table(storage)), Seq(saved))
    val instant = table(storage).timeline.completed.find(_.action == Action.Savepoint).get
    assertEquals(table(storage).store.readSavepoint(instant).files, Map("p" -> Seq(s"g-0_0-0-0_$first.parquet")))
    assert(refused("SAVEPOINT_NOT_POSSIBLE")(Savepoints.create(table(storage), Some(first), "me", "")).contains(
        "already"))
    refused("SAVEPOINT_NOT_FOUND")(Savepoints.delete(table(storage), times(storage).last))
    Savepoints.delete(table(storage), first)
    assertEquals(Savepoints.list(table(storage)), Nil)
  }

  versions("a savepoint whose file is damaged is told as such, hides no other, and is given free by its instant") {
    version =>
      val storage = made(version)
      val first = times(storage).head
      TextWrites.rewrite.run(table(storage))
      Seq(Some(first), None).foreach(Savepoints.create(table(storage), _, "me", "why"))
      val last = Savepoints.list(table(storage)).last
      val file =
        table(storage).timeline.completed.find(i => i.action == Action.Savepoint && i.time == first).get.fileName
      val (place, whole) =
        (s"${table(storage).store.folder}/$file", storage.read(s"${table(storage).store.folder}/$file").get)
      for (damaged <- Seq(Array.emptyByteArray, whole.take(whole.length / 2), whole.take(whole.length - 1),
          "no Avro".getBytes)) {
        storage.replace(place, damaged)
        val told = Savepoints.list(table(storage)).head
        assertEquals(Savepoints.list(table(storage)).tail, Seq(last))
        assertEquals(told.copy(damage = None), SavedState(first, "", 0L, "", 0))
        assert(told.damage.exists(_.nonEmpty), told.toString)
        assertEquals(Savepoints.find(table(storage), first), told)
        assertEquals(intercept[CorruptTable](TextServices.clean(table(storage))).parameters("path"), place)
      }
      assert(Savepoints.delete(table(storage), first).damage.isDefined)
      assertEquals(Savepoints.list(table(storage)), Seq(last))
      TextServices.clean(table(storage))
      assertEquals(data(storage).size, 1)
  }

  versions("a state that was cleaned, or is about to be, or never was cannot be saved") { version =>
    val storage = made(version)
    refused("SAVEPOINT_NOT_POSSIBLE")(Savepoints.create(table(storage), Some("20200101000000000"), "me", ""))
    (1 to 3).foreach(_ => TextWrites.rewrite.run(table(storage)))
    CleanScheduler.schedule(table(storage), Services.of("hoodie.clean.commits.retained" -> "1").cleaning)
    refused("SAVEPOINT_NOT_POSSIBLE")(Savepoints.create(table(storage), Some(times(storage).head), "me", ""))
    assertEquals(Savepoints.create(table(storage), None, "me", "").instant, times(storage).last)
    assert(refused("SAVEPOINT_NOT_POSSIBLE")(Savepoints.create(
          { val s = new MemoryStorage(); TestTables.create(s, path, version, TableType.CopyOnWrite) }, None, "me", ""))
        .contains("no completed write"))
  }

  versions("a table is restored to a saved state behind a cleaning, whatever was written since") { version =>
    val storage = made(version)
    TextWrites.rewrite.run(table(storage))
    val saved = Savepoints.create(table(storage), None, "me", "")
    val (before, files) = (state(storage), data(storage).filter(_.contains(saved.instant)))
    TextWrites.rewrite.run(table(storage))
    TextWrites.insert("h-0").run(table(storage))
    TextWrites.overwrite.run(table(storage))
    new Cleaning(TransactionOptions(), TextServices.deleting).run(table(storage),
      Services.of("hoodie.clean.fileversions.retained" -> "1").cleaning)
    val gone = times(storage).filter(_ > saved.instant)
    assertEquals(Restores.preview(table(storage), saved.instant).writes.map(_.time), gone.reverse)
    val done = Restores.run(table(storage), saved.instant)
    assertEquals(done.writes.map(_.time), gone.reverse)
    assertEquals(state(storage), before)
    assertEquals(data(storage), files)
    val timeline = table(storage).timeline
    assertEquals(timeline.completed.count(_.action == Action.Restore), 1)
    assertEquals(timeline.instants.filter(_.action == Action.Rollback), Nil)
    TextWrites.rewrite.run(table(storage))
    assertEquals(times(storage).size, 3)
  }

  versions("a restore takes compactions back with their plans, done or not") { version =>
    val storage = made(version, TableType.MergeOnRead)
    TextWrites.append.run(table(storage))
    val (to, before) = (times(storage).last, state(storage))
    val now = table(storage)
    val planned = CompactionScheduler.schedule(now, Services.of().compaction).get.instant.get
    val transaction = Transaction.resume(table(storage), table(storage).timeline.pendingCompactions.head, "COMPACT")
    val slice = table(storage).slices(Seq("p"))("p").head
    transaction.commit(Seq(TestTables.writeFile(now, planned, "p", "g-0", Some(slice.instant))))
    TextWrites.append.run(table(storage))
    CompactionScheduler.schedule(table(storage), Services.of().compaction)
    Restores.run(table(storage), to)
    assertEquals(state(storage), before)
    assertEquals(table(storage).timeline.pending, Nil: Seq[Instant])
  }

  versions("a restore takes clusterings back with their plans, done or not") { version =>
    val storage = made(version)
    TextWrites.insert("h-0").run(table(storage))
    val (to, before, files) = (times(storage).last, state(storage), data(storage))
    TextServices.cluster(table(storage))
    val done = times(storage).last
    TextWrites.insert("i-0").run(table(storage))
    assert(TextServices.planClustering(table(storage)).isDefined)
    assertEquals(Restores.run(table(storage), to).writes.map(_.time).filter(times(storage).contains), Nil)
    assertEquals((state(storage), data(storage)), (before, files))
    assertEquals(table(storage).timeline.pending, Nil: Seq[Instant])
    assertEquals(table(storage).pendingClusterings, Map.empty[FileGroupId, String])
    assert(!table(storage).timeline.contains(done), "no state of the clustering is left")
    TextWrites.rewrite.run(table(storage))
    TextServices.cluster(table(storage))
    assertEquals(state(storage).size, 1, "its file groups can be clustered again")
  }

  versions("a table is not restored past its history, nor past a saved state, nor to where it is") { version =>
    val storage = made(version)
    val first = times(storage).head
    assert(refused("RESTORE_NOT_POSSIBLE")(Restores.run(table(storage), first)).contains("no later write"))
    refused("RESTORE_NOT_POSSIBLE")(Restores.run(table(storage), "20200101000000000"))
    TextWrites.rewrite.run(table(storage))
    Savepoints.create(table(storage), None, "me", "")
    assert(refused("RESTORE_NOT_POSSIBLE")(Restores.run(table(storage), first)).contains("has a savepoint"))
    TextWrites.rewrite.run(table(storage))
    new Cleaning(TransactionOptions(), TextServices.deleting).run(table(storage),
      Services.of("hoodie.clean.fileversions.retained" -> "1").cleaning)
    refused("RESTORE_NOT_POSSIBLE")(Restores.run(table(storage), first))
  }
}

package io.hudilite.transaction.rollback

import io.hudilite.TestTables
import io.hudilite.config.TableType
import io.hudilite.error.CommitConflict
import io.hudilite.service.TextServices
import io.hudilite.table.Table
import io.hudilite.timeline.Action
import io.hudilite.timeline.plan.{InstantName, RollbackPlan}
import io.hudilite.transaction.{TextWrites, TransactionOptions, World}

import java.nio.file.{Files, Path}
import java.nio.file.attribute.FileTime

import munit.FunSuite

class ForeignWritesSuite extends FunSuite {

  import TestTables.storage

  /** A write that another program began and did not end: an instant without an owner, and one data file. */
  private def foreignWrite(table: Table, action: String = Action.Commit): String = {
    val time = table.store.newInstantTime(table.refresh().timeline.lastTime.getOrElse(""))
    table.store.request(time, action)
    table.store.toInflight(time, action)
    TestTables.writeFile(table, time, "p1", "theirs-0")
    Markers.delete(storage, table.basePath, time) // another kind of markers, which hudilite does not read
    time
  }

  private def beat(table: Table, time: String, ageMs: Long): Unit = {
    val path = s"${table.basePath}/.hoodie/.heartbeat/$time"
    storage.replace(path, Array.emptyByteArray)
    age(path, ageMs)
  }

  private def age(path: String, ageMs: Long): Unit = {
    Files.setLastModifiedTime(Path.of(path), FileTime.fromMillis(System.currentTimeMillis() - ageMs))
    ()
  }

  /** A write of another program that did not come as far as its inflight state. */
  private def announced(table: Table, action: String): String = {
    val time = table.store.newInstantTime(table.refresh().timeline.lastTime.getOrElse(""))
    table.store.request(time, action)
    time
  }

  private def write(table: Table, policy: ForeignWrites.Policy): Unit = {
    val transaction = TestTables.begin(table.refresh(), TransactionOptions(foreignWrites = policy))
    transaction.commit(Seq(TestTables.writeFile(table, transaction.instant, "p2", "ours-0")))
    ()
  }

  private def theirs(table: Table): Set[String] = TestTables.files(table).filter(_.contains("theirs-0"))

  for (version <- Seq(6, 9)) {
    test(s"version $version: a pending write without a heartbeat refuses ours, and nothing is touched") {
      val table = TestTables.create(version)
      val time = foreignWrite(table)
      val before = TestTables.files(table)
      val error = intercept[CommitConflict](write(table, ForeignWrites.Expired))
      assertEquals((error.condition, error.parameters("instant")), ("WRITE_PENDING", time))
      assertEquals(TestTables.files(table), before)
    }

    test(s"version $version: a clustering that another program is taking back to run it again is left to it") {
      val world = new World("/t",
        storage => TextWrites.insert("h-0").run(TextWrites.table(storage, "/t", version, TableType.CopyOnWrite)))
      val store = world.table.store
      val time = TextServices.planClustering(world.table).get
      val action = world.timeline.pending.find(_.time == time).get.action
      store.toInflight(time, action)
      val rollback = store.newInstantTime(time)
      store.requestRollback(rollback, RollbackPlan(InstantName(time, action), Nil))
      store.toInflight(rollback, Action.Rollback)
      TextWrites.insert("i-0").run(world.table)
      assertEquals(world.timeline.pending.map(_.time), Seq(time, rollback))
    }

    test(s"version $version: a pending write with a fresh heartbeat refuses ours, one with an old one is rolled back") {
      val table = TestTables.create(version)
      val time = foreignWrite(table)
      beat(table, time, ageMs = 1000)
      intercept[CommitConflict](write(table, ForeignWrites.Expired))
      beat(table, time, ageMs = Heartbeat.ExpiryMs + 1000)
      write(table, ForeignWrites.Expired)
      assertEquals(theirs(table), Set.empty[String])
      assertEquals(table.refresh().timeline.pending, Nil)
      assertEquals(table.refresh().timeline.completed.map(_.action), Seq(Action.Rollback, Action.Commit))
    }

    test(s"version $version: the eager policy rolls every pending write back") {
      val table = TestTables.create(version)
      val time = foreignWrite(table)
      beat(table, time, ageMs = 0)
      foreignWrite(table, Action.ReplaceCommit)
      write(table, ForeignWrites.All)
      assertEquals(theirs(table), Set.empty[String])
      assertEquals(table.refresh().timeline.pending, Nil)
    }
  }

  for ((version, action) <-
      Seq(6 -> Action.Commit, 6 -> Action.DeltaCommit, 9 -> Action.Commit, 9 -> Action.DeltaCommit))
    test(s"version $version: a $action that was only announced goes when it is as old as a dead heartbeat") {
      val table = TestTables.create(version)
      val time = announced(table, action)
      val error = intercept[CommitConflict](write(table, ForeignWrites.Expired))
      assertEquals((error.condition, error.parameters("instant")), ("WRITE_PENDING", time))
      age(s"${table.store.folder}/$time.$action.requested", Heartbeat.ExpiryMs + 1000)
      write(table, ForeignWrites.Expired)
      assertEquals(table.refresh().timeline.pending, Nil)
      assertEquals(table.refresh().timeline.completed.map(_.action), Seq(Action.Rollback, Action.Commit))
    }

  test("a write that was only announced and has a heartbeat lives as long as that") {
    val table = TestTables.create(9)
    val time = announced(table, Action.Commit)
    age(s"${table.store.folder}/$time.commit.requested", Heartbeat.ExpiryMs + 1000)
    beat(table, time, ageMs = 1000)
    intercept[CommitConflict](write(table, ForeignWrites.Expired))
    write(table, ForeignWrites.All)
    assertEquals(table.refresh().timeline.pending, Nil)
  }

  test("a write that was only announced and has markers has begun") {
    val table = TestTables.create(9)
    val time = announced(table, Action.Commit)
    age(s"${table.store.folder}/$time.commit.requested", Heartbeat.ExpiryMs + 1000)
    storage.replace(s"${Markers.folder(table.basePath, time)}/MARKERS.type", Array.emptyByteArray)
    assertEquals(intercept[CommitConflict](write(table, ForeignWrites.Expired)).condition, "WRITE_PENDING")
  }

  test("a policy of never leaves pending writes as they are") {
    val table = TestTables.create(9)
    val time = foreignWrite(table)
    write(table, ForeignWrites.Keep)
    assertEquals(theirs(table).size, 1)
    assertEquals(table.refresh().timeline.pending.map(_.time), Seq(time))
  }

  test("log records of version 6 are left to Apache Hudi") {
    val table = TestTables.create(6)
    foreignWrite(table, Action.DeltaCommit)
    val error = intercept[CommitConflict](write(table, ForeignWrites.All))
    assertEquals(error.condition, "DELTA_COMMIT_PENDING")
  }

  test("pending services are no writes") {
    val table = TestTables.create(9)
    val time = table.store.newInstantTime()
    table.store.request(time, Action.Compaction)
    write(table, ForeignWrites.Expired)
    assert(table.refresh().timeline.pending.exists(_.time == time))
  }
}

package io.hudilite.transaction

import io.hudilite.TestTables
import io.hudilite.config.{TableKeys, TableProperties}
import io.hudilite.error.{CommitConflict, CommitStateUnknown}
import io.hudilite.storage.{ForwardingStorage, Storage}
import io.hudilite.table.Table
import io.hudilite.timeline.{Action, CommitMetadata}
import io.hudilite.timeline.plan.{InstantName, RollbackPlan}
import io.hudilite.transaction.rollback.Markers

import java.util.concurrent.{Callable, Executors, TimeUnit}

import io.hudilite.TestTables.{begin, storage, visible, write, writeFile}

import munit.FunSuite

class TransactionSuite extends FunSuite {

  private def versions(name: String)(body: Int => Unit): Unit =
    for (version <- Seq(6, 8, 9)) test(s"version $version: $name")(body(version))

  /** Traces of a write in preparation besides its data. */
  private def traces(table: Table): Set[String] =
    TestTables.files(table).filter(f => f.contains("/.temp/") || f.contains("/.heartbeat/"))

  private def task[T](body: => T): Callable[T] = () => body

  private def conflict(body: => Any): String = {
    val error = intercept[CommitConflict](body)
    assertEquals(error.condition, "COMMIT_CONFLICT")
    error.parameters("reason")
  }

  versions("a committed write is visible and leaves no trace of its preparation") { version =>
    val table = TestTables.create(version)
    val instant = write(table, "p1" -> "a-0", "p2" -> "b-0")
    assertEquals(visible(table), Seq(s"p1/a-0@${instant.time}", s"p2/b-0@${instant.time}"))
    assertEquals(traces(table), Set.empty[String])
  }

  versions("a commit records the table's schema, its operation and its stats") { version =>
    val table = TestTables.create(version)
    val metadata = table.store.readCommit(write(table, "p1" -> "a-0"))
    assertEquals(metadata.operation, "UPSERT")
    assertEquals(metadata.allStats.map(_.fileId), Seq("a-0"))
    assertEquals(table.refresh().schemaJson, table.schemaJson)
    assert(metadata.schema.isDefined)
  }

  versions("a write that is not committed is not visible") { version =>
    val table = TestTables.create(version)
    val transaction = begin(table)
    writeFile(table, transaction.instant, "p1", "a-0")
    assertEquals(visible(table), Nil)
    transaction.rollback()
  }

  versions("a rollback removes the files and the instant and records itself") { version =>
    val table = TestTables.create(version)
    val transaction = begin(table)
    writeFile(table, transaction.instant, "p1", "a-0")
    transaction.rollback()
    assert(transaction.isRolledBack)
    transaction.rollback()
    val timeline = table.refresh().timeline
    assertEquals(TestTables.files(table).filter(_.contains(transaction.instant)), Set.empty[String])
    assertEquals(timeline.instants.map(i => (i.action, i.isCompleted)), Seq((Action.Rollback, true)))
    val metadata = table.store.readRollback(timeline.instants.head)
    assertEquals(metadata.targets, Seq(InstantName(transaction.instant, Action.Commit)))
    assertEquals(metadata.partitions.flatMap(_.deleted).size, 1)
  }

  versions("a replacecommit takes file groups out") { version =>
    val table = TestTables.create(version)
    write(table, "p1" -> "a-0")
    val transaction = Transaction.begin(table.refresh(), Action.ReplaceCommit, "INSERT_OVERWRITE")
    val stat = writeFile(table, transaction.instant, "p1", "b-0")
    transaction.commit(Seq(stat), replaced = Map("p1" -> Seq("a-0")))
    assertEquals(visible(table), Seq(s"p1/b-0@${transaction.instant}"))
  }

  test("of two writes to one file group the second conflicts") {
    val table = TestTables.create(9)
    write(table, "p1" -> "a-0")
    val (first, second) = (begin(table.refresh()), begin(table.refresh()))
    first.commit(Seq(writeFile(table, first.instant, "p1", "a-0", Some("old"))))
    val stat = writeFile(table, second.instant, "p1", "a-0", Some("old"))
    assertEquals(conflict(second.commit(Seq(stat))),
      s"${table.refresh().lastInstant.get} touches the file group a-0 in 'p1', too")
    second.rollback()
    assertEquals(visible(table), Seq(s"p1/a-0@${first.instant}"))
  }

  test("a write that began earlier but completed since the snapshot conflicts") {
    val table = TestTables.create(9)
    val early = begin(table)
    val late = begin(table)
    early.commit(Seq(writeFile(table, early.instant, "p1", "a-0")))
    assert(conflict(late.commit(Seq(writeFile(table, late.instant, "p1", "a-0")))).contains("a-0"))
    late.rollback()
  }

  test("writes to different file groups both commit") {
    val table = TestTables.create(9)
    val (first, second) = (begin(table), begin(table))
    second.commit(Seq(writeFile(table, second.instant, "p1", "b-0")), assumption = Assumption.Nothing)
    first.commit(Seq(writeFile(table, first.instant, "p1", "a-0")), assumption = Assumption.Nothing)
    assertEquals(visible(table).size, 2)
  }

  test("a write whose instant another writer removed conflicts") {
    val table = TestTables.create(9)
    val transaction = begin(table)
    val stat = writeFile(table, transaction.instant, "p1", "a-0")
    table.store.delete(table.refresh().timeline.pending.head)
    assertEquals(conflict(transaction.commit(Seq(stat))), "another writer rolled this write back")
    transaction.rollback()
    assertEquals(TestTables.files(table).filter(_.contains(transaction.instant)), Set.empty[String])
  }

  test("a write that another writer is rolling back conflicts") {
    val table = TestTables.create(9)
    val transaction = begin(table)
    val time = table.store.newInstantTime()
    table.store.requestRollback(time, RollbackPlan(InstantName(transaction.instant, Action.Commit), Nil))
    assertEquals(conflict(transaction.commit(Nil)), s"the rollback $time is taking this write back")
    transaction.rollback()
    assertEquals(table.refresh().timeline.pending, Nil)
  }

  test("a write conflicts with a pending clustering or overwrite of its file groups") {
    val table = TestTables.create(9)
    val profile = CommitMetadata("INSERT_OVERWRITE", Map.empty, Map.empty, replaced = Map("p1" -> Seq("a-0")))
    val transaction = begin(table)
    val time = table.store.newInstantTime()
    table.store.request(time, Action.ReplaceCommit)
    table.store.toInflight(time, Action.ReplaceCommit, profile)
    val reason = conflict(transaction.commit(Seq(writeFile(table, transaction.instant, "p1", "a-0"))))
    assert(reason.startsWith(time), reason)
    transaction.rollback()
  }

  test("a pending restore stands against every commit") {
    val table = TestTables.create(9)
    val transaction = begin(table)
    val time = table.store.newInstantTime()
    table.store.request(time, Action.Restore)
    assertEquals(conflict(transaction.commit(Nil)), s"the restore $time is under way")
    transaction.rollback()
  }

  test("a write conflicts when a write of its snapshot was rolled back") {
    val table = TestTables.create(9)
    write(table, "p1" -> "a-0")
    val instant = write(table.refresh(), "p1" -> "b-0")
    val transaction = begin(table.refresh())
    table.store.delete(instant)
    assertEquals(conflict(transaction.commit(Nil)),
      s"the write ${instant.time}, which this one builds on, was rolled back")
    transaction.rollback()
  }

  test("a table that changed its ordering fields conflicts") {
    val table = TestTables.create(9)
    val transaction = begin(table)
    TableProperties.update(storage, table.basePath)(_ + (TableKeys.OrderingFields -> "ts"))
    assertEquals(conflict(transaction.commit(Nil)), "the ordering fields changed from '' to 'ts'")
    transaction.rollback()
  }

  test("a table that changed since it was opened is not written to") {
    val table = TestTables.create(9)
    TableProperties.update(storage, table.basePath)(_ + (TableKeys.OrderingFields -> "ts"))
    assertEquals(intercept[CommitConflict](begin(table)).condition, "TABLE_CHANGED")
    assertEquals(table.refresh().timeline.instants, Nil)
  }

  test("writers of one process to different file groups all commit, each with an instant of its own") {
    val table = TestTables.create(9)
    val pool = Executors.newFixedThreadPool(4)
    val tasks = (1 to 12).map(n => pool.submit(task(write(table.refresh(), s"p${n % 3}" -> s"g$n-0"))))
    val instants = tasks.map(_.get(60, TimeUnit.SECONDS))
    pool.shutdown()
    assertEquals(instants.map(_.time).toSet.size, 12)
    assertEquals(visible(table).size, 12)
    assertEquals(table.refresh().timeline.pending, Nil)
  }

  test("of writers to one file group every one either commits or conflicts") {
    val table = TestTables.create(6)
    write(table, "p" -> "a-0")
    val pool = Executors.newFixedThreadPool(4)
    val tasks = (1 to 8).map(_ =>
      pool.submit(task {
        val transaction = begin(table.refresh())
        val stat = writeFile(table, transaction.instant, "p", "a-0", Some("before"))
        try Some(transaction.commit(Seq(stat)).time)
        catch { case _: CommitConflict => transaction.rollback(); None }
      }))
    val committed = tasks.flatMap(_.get(60, TimeUnit.SECONDS))
    pool.shutdown()
    assertEquals(visible(table), Seq(s"p/a-0@${committed.max}"))
    assertEquals(table.refresh().timeline.writes.map(_.time).tail.toSet, committed.toSet)
    assertEquals(table.refresh().timeline.pending, Nil)
  }

  test("a begin that fails leaves nothing that the next one does not clean up") {
    val table = TestTables.create(9)
    intercept[java.io.IOException](begin(table.copy(storage = new FailingStorage(storage, ".inflight"))))
    write(table.refresh(), "p" -> "a-0")
    assertEquals(table.refresh().timeline.pending, Nil)
    assertEquals(traces(table), Set.empty[String])
  }

  test("a stat that names its file wrongly is a bug, not a reason to delete the file") {
    val table = TestTables.create(9)
    val transaction = begin(table)
    val stat = writeFile(table, transaction.instant, "p", "a-0")
    for (wrong <- Seq(stat.copy(path = s"/${stat.path}"), stat.copy(partitionPath = ""), stat.copy(fileId = "b-0")))
      intercept[IllegalStateException](transaction.commit(Seq(wrong)))
    assert(TestTables.files(table).contains(stat.path))
    transaction.commit(Seq(stat))
  }

  test("a rollback removes files that only their stats name") {
    val table = TestTables.create(9)
    val transaction = begin(table)
    val stat = writeFile(table, transaction.instant, "p1", "a-0")
    Markers.delete(storage, table.basePath, transaction.instant)
    transaction.rollback(Seq(stat))
    assertEquals(TestTables.files(table).filter(_.contains(transaction.instant)), Set.empty[String])
  }

  test("files of task attempts that lost are removed before the commit") {
    val table = TestTables.create(9)
    val transaction = begin(table)
    val kept = writeFile(table, transaction.instant, "p1", "a-0")
    writeFile(table, transaction.instant, "p1", "stray-0")
    transaction.commit(Seq(kept))
    assertEquals(visible(table), Seq(s"p1/a-0@${transaction.instant}"))
    assertEquals(TestTables.files(table).filter(_.contains("stray")), Set.empty[String])
  }

  test("a completing write that fails leaves everything where it is") {
    val table = TestTables.create(9)
    val transaction = begin(table.copy(storage = new FailingStorage(storage, ".commit")))
    val stat = writeFile(table, transaction.instant, "p1", "a-0")
    intercept[CommitStateUnknown](transaction.commit(Seq(stat)))
    transaction.rollback()
    assert(!transaction.isRolledBack)
    assert(TestTables.files(table).contains(stat.path))
    assert(TestTables.files(table).exists(_.contains(s".temp/${transaction.instant}/")))
    write(table.refresh(), "p2" -> "b-0")
    assert(table.refresh().timeline.pending.exists(_.time == transaction.instant), "an unknown outcome is left alone")
  }

  /** Loses the connection when a file with this ending is created. */
  private final class FailingStorage(to: Storage, ending: String) extends ForwardingStorage(to) {
    override def createNew(path: String, content: Array[Byte]): Boolean =
      if (path.endsWith(ending)) throw new java.io.IOException("connection lost") else to.createNew(path, content)
    override def replace(path: String, content: Array[Byte]): Unit =
      if (path.endsWith(ending)) throw new java.io.IOException("connection lost") else to.replace(path, content)
  }
}

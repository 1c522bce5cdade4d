package io.hudilite.table

import io.hudilite.TestTables
import io.hudilite.TestTables.{storage, write, writeFile}
import io.hudilite.error.{CorruptTable, InvalidInput}
import io.hudilite.filegroup.FileNames
import io.hudilite.service.Services
import io.hudilite.service.archive.Archiver
import io.hudilite.service.undo.Restores
import io.hudilite.storage.MemoryStorage
import io.hudilite.timeline.{Action, CleanMetadata, CleanPlan, CleanedPartition, Instant}
import io.hudilite.timeline.plan.SavepointMetadata
import io.hudilite.transaction.Transaction

import munit.FunSuite

/** Reads of the past behind a cleaner. */
class RetentionSuite extends FunSuite {

  private def update(table: Table, fileId: String, previous: Instant): Instant = {
    val transaction = TestTables.begin(table.refresh())
    transaction.commit(Seq(writeFile(table, transaction.instant, "p", fileId, Some(previous.time))))
  }

  /** Three commits that write one file group. */
  private def updated(version: Int): (Table, Seq[Instant]) = {
    val table = TestTables.create(version)
    val first = write(table, "p" -> "a-0")
    val second = update(table, "a-0", first)
    (table, Seq(first, second, update(table, "a-0", second)))
  }

  private def drop(table: Table, fileId: String, of: Instant): Unit = {
    storage.delete(s"${table.basePath}/p/${FileNames.baseFile(fileId, "0-0-0", of.time)}")
    ()
  }

  private def clean(table: Table, earliest: String, completes: Boolean = true): Unit = {
    val store = table.refresh().store
    val time = store.newInstantTime(store.load().lastTime.getOrElse(""))
    store.requestClean(time, CleanPlan("P", None, "", Map.empty))
    store.toInflight(time, Action.Clean)
    if (completes)
      store.completeClean(time, CleanMetadata(time, 1, earliest, "", Seq(CleanedPartition("p", "P", Nil))))
    ()
  }

  private def refused(table: Table, asOf: String): String =
    intercept[InvalidInput](TableSupport.of(table.refresh(), TableAccess.Read(Some(asOf)))).condition

  private def allowed(table: Table, asOf: String): Unit = {
    TableSupport.of(table.refresh(), TableAccess.Read(Some(asOf)))
    ()
  }

  for (version <- Seq(6, 8, 9)) {
    test(s"version $version: a time before the first commit is an error that names it, an empty table has none") {
      val (table, commits) = updated(version)
      val error =
        intercept[InvalidInput](TableSupport.of(table.refresh(), TableAccess.Read(Some("20200101000000000"))))
      assertEquals((error.condition, error.parameters("first")), ("TIME_BEFORE_FIRST_COMMIT", commits.head.time))
      allowed(table, commits.head.time)
      allowed(table, "20990101000000000")
      allowed(TestTables.create(version), "20200101000000000")
    }

    test(s"version $version: a state is retained from the instant on that the last clean names") {
      val (table, commits) = updated(version)
      clean(table, commits(1).time)
      assertEquals(refused(table, commits.head.time), "STATE_NOT_RETAINED")
      allowed(table, commits(1).time)
      clean(table, "") // one that goes by file versions does not take the bound back
      assertEquals(refused(table, commits.head.time), "STATE_NOT_RETAINED")
    }

    test(s"version $version: behind a clean that names no instant the files decide") {
      val (table, commits) = updated(version)
      val other = write(table.refresh(), "p" -> "b-0")
      clean(table, "")
      commits.foreach(c => allowed(table, c.time))
      drop(table, "a-0", of = commits.head)
      assertEquals(refused(table, commits.head.time), "STATE_NOT_RETAINED")
      commits.tail.foreach(c => allowed(table, c.time))
      drop(table, "b-0", of = other)
      // No cleaning takes the newest file of a group.
      assertEquals(
        intercept[CorruptTable](TableSupport.of(table.refresh(), TableAccess.Read(Some(other.time)))).condition,
        "CORRUPT_FILE")
      allowed(table, commits.last.time)
    }

    test(s"version $version: a clean under way may have deleted files") {
      val (table, commits) = updated(version)
      drop(table, "a-0", of = commits.head)
      clean(table, "", completes = false)
      assertEquals(refused(table, commits.head.time), "STATE_NOT_RETAINED")
      allowed(table, commits(1).time)
    }

    test(s"version $version: a group that was replaced later and cleaned away is missed") {
      val (table, commits) = updated(version)
      val replace = Transaction.begin(table.refresh(), Action.ReplaceCommit, "INSERT_OVERWRITE")
      val replaced = replace.commit(Seq(writeFile(table, replace.instant, "p", "n-0")), Map("p" -> Seq("a-0")))
      commits.foreach(drop(table, "a-0", _))
      clean(table, "")
      commits.foreach(c => assertEquals(refused(table, c.time), "STATE_NOT_RETAINED"))
      allowed(table, replaced.time)
    }

    test(s"version $version: the state of a savepoint stays") {
      val (table, commits) = updated(version)
      table.store.savepoint(commits.head.time, SavepointMetadata("me", 0L, "", Map("p" -> Nil)))
      clean(table, commits.last.time)
      allowed(table, commits.head.time)
      assertEquals(refused(table, commits(1).time), "STATE_NOT_RETAINED")
    }

    test(s"version $version: without any clean nothing is asked of storage but what is known") {
      val memory = new MemoryStorage()
      val table = TestTables.create(memory, "/t", version)
      val first = write(table, "p" -> "a-0")
      write(table.refresh(), "q" -> "b-0")
      val now = table.refresh()
      val before = (memory.listings, memory.reads)
      TableSupport.of(now, TableAccess.Read())
      TableSupport.of(now, TableAccess.Read(Some(first.time)))
      TableSupport.of(now, TableAccess.Write)
      assertEquals((memory.listings, memory.reads), before)
    }

    test(s"version $version: a range with an end says when its rows were overwritten and cleaned away") {
      val (table, commits) = updated(version)
      def position(i: Instant): String = i.completionTime.getOrElse(i.time)
      drop(table, "a-0", of = commits(1))
      val range = IncrementalRange(position(commits.head), Some(position(commits(1))))
      val error = intercept[InvalidInput](table.refresh().incremental(range))
      assertEquals((error.condition, error.parameters("end")), ("RANGE_NOT_RETAINED", position(commits(1))))
      val left = table.refresh().incremental(range, orWhatIsLeft = true)
      assert(left.fullScan)
      assertEquals(left.slices("p").map(_.instant), Seq(commits.last.time))
      assertEquals(table.refresh().incremental(range.copy(end = None)).instants, commits.tail.map(_.time).toSet)
    }
  }

  test("a commit that archival left behind is not retained by that") {
    val archived = TestTables.create(9)
    val commits = (1 to 3).map(n => write(archived.refresh(), "p" -> s"g$n-0"))
    // Archived: the first one stays for its savepoint, the second has left.
    archived.store.savepoint(commits.head.time, SavepointMetadata("me", 0L, "", Map.empty))
    archived.store.delete(commits(1))
    allowed(archived, commits.head.time)
    allowed(archived, commits.last.time)
    assertEquals(refused(archived, "20200101000000000"), "TIME_BEFORE_FIRST_COMMIT")
  }

  test("a state between a savepoint and the first write that is no longer archived is not that of the savepoint") {
    for (version <- Seq(6, 8, 9)) {
      val table = TestTables.create(version)
      val commits = (1 to 8).map(n => write(table.refresh(), "p" -> s"g$n-0"))
      table.store.savepoint(commits.head.time, SavepointMetadata("me", 0L, "", Map.empty))
      val between = commits.head.time.dropRight(1) + (commits.head.time.last.asDigit + 1).min(9)
      if (between < commits(1).time) allowed(table, between)
      val few = Services.of().archiving.copy(minCommits = 2, maxCommits = 3, beyondSavepoint = true)
      assertEquals(new Archiver(table.refresh(), few).run().instants.map(_.time), commits.slice(1, 6).map(_.time))
      commits.slice(1, 6).foreach(c => assertEquals(refused(table, c.time), "STATE_NOT_RETAINED"))
      (commits.head +: commits.drop(6)).foreach(c => allowed(table, c.time))
      val position = (i: Instant) => i.completionTime.getOrElse(i.time)
      val since = table.refresh().incremental(IncrementalRange(position(commits.head), None))
      assertEquals(since.instants, commits.tail.map(_.time).toSet)
      val part = table.refresh().incremental(IncrementalRange(position(commits(1)), Some(position(commits(3)))))
      assertEquals(part.instants, commits.slice(2, 4).map(_.time).toSet)
      assertEquals(
        intercept[InvalidInput](Restores.run(table.refresh(), commits.head.time)).condition, "RESTORE_NOT_POSSIBLE")
    }
  }
}

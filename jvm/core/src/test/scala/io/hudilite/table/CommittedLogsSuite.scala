package io.hudilite.table

import io.hudilite.TestTables
import io.hudilite.error.CorruptTable
import io.hudilite.filegroup.{FileNames, FileSlice}
import io.hudilite.service.Services
import io.hudilite.service.compact.{CompactionKind, CompactionScheduler, PendingCompactions}

import io.hudilite.TestTables.{storage, write, writeFile}
import io.hudilite.timeline.Action
import io.hudilite.transaction.{Assumption, Transaction}

import munit.FunSuite

/** Log files are compared with the commits that made them. Their blocks are not looked at here. */
class CommittedLogsSuite extends FunSuite {

  private val withFilesPerInstant = Seq(8, 9)

  /** A table with a base file and a log file in each of two file groups, and in one a second log file. */
  private def logged(version: Int): Table = {
    val table = TestTables.createMergeOnRead(version)
    val instant = write(table, "p" -> "a-0", "p" -> "b-0").time
    TestTables.log(table, ("p", "a-0", instant), ("p", "b-0", instant))
    TestTables.log(table, ("p", "a-0", instant))
    table.refresh()
  }

  private def slice(table: Table, fileId: String): FileSlice =
    table.refresh().allSlices()("p").find(_.fileId == fileId).get

  private def path(table: Table, name: String): String = s"${table.basePath}/p/$name"

  private def damage(table: Table, name: String): String = {
    val errors = Seq[Table => Any](_.allSlices(), _.slices(Seq("p")), _.incremental(IncrementalRange("0")))
      .map(look => intercept[CorruptTable](look(table.refresh())))
    errors.foreach { e =>
      assertEquals(e.condition, "CORRUPT_FILE")
      assertEquals(e.parameters("path"), path(table, name))
    }
    errors.map(_.parameters("reason")).distinct.mkString
  }

  withFilesPerInstant.foreach { version =>
    test(s"version $version: a log file that a write made and that is gone is damage") {
      for (fileId <- Seq("a-0", "b-0"); n <- 0 until slice(logged(version), fileId).logs.size) {
        val table = logged(version)
        val log = slice(table, fileId).logs(n)
        storage.delete(path(table, log.name))
        assertEquals(damage(table, log.name), s"the write ${log.time} made it, but it is gone")
      }
    }

    test(s"version $version: all log files of a table gone is damage") {
      val table = logged(version)
      val logs = Seq("a-0", "b-0").flatMap(slice(table, _).logs)
      logs.foreach(log => storage.delete(path(table, log.name)))
      intercept[CorruptTable](table.refresh().allSlices())
    }

    test(s"version $version: a log file of another length than its write left is damage, also an empty one") {
      for (length <- Seq(0, 1, 23, 25, 1000)) {
        val table = logged(version)
        val log = slice(table, "a-0").logs.last
        assertEquals(log.length, 24L)
        storage.replace(path(table, log.name), new Array[Byte](length))
        assertEquals(damage(table, log.name), s"it has $length bytes instead of the 24 that the write ${log.time} left")
      }
    }

    test(s"version $version: a log file that its write does not name is not read") {
      val table = logged(version)
      val before = slice(table, "a-0")
      val stray = FileNames.logFile("a-0", before.logs.last.time, 1, "9-9-9")
      storage.createNew(path(table, stray), Array[Byte](1))
      val elsewhere = FileNames.logFile("c-0", before.logs.last.time, 1, "9-9-9")
      storage.createNew(path(table, elsewhere), Array[Byte](1))
      assertEquals(slice(table, "a-0"), before)
      assertEquals(table.refresh().allSlices()("p").map(_.fileId), Seq("a-0", "b-0"))
    }

    test(s"version $version: what was cleaned behind a newer base file is not missed") {
      val table = logged(version)
      val old = slice(table, "a-0")
      val transaction = TestTables.begin(table)
      transaction.commit(Seq(writeFile(table, transaction.instant, "p", "a-0", Some(old.instant))))
      (old.base.map(_.name).toSeq ++ old.logs.map(_.name)).foreach(name => storage.delete(path(table, name)))
      assertEquals(slice(table, "a-0").logs, Nil)
      assertEquals(slice(table, "b-0").logs.size, 1)
    }

    test(s"version $version: log files that a reader of an earlier instant does not see are not missed") {
      val table = logged(version)
      val logs = slice(table, "a-0").logs
      storage.delete(path(table, logs.last.name))
      val earlier = table.refresh().allSlices(Some(logs.head.time))("p").find(_.fileId == "a-0").get
      assertEquals(earlier.logs, logs.take(1))
    }
  }

  // A slice's write is a compaction's or one that began the file group.
  for (version <- withFilesPerInstant; action <- Seq(Action.Commit, Action.DeltaCommit)) {
    test(s"version $version: log files of version 6 that an upgrade left beside the base file of a $action are read") {
      val table = TestTables.createMergeOnRead(version)
      val first = Transaction.begin(table, action, "UPSERT")
      first.commit(Seq(writeFile(table, first.instant, "p", "a-0")), assumption = Assumption.Nothing)
      val names = (1 to 2).map(n => TestTables.upgradedLog(table, "p", "a-0", first.instant, n))
      val other = TestTables.elsewhere(table)
      assertEquals(slice(other, "a-0").logs.map(_.name), names)
      assertEquals(slice(other, "a-0").base.map(_.instant), Some(first.instant))
      storage.createNew(path(table, FileNames.logFile("a-0", first.instant, 3, "9-9-9")), Array[Byte](1))
      assertEquals(slice(other, "a-0").logs.map(_.name), names)
      storage.delete(path(table, names.head))
      assert(damage(other, names.head).endsWith("it is gone"))
    }
  }

  for (version <- withFilesPerInstant)
    test(
      s"version $version: a range that ends before a compaction has what was logged before an upgrade since it was planned") {
      val table = TestTables.createMergeOnRead(version)
      val first = Transaction.begin(table, Action.DeltaCommit, "UPSERT")
      first.commit(Seq(writeFile(table, first.instant, "p", "a-0")), assumption = Assumption.Nothing)
      TestTables.log(table, ("p", "a-0", first.instant))
      val before = slice(table, "a-0")
      val settings = Services.of("hoodie.compact.inline.max.delta.commits" -> "1").compaction
      val planned = CompactionScheduler.schedule(table.refresh(), settings).get.instant.get
      val name = TestTables.upgradedLog(table, "p", "a-0", planned, 1)
      val other = TestTables.elsewhere(table)
      val end = other.timeline.writes.flatMap(_.completionTime).max
      val compaction =
        Transaction.resume(other, PendingCompactions.named(other, planned), CompactionKind.Base.operation)
      compaction.commit(Seq(writeFile(table, planned, "p", "a-0", Some(first.instant))))
      val now = TestTables.elsewhere(table)
      assertEquals(slice(now, "a-0").logs.map(_.name), Seq(name))
      val inRange = now.incremental(IncrementalRange("0", Some(end))).slices("p")
      assertEquals(
        inRange.map(s => s.base -> s.logs.map(_.name)), Seq(before.base -> (before.logs.map(_.name) :+ name)))
    }

  test("in version 6, where writes append to files of others, lengths say nothing") {
    val table = logged(6)
    val log = slice(table, "a-0").logs.last
    storage.replace(path(table, log.name), new Array[Byte](100))
    assertEquals(slice(table, "a-0").logs.last.length, 100L)
  }
}

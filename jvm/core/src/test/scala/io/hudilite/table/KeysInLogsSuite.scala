package io.hudilite.table

import io.hudilite.TestTables
import io.hudilite.TestTables.write
import io.hudilite.filegroup.{BaseFile, FileGroupId, FileSlice, LogFile}
import io.hudilite.timeline.{Action, CommitMetadata, Instant, WriteStat}
import io.hudilite.transaction.{Assumption, Transaction}

import munit.FunSuite

/** Log files that may add keys to those of their base files, or delete some. Their blocks are not looked at. */
class KeysInLogsSuite extends FunSuite {

  /** A delta commit that says how many rows it added to the log of a group. */
  private def log(table: Table, fileId: String, inserts: Long, deletes: Long = 0, taken: Option[Long] = None)
      : Instant = {
    val now = table.refresh()
    val slice = now.allSlices()("p").find(_.fileId == fileId).getOrElse(fail(s"no $fileId"))
    val transaction = Transaction.begin(now, Action.DeltaCommit, "UPSERT")
    val stat = TestTables.appendLog(now, transaction.instant, slice)
    transaction.commit(Seq(stat.copy(numInserts = inserts, numUpdateWrites = 1, numDeletes = deletes, taken = taken)))
  }

  private def added(table: Table): Set[String] = {
    val now = table.refresh()
    new KeysInLogs(now).among(now.allSlices().values.flatten.toSeq).added.map(_.fileId)
  }

  for (version <- Seq(6, 8, 9)) {
    test(s"version $version: the groups to whose logs a write says that it added rows") {
      val table = TestTables.createMergeOnRead(version)
      write(table, "p" -> "a-0", "p" -> "b-0", "p" -> "c-0")
      assertEquals(added(table), Set.empty[String])
      log(table, "a-0", inserts = 0)
      assertEquals(added(table), Set.empty[String])
      log(table, "b-0", inserts = 2)
      log(table, "b-0", inserts = 0)
      assertEquals(added(table), Set("b-0"))
    }

    test(s"version $version: the groups from whose rows a write says that it took some away") {
      val table = TestTables.createMergeOnRead(version)
      write(table, "p" -> "a-0", "p" -> "b-0", "p" -> "c-0")
      def deleted = {
        val now = table.refresh()
        new KeysInLogs(now).among(now.allSlices().values.flatten.toSeq).deleted.map(_.fileId)
      }
      log(table, "a-0", inserts = 1)
      assertEquals(deleted, Set.empty[String])
      log(table, "c-0", inserts = 0, deletes = 2)
      log(table, "c-0", inserts = 0)
      assertEquals(deleted, Set("c-0"))
    }

    test(s"version $version: rows that log files take out, as far as each of their writers has counted them") {
      val table = TestTables.createMergeOnRead(version)
      write(table, "p" -> "a-0", "p" -> "b-0", "p" -> "c-0")
      def taken = {
        val now = table.refresh()
        new KeysInLogs(now).among(now.allSlices().values.flatten.toSeq).taken.map { case (id, n) => id.fileId -> n }
      }
      log(table, "a-0", inserts = 0, deletes = 4, taken = Some(3))
      log(table, "b-0", inserts = 0, deletes = 2, taken = Some(2))
      log(table, "c-0", inserts = 0, deletes = 2)
      assertEquals(taken, Map("a-0" -> 3L, "b-0" -> 2L))
      log(table, "a-0", inserts = 0, taken = Some(-1))
      log(table, "c-0", inserts = 0, deletes = 2, taken = Some(2))
      assertEquals(taken, Map("a-0" -> 2L, "b-0" -> 2L))
      log(table, "a-0", inserts = 0, taken = Some(0))
      log(table, "b-0", inserts = 0)
      assertEquals(taken, Map("a-0" -> 2L), "another writer may have brought rows back")
      val slices = table.refresh().allSlices()("p").map(s =>
        if (s.fileId == "a-0") s.copy(logs = s.logs :+ s.logs.last.copy(name = s"${s.logs.last.name}1")) else s)
      assertEquals(new KeysInLogs(table.refresh()).among(slices).taken, Map.empty[FileGroupId, Long],
        "a log file that no write tells of may bring rows back, too")
      write(table.refresh(), "p" -> "a-0")
      assertEquals(taken, Map.empty[String, Long], "the base file lacks them now")
    }

    test(s"version $version: a log compaction repeats rows that others added") {
      val table = TestTables.createMergeOnRead(version)
      val base = write(table, "p" -> "a-0")
      val metadata = CommitMetadata(CommitMetadata.LogCompact,
        Map("p" -> Seq(WriteStat("a-0", "p/.a-0_1.log.1_0-0-0", base.time, "p"))), Map.empty)
      assertEquals(KeysInLogs.addedTo(Seq(base -> metadata)), Set(FileGroupId("p", "a-0")))
      assertEquals(KeysInLogs.deletedFrom(Seq(base -> metadata)), Set(FileGroupId("p", "a-0")), "and deletes")
      assertEquals(KeysInLogs.addedTo(Seq(base -> metadata.copy(operation = "UPSERT"))), Set.empty[FileGroupId])
    }

    if (version >= 8) test(s"version $version: nor of one that an upgrade left beside the base file of its slice") {
      val table = TestTables.createMergeOnRead(version)
      val first = Transaction.begin(table, Action.DeltaCommit, "UPSERT")
      first.commit(Seq(TestTables.writeFile(table, first.instant, "p", "a-0")), assumption = Assumption.Nothing)
      val now = table.refresh()
      val slice = now.allSlices()("p").head
      val left = LogFile("p", s".a-0_${first.instant}.log.1_0-0-0", "a-0", first.instant, 1, Some("0-0-0"), 1)
      assertEquals(new KeysInLogs(now).among(Seq(slice.copy(logs = Seq(left)))).added, Set(slice.groupId))
    }

    test(
      s"version $version: log files that are older than the base file, which a compaction made of those before them") {
      val table = TestTables.createMergeOnRead(version)
      write(table, "p" -> "a-0")
      log(table, "a-0", inserts = 0)
      val compacted = write(table, "p" -> "b-0").time
      val slice = table.refresh().allSlices()("p").find(_.fileId == "a-0").get
      def over(instant: String) =
        slice.copy(base = Some(BaseFile("p", s"a-0_0-0-0_$instant.parquet", "a-0", "0-0-0", instant, 1)))
      log(table, "a-0", inserts = 0)
      val inserts = new KeysInLogs(table.refresh())
      assertEquals(inserts.among(Seq(slice)).added, Set.empty[FileGroupId])
      assertEquals(inserts.among(Seq(over(compacted))).added, Set(slice.groupId))
      assertEquals(inserts.among(Seq(over("20200101000000000"))).added, Set(slice.groupId), "of an archived write")
    }

    test(s"version $version: of log files whose write left the timeline nobody knows") {
      val table = TestTables.createMergeOnRead(version)
      write(table, "p" -> "a-0")
      val old = "20200101000000000"
      val file = BaseFile("p", s"x-0_0-0-0_$old.parquet", "x-0", "0-0-0", old, 1)
      val logged = LogFile("p", s".x-0_$old.log.1_0-0-0", "x-0", old, 1, Some("0-0-0"), 1)
      val slice = FileSlice("p", "x-0", old, Some(file), Seq(logged))
      val inserts = new KeysInLogs(table.refresh())
      assertEquals(inserts.among(Seq(slice)).added, Set(slice.groupId))
      assertEquals(inserts.among(Seq(slice.copy(base = None), slice.copy(logs = Nil))).added, Set.empty[FileGroupId])
      assertEquals(inserts.among(Seq(slice)).deleted, Set(slice.groupId))
      assertEquals(inserts.among(Seq(slice.copy(logs = Nil))), KeysInLogs.Groups.None)
    }
  }
}

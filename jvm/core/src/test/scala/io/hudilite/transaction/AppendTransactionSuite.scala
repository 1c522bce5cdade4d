package io.hudilite.transaction

import io.hudilite.TestTables
import io.hudilite.error.CommitConflict
import io.hudilite.filegroup.FileNames
import io.hudilite.timeline.{Action, WriteStat}

import munit.FunSuite

/** Writes that append log files to a file group. */
class AppendTransactionSuite extends FunSuite {

  for (version <- Seq(6, 8, 9)) {

    test(s"version $version: log files of a write that fails and of attempts that lost are removed") {
      val table = TestTables.createMergeOnRead(version)
      TestTables.write(table, "p1" -> "a-0")
      val group = table.refresh().allSlices()("p1").head
      def logs: Set[String] = TestTables.files(table).filter(_.startsWith("p1/.a-0"))
      val failed = Transaction.begin(table.refresh(), Action.DeltaCommit, "UPSERT")
      TestTables.appendLog(table, failed.instant, group)
      assertEquals(logs.size, 1)
      failed.rollback()
      assertEquals(logs, Set.empty[String])
      val transaction = Transaction.begin(table.refresh(), Action.DeltaCommit, "UPSERT")
      TestTables.appendLog(table, transaction.instant, group)
      val stat = TestTables.appendLog(table, transaction.instant, group, attempt = 1)
      transaction.commit(Seq(stat))
      assertEquals(logs, Set(stat.path))
      assertEquals(table.refresh().allSlices()("p1").map(s => (s.instant, s.logs.map(_.relativePath))),
        Seq((group.instant, Seq(stat.path))))
      assertEquals(table.store.readCommit(table.refresh().timeline.writes.last).allStats, Seq(stat))
    }

    test(s"version $version: the stat of a log file names its own group, and an instant that its name may bear") {
      val table = TestTables.createMergeOnRead(version)
      TestTables.write(table, "p1" -> "a-0")
      val group = table.refresh().allSlices()("p1").head
      val transaction = Transaction.begin(table.refresh(), Action.DeltaCommit, "UPSERT")
      val stat = TestTables.appendLog(table, transaction.instant, group)
      def renamed(fileId: String, time: String): WriteStat =
        stat.copy(path = s"p1/${FileNames.logFile(fileId, time, 1, "0-0-0")}")
      intercept[IllegalStateException](transaction.commit(Seq(renamed("b-0", transaction.instant))))
      intercept[IllegalStateException](transaction.commit(Seq(renamed("a-0", "99990101000000000"))))
      if (version >= 8) intercept[IllegalStateException](transaction.commit(Seq(renamed("a-0", group.instant))))
      transaction.commit(Seq(stat))
    }

    test(s"version $version: of two writes that append to one file group the second conflicts") {
      val table = TestTables.createMergeOnRead(version)
      TestTables.write(table, "p1" -> "a-0")
      val now = table.refresh()
      val group = now.allSlices()("p1").head
      val both = Seq.fill(2)(Transaction.begin(now, Action.DeltaCommit, "UPSERT"))
      both(0).commit(Seq(TestTables.appendLog(now, both(0).instant, group)))
      val error = intercept[CommitConflict](
        both(1).commit(Seq(TestTables.appendLog(now, both(1).instant, group, attempt = 1))))
      assert(error.parameters("reason").contains("a-0"), error.parameters("reason"))
      both(1).rollback()
      assertEquals(table.refresh().allSlices()("p1").flatMap(_.logs).size, 1)
    }
  }
}

package io.hudilite.transaction

import io.hudilite.TestTables
import io.hudilite.log.{BlockInstants, BlockSelection, LogFileReader}
import io.hudilite.table.Table
import io.hudilite.timeline.Action

import munit.FunSuite

class KilledWriterSuite extends FunSuite {

  override val munitTimeout = scala.concurrent.duration.Duration(5, "min")

  for (version <- Seq(6, 9); stage <- CrashingWriter.Stages)
    test(s"version $version: readers see the state before and the next write cleans up after a kill before '$stage'") {
      val table = TestTables.create(version)
      TestTables.write(table, "p1" -> "old-0")
      val before = TestTables.visible(table)
      kill(table, stage)
      assertEquals(TestTables.visible(table), before)
      TestTables.write(table.refresh(), "p2" -> "next-0")
      assertEquals(TestTables.visible(table).filterNot(_.startsWith("p2/")), before)
      assertCleanedUp(table)
    }

  for (version <- Seq(6, 9); stage <- CrashingWriter.AppendStages)
    test(s"version $version: a kill before '$stage' of a log file leaves nothing that the next write does not remove") {
      val table = TestTables.createMergeOnRead(version)
      TestTables.write(table, "p1" -> "old-0")
      val group = table.refresh().allSlices()("p1").head
      val first = Transaction.begin(table.refresh(), Action.DeltaCommit, "UPSERT")
      first.commit(Seq(TestTables.appendLog(table, first.instant, group)))
      val logs = visibleLogs(table)
      assertEquals(logs.size, 1)
      OtherProcess.start("append", table.basePath, stage).end()
      assertEquals(committedBlocks(table), Seq(first.instant))
      TestTables.write(table.refresh(), "p2" -> "next-0")
      // A file that was created before its marker is empty, and stays for the cleaner.
      assertEquals(visibleLogs(table).filter { case (_, length) => length > 0 }, logs)
      assertCleanedUp(table)
    }

  private def visibleLogs(table: Table): Map[String, Long] =
    table.refresh().allSlices()("p1").flatMap(_.logs).map(l => l.name -> l.length).toMap

  private def committedBlocks(table: Table): Seq[String] = {
    val now = table.refresh()
    val instants = BlockInstants(now.config.version, None, now.timeline.writes.map(_.time).toSet, None)
    val blocks = now.allSlices()("p1").flatMap(_.logs).flatMap(l =>
      LogFileReader.blocks(now.storage, s"${now.basePath}/${l.relativePath}", l.length))
    BlockSelection.select(blocks, instants).map(_.instant)
  }

  test("the pending instant of a process that is alive stays") {
    val table = TestTables.create(9)
    val writer = OtherProcess.start("write", table.basePath, "completed")
    try TestTables.write(table.refresh(), "p2" -> "next-0")
    finally writer.end()
    assertEquals(table.refresh().timeline.pendingWrites.size, 1)
    TestTables.write(table.refresh(), "p2" -> "another-0")
    assertEquals(table.refresh().timeline.pendingWrites.size, 0)
    assertCleanedUp(table)
  }

  private def kill(table: Table, stage: String): Unit = OtherProcess.start("write", table.basePath, stage).end()

  private def assertCleanedUp(table: Table): Unit = {
    val files = TestTables.files(table)
    assertEquals(table.refresh().timeline.pending, Nil)
    assertEquals(files.filter(f => f.contains("new-0") || f.startsWith(".hoodie/.temp/") || f.contains(".heartbeat/")),
      Set.empty[String])
  }
}

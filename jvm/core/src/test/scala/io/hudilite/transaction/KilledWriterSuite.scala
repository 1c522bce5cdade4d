package io.hudilite.transaction

import io.hudilite.TestTables
import io.hudilite.table.Table

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

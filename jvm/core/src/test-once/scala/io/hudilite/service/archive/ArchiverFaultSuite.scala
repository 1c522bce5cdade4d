package io.hudilite.service.archive

import io.hudilite.TestTables
import io.hudilite.service.Services
import io.hudilite.storage.{FaultyStorage, MemoryStorage, Storage}
import io.hudilite.table.Table
import io.hudilite.timeline.{Action, ArchiveContents}

import munit.FunSuite

/** An archiving that fails, or is killed, at each of its storage calls, and the next one. */
class ArchiverFaultSuite extends FunSuite {

  private val conf = Services.of().archiving.copy(minCommits = 1, maxCommits = 2, mergedFiles = 2)
  private val path = "/t"

  /** A table with an archived batch, and five commits of which four are due. */
  private def prepared(version: Int): MemoryStorage = {
    val storage = new MemoryStorage(() => 1767225600000L)
    val table = TestTables.create(storage, path, version)
    def write(n: Int) = TestTables.write(table.refresh(), "p" -> s"g$n-0")
    (1 to 3).foreach(write)
    new Archiver(table.refresh(), conf).run()
    (4 to 6).foreach(write)
    storage
  }

  private def copyOf(storage: MemoryStorage): MemoryStorage = {
    val copy = new MemoryStorage(() => 1767225600000L)
    storage.paths.foreach(p => copy.createNew(p, storage.read(p).get))
    copy
  }

  private def run(storage: Storage): Archived = new Archiver(Table.open(storage, path), conf).run()

  private def allInstants(
      table: Table): Seq[String] = (table.store.archivedCompleted() ++ table.timeline.writes).map(_.time)

  for (version <- Seq(6, 9))
    test(s"version $version: a batch that was cut off at any call is taken up, and nobody sees a difference") {
      val origin = prepared(version)
      val before = Table.open(origin, path)
      val (visible, instants) = (TestTables.visible(before), allInstants(before))
      val counting = new FaultyStorage(copyOf(origin), _ => false, () => new IllegalStateException, afterEffect = false)
      assert(run(counting).files.size >= (if (version == 6) 1 else 2))
      assert(counting.calls > 20)
      for (number <- 1 to counting.calls; after <- Seq(false, true); killed <- Seq(false, true)) {
        val clue = s"${if (killed) "killed" else "failed"} ${if (after) "after" else "before"} call $number"
        val storage = copyOf(origin)
        val faulty = new FaultyStorage(storage, n => n == number || (killed && n > number),
          () => new java.io.IOException("connection lost"), after)
        try run(faulty)
        catch { case _: Throwable => }
        check(storage, visible, instants.toSet, clue)
        // Meanwhile somebody writes, so that the next batch is another one.
        if (number % 2 == 0) TestTables.write(Table.open(storage, path), "q" -> "h-0")
        run(storage)
        run(storage)
        val now = Table.open(storage, path)
        assertEquals(now.timeline.pending, Nil, clue)
        assert(now.timeline.writes.size <= conf.maxCommits, clue)
        if (number % 2 != 0) check(storage, visible, instants.toSet, clue)
        assertNothingTwice(now, clue)
      }
    }

  private def check(storage: MemoryStorage, visible: Seq[String], instants: Set[String], clue: String): Unit = {
    val table = Table.open(storage, path)
    assertEquals(TestTables.visible(table), visible, clue)
    assertEquals(allInstants(table).toSet, instants, clue)
    assertEquals(table.timeline.pending, Nil, clue)
    assert(table.timeline.writes.forall(_.action == Action.Commit), clue)
  }

  private def assertNothingTwice(now: Table, clue: String): Unit = {
    val archived = now.store.archivedCompleted()
    assertEquals(archived.map(_.time).intersect(now.timeline.writes.map(_.time)).size <= conf.maxCommits, true,
      clue)
    if (now.config.layout == 1) assertEquals(ArchiveContents.blocks(now) <= 3 * archived.size, true, clue)
    else assertEquals(ArchiveContents.rows(now).sorted, archived.map(i => (i.time, i.action)), clue)
  }
}

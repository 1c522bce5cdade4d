package io.hudilite.service

import io.hudilite.TestTables
import io.hudilite.error.CommitConflict
import io.hudilite.service.archive.Archiver
import io.hudilite.storage.{MemoryStorage, Storage}
import io.hudilite.table.Table
import io.hudilite.transaction.{ProcessView, TextWrites, TwoProcesses}

import munit.FunSuite

/** Services in processes that no lock joins give way as writes do. */
class ServiceExclusionSuite extends FunSuite {

  import Served.Path

  private def refused(body: => Any): Unit =
    assertEquals(intercept[CommitConflict](body).condition, "WRITER_NOT_EXCLUDED")

  private def open(storage: Storage): Table = Table.open(storage, Path)

  for (service <- Served.all)
    test(s"${service.name}: while another process writes it is refused by name, and leaves nothing") {
      val world = Served.origin(9, service)
      val writing = TextWrites.insert("w-0").begin(open(world.memory), TwoProcesses.options("b"))
      val before = world.memory.paths
      refused(service.run(open(new ProcessView(world.memory)), TwoProcesses.options("a")))
      assertEquals(world.memory.paths, before)
      writing.rollback()
    }

  test("while a service runs in another process a write and another service are refused, at each of its requests") {
    val storage = prepared(9)
    var seen = 0
    val held = new ProcessView(storage,
      path =>
        if (storage.paths.exists(_.contains("/claim-")) && !path.contains("/.hudilite/")) {
          seen += 1
          refused(TextWrites.insert("w-0").begin(open(storage), TwoProcesses.options("b")))
          refused(archive(storage, "b"))
        })
    archive(held, "a")
    assert(seen > 10, s"$seen requests")
    TextWrites.insert("w-0").run(open(storage), TwoProcesses.options("b"))
  }

  private val conf = Services.of().archiving.copy(minCommits = 1, maxCommits = 2, mergedFiles = 2)

  private def archive(storage: Storage, process: String): Unit = {
    val ours = if (process == "a") conf else conf.copy(minCommits = 2, maxCommits = 3)
    new Archiver(open(storage), ours, TwoProcesses.options(process)).run()
    ()
  }

  /** A table with an archived batch, and commits that are due. */
  private def prepared(version: Int): MemoryStorage = {
    val storage = new MemoryStorage()
    val table = TestTables.create(storage, Path, version)
    (1 to 3).foreach(n => TestTables.write(table.refresh(), "p" -> s"g$n-0"))
    archive(storage, "a")
    (4 to 6).foreach(n => TestTables.write(table.refresh(), "p" -> s"g$n-0"))
    storage
  }

  private def instants(storage: Storage): Seq[String] = {
    val table = open(storage)
    (table.store.archivedCompleted() ++ table.timeline.writes).map(_.time).sorted
  }

  for (version <- Seq(6, 9))
    test(s"version $version: of two archivings held at any of their requests none takes an instant from the other") {
      val number = TwoProcesses.heldAnywhere(step = 4) { (number, other) =>
        val storage = prepared(version)
        val before = instants(storage)
        val ended = TwoProcesses.run(storage, number, other, exclusive = false)(archive(_, "a"), archive(_, "b"))
        val clue = s"held at $number and $other"
        for (Left(e) <- Seq(ended.first) ++ ended.second)
          assert(e.isInstanceOf[CommitConflict], s"$clue: $e")
        assertEquals(instants(storage), before, clue)
        archive(storage, "a")
        assertEquals(instants(storage), before, clue)
        ended
      }
      assert(number > 10, s"$number requests")
    }
}

package io.hudilite.transaction

import io.hudilite.TestTables
import io.hudilite.config.TableType
import io.hudilite.error.CorruptTable
import io.hudilite.service.Services
import io.hudilite.service.compact.CompactionScheduler
import io.hudilite.storage.{Machine, MemoryStorage, Storage}
import io.hudilite.table.Table

import java.time.{Duration, Instant => EpochInstant, ZoneId}

import munit.FunSuite

/** Writers whose clocks differ, step back, or repeat an hour. */
class ClocksSuite extends FunSuite {

  private val path = "/t"
  private val hour = Duration.ofHours(1)
  private val noon = EpochInstant.parse("2026-11-22T12:00:00Z")

  private def at(machine: Storage): Table = Table.open(machine, path)

  /** Every time of the timeline in the order in which it was given: they must be in the order of text. */
  private def times(table: Table): Seq[String] =
    table.refresh().timeline.instants.flatMap(i => i.time +: i.completionTime.toSeq)

  private def write(machine: Storage, fileId: String): String = {
    TextWrites.insert(fileId).run(at(machine))
    at(machine).timeline.writes.last.time
  }

  for (version <- Seq(6, 8, 9)) {

    test(s"version $version: instants follow those of a machine whose clock is an hour ahead, until the hour is over") {
      val files = new MemoryStorage()
      val (ahead, here) = (new Machine(files, noon.plus(hour)), new Machine(files, noon))
      TestTables.create(files, path, version, TableType.CopyOnWrite)
      val first = write(ahead, "a-0")
      val second = write(here, "b-0")
      here.pass(hour.plus(hour))
      val third = write(here, "c-0")
      assertEquals(Seq(first, second, third).sorted, Seq(first, second, third))
      assertEquals(times(at(here)), times(at(here)).sorted)
      assertEquals(TestTables.visible(at(here)).size, 3)
      assert(third.startsWith("2026112214"), "the clock is followed again once it has caught up")
    }

    test(s"version $version: a clock that steps back between the steps of a write does not turn its times back") {
      val machine = new Machine(new MemoryStorage(), noon)
      TestTables.create(machine, path, version, TableType.CopyOnWrite)
      write(machine, "a-0")
      val insert = TextWrites.insert("b-0")
      val transaction = insert.begin(at(machine))
      machine.set(noon.minus(hour))
      insert.commit(at(machine), transaction)
      write(machine, "c-0")
      assertEquals(times(at(machine)), times(at(machine)).sorted)
      assertEquals(TestTables.visible(at(machine)).size, 3)
    }
  }

  for (version <- Seq(8, 9))
    test(s"version $version: a compaction planned by a clock that is ahead hides no change that commits after it") {
      val files = new MemoryStorage()
      val (ahead, here) = (new Machine(files, noon.plus(hour)), new Machine(files, noon))
      TextWrites.table(here, path, version, TableType.MergeOnRead)
      TextWrites.append.run(at(here))
      val upsert = TextWrites.append.begin(at(here))
      val plan = CompactionScheduler.schedule(at(ahead), Services.of().compaction).get.instant.get
      TextWrites.append.commit(at(here), upsert)
      val table = at(here)
      assert(table.timeline.completionTime(upsert.instant).exists(_ > plan), "the change completed after the plan")
      val compaction = Transaction.resume(at(ahead), table.timeline.pendingCompactions.head, "COMPACT")
      val stat = TestTables.writeFile(at(ahead), plan, "p", "g-0", Some(table.slices(Seq("p"))("p").head.instant))
      compaction.commit(Seq(stat))
      assertEquals(at(here).slices(Seq("p"))("p").map(s => (s.instant, s.logs.map(_.time))),
        Seq((plan, Seq(upsert.instant))))
    }

  test("local instants go on increasing over a change to winter time, and as times of the wall") {
    val machine =
      new Machine(new MemoryStorage(), EpochInstant.parse("2026-10-25T00:59:00Z"), ZoneId.of("Europe/Berlin"))
    TestTables.create(machine, path, 9, TableType.CopyOnWrite)
    val summer = write(machine, "a-0")
    machine.pass(Duration.ofMinutes(2))
    val winter = write(machine, "b-0")
    machine.pass(Duration.ofMinutes(60))
    val later = write(machine, "c-0")
    assert(summer.startsWith("202610250259"), summer)
    assert(winter.startsWith("202610250259") && winter > summer, winter)
    assert(later.startsWith("202610250301"), later)
    assertEquals(times(at(machine)), times(at(machine)).sorted)
  }

  test("local instants of a process in a zone west of the last writer's follow that one's") {
    val files = new MemoryStorage()
    val tokyo = new Machine(files, noon, ZoneId.of("Asia/Tokyo"))
    val newYork = new Machine(files, noon.plusSeconds(1), ZoneId.of("America/New_York"))
    TestTables.create(tokyo, path, 9, TableType.CopyOnWrite)
    val first = write(tokyo, "a-0")
    val second = write(newYork, "b-0")
    assert(first.startsWith("20261122210000") && second.startsWith("20261122210000"), s"$first $second")
    assertEquals(times(at(newYork)), times(at(newYork)).sorted)
    assertEquals(TestTables.visible(at(newYork)).size, 2)
  }

  test("a table that is far ahead pulls no other table along") {
    val files = new MemoryStorage()
    val here = new Machine(files, noon)
    val others = Seq("/t", "/u").map(TestTables.create(files, _, 9, TableType.CopyOnWrite))
    TextWrites.insert("a-0").run(others.head.copy(storage = new Machine(files, noon.plus(Duration.ofDays(400)))))
    TextWrites.insert("a-0").run(Table.open(here, "/t"))
    TextWrites.insert("a-0").run(Table.open(here, "/u"))
    assert(Table.open(here, "/u").timeline.writes.head.time.startsWith("20261122"))
  }

  test("an instant that nothing can follow is an error that names it, and nothing is begun") {
    val machine = new Machine(new MemoryStorage(), noon)
    val table = TestTables.create(machine, path, 9, TableType.CopyOnWrite)
    machine.createNew(s"${table.store.folder}/99991231235959999.clean.requested", Array.emptyByteArray)
    val error = intercept[CorruptTable](TextWrites.insert("a-0").begin(at(machine)))
    assertEquals((error.condition, error.parameters("instant")), ("TIMELINE_ENDS", "99991231235959999"))
    assertEquals(at(machine).timeline.instants.size, 1)
  }
}

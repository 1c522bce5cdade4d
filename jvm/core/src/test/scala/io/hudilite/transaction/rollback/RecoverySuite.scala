package io.hudilite.transaction.rollback

import io.hudilite.TestTables
import io.hudilite.config.TableType
import io.hudilite.service.doctor.Doctor
import io.hudilite.storage.{CountingStorage, ForwardingStorage, MemoryStorage, Storage, Temporaries}
import io.hudilite.table.Table
import io.hudilite.timeline.WriteFolders
import io.hudilite.transaction.{TextWrites, Transaction, TransactionOptions}

import java.time.{Clock, Instant, ZoneId, ZoneOffset}
import java.util.concurrent.atomic.AtomicLong

import munit.FunSuite

/** Temporary files of killed writers. */
class RecoverySuite extends FunSuite {

  private val path = "/t"

  /** A table on a storage that gives files their names by renaming them, whose time goes on as the test says. */
  private final class Place(version: Int, renames: Boolean = true) {
    val now = new AtomicLong(1767225600000L)
    val memory = new MemoryStorage(() => now.get)
    val counting = new CountingStorage(memory)
    val storage: Storage = new ForwardingStorage(counting) {
      override def usesTemporaries(path: String): Boolean = renames
      override def clock: Clock = new At(now)
    }
    TextWrites.table(storage, path, version, TableType.CopyOnWrite)

    def table: Table = Table.open(storage, path)

    /** Leaves a file in each folder in which instants, properties and traces get their names. */
    def left(name: => String = Temporaries.nameFor("20260101000000000.commit")): Set[String] = {
      val files = Seq(s"$path/.hoodie", table.store.folder, WriteFolders.owners(path)).distinct.map(f => s"$f/$name")
      files.foreach(memory.replace(_, Array[Byte](1)))
      files.toSet
    }

    def later(): Unit = {
      now.addAndGet(Heartbeat.ExpiryMs + 1)
      ()
    }

    /** Files among these that are left after the first step of every write. */
    def recovered(files: Set[String], atOnce: Boolean = true): Set[String] = {
      Transaction.prepared(table, TransactionOptions(sweepsAtOnce = atOnce))(_ => ())
      files.filter(memory.exists)
    }

    /** The folders that are listed in the beginning of a write. */
    def listed(atOnce: Boolean = false): Seq[String] = {
      val opened = table
      counting.during(Transaction.prepared(opened, TransactionOptions(sweepsAtOnce = atOnce))(_ => ()))._2.all
        .filter(_.kind == "list").map(_.path)
    }
  }

  for (version <- Seq(6, 9)) {
    test(s"version $version: what a killed writer was about to name goes once no writer can be at it any more") {
      val place = new Place(version)
      val files = place.left()
      place.now.addAndGet(Heartbeat.ExpiryMs)
      assertEquals(place.recovered(files), files, "a writer may be about to name it")
      place.now.addAndGet(1L)
      val young = place.left()
      val before = place.memory.paths.toSet
      assertEquals(place.recovered(files ++ young), young)
      assertEquals(before -- place.memory.paths, files, "and nothing else")
    }

    test(s"version $version: what is younger than a writer that is alive may be that one's, however old it is") {
      val place = new Place(version)
      val older = place.left()
      place.now.addAndGet(1L)
      val alive = TestTables.begin(place.table)
      val younger = place.left()
      place.later()
      assertEquals(place.recovered(older ++ younger), younger)
      alive.rollback()
      assertEquals(place.recovered(younger), Set.empty[String])
    }

    test(s"version $version: names that only look like it stay, and so do folders") {
      val place = new Place(version)
      val id = "0123abcd-0123-0123-0123-0123456789ab"
      val others = Seq(".hoodie.properties.crc", s"20260101000000000.commit.$id", s".$id", s".x.$id.tmp").flatMap(n =>
        place.left(n)).toSet
      val folder = s"${place.table.store.folder}/.x.$id"
      place.memory.makeDirectory(folder)
      place.later()
      assertEquals(place.recovered(others + folder), others + folder)
    }
  }

  for (version <- Seq(6, 9)) test(s"version $version: a process looks once in the time after which a writer is dead") {
    val place = new Place(version)
    val owners = WriteFolders.owners(path)
    val all = owners +: Seq(s"$path/.hoodie", place.table.store.folder, owners).distinct
    place.later()
    assertEquals(place.listed(), all)
    val files = place.left()
    for (_ <- 1 to 3) assertEquals(place.listed(), Seq(owners), "who else is at work is asked each time")
    place.now.addAndGet(Heartbeat.ExpiryMs)
    assertEquals(place.recovered(files, atOnce = false), files)
    place.now.addAndGet(1L)
    assertEquals(place.recovered(files, atOnce = false), Set.empty[String])
    assertEquals(place.listed(), Seq(owners))
    assertEquals(place.listed(atOnce = true), all, "who is told to looks in between")
    place.now.addAndGet(-2 * Heartbeat.ExpiryMs)
    assertEquals(place.listed(), all, "a clock that was set back keeps nobody from looking")
  }

  test("the doctor looks at once when it mends") {
    val place = new Place(9)
    place.later()
    place.listed()
    val files = place.left()
    place.now.addAndGet(Heartbeat.ExpiryMs)
    place.listed(atOnce = true)
    assertEquals(files.filter(place.memory.exists), files, "they may be somebody's")
    place.now.addAndGet(1L)
    assertEquals(place.listed().size, 1)
    place.memory.delete(s"$path/p/.hoodie_partition_metadata")
    assertEquals(new Doctor(place.storage, path, TransactionOptions(), (_, _) => Set.empty).run(fix = true)
        .map(_.isMended), Seq(true))
    assertEquals(files.filter(place.memory.exists), Set.empty[String])
  }

  test("what one table has been looked at for is not taken for another's") {
    val place = new Place(9)
    val other = s"$path-2"
    TextWrites.table(place.storage, other, 9, TableType.CopyOnWrite)
    place.later()
    val opened = Table.open(place.storage, other)
    place.listed()
    val (_, calls) = place.counting.during(Transaction.prepared(opened, TransactionOptions())(_ => ()))
    assert(calls.all.exists(c => c.kind == "list" && c.path == opened.store.folder))
  }

  test("where files get their names at once nothing is looked for, and nothing goes") {
    val place = new Place(9, renames = false)
    val files = place.left()
    place.later()
    assertEquals(place.recovered(files), files)
  }
}

/** A clock that shows what the test says. */
private final class At(millis: AtomicLong) extends Clock {
  override def instant: Instant = Instant.ofEpochMilli(millis.get)
  override def getZone: ZoneId = ZoneOffset.UTC
  override def withZone(zone: ZoneId): Clock = Clock.fixed(instant, zone)
}

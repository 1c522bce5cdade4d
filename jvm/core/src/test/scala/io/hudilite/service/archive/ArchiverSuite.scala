package io.hudilite.service.archive

import io.hudilite.{Folders, GoldenFolder, TestTables}
import io.hudilite.config.TableType
import io.hudilite.config.service.ArchiveConf
import io.hudilite.service.Services
import io.hudilite.storage.{MemoryStorage, Storage}
import io.hudilite.table.Table
import io.hudilite.timeline.{Action, ArchiveContents, CommitMetadata, Instant, InstantTime, Timeline}
import io.hudilite.transaction.TextWrites
import io.hudilite.transaction.rollback.{Marker, Markers}

import java.nio.file.{Files, Path}

import munit.FunSuite

class ArchiverSuite extends FunSuite {

  private val conf = Services.of().archiving.copy(minCommits = 2, maxCommits = 4, mergedFiles = 3)
  private val path = "/t"

  private def memory(): MemoryStorage = new MemoryStorage(() => 1767225600000L)

  private def writes(storage: Storage, version: Int, number: Int): Table = {
    val table = TestTables.create(storage, path, version)
    (1 to number).foreach(n => TestTables.write(table.refresh(), "p" -> s"g$n-0"))
    table.refresh()
  }

  private def archive(table: Table, conf: ArchiveConf = conf): Archived =
    new Archiver(table.refresh(), conf).run()

  private def times(instants: Seq[Instant]): Seq[String] = instants.map(_.time)

  for (version <- Seq(6, 8, 9)) {

    test(s"version $version: what leaves the active timeline is in the archived one, and readers see the same") {
      val table = writes(memory(), version, 6)
      val (before, all) = (TestTables.visible(table), table.timeline.writes)
      val contents = table.store.readCommits(all).map { case (i, m) => i.time -> m }.toMap
      assertEquals(times(new Archiver(table, conf).preview().instants), times(all).take(4))
      val archived = archive(table)
      assertEquals(times(archived.instants), times(all).take(4))
      assertEquals(archived.files.size, 1)
      val now = table.refresh()
      assertEquals(times(now.timeline.instants), times(all).drop(4))
      assertEquals(now.store.archivedCompleted().map(i => (i.time, i.action, i.completionTime)),
        all.take(4).map(i => (i.time, i.action, i.completionTime)))
      val held: Map[String, CommitMetadata] = now.store.archive.commits(times(all).toSet)
      assertEquals(held, contents.filter { case (time, _) => times(all).take(4).contains(time) })
      assertEquals(TestTables.visible(table), before)
    }

    test(s"version $version: nothing is left of an archived instant, its markers included") {
      val storage = memory()
      val table = writes(storage, version, 6)
      val first = table.timeline.writes.head.time
      val last = table.timeline.writes.last.time
      Seq(first, last).foreach(Markers.create(storage, path, _, Marker("p/x_0-0-0_1.parquet", Markers.Create)))
      archive(table)
      val left = storage.paths.filter(p => p.startsWith(s"$path/.hoodie/") && p.contains(first))
      assertEquals(left.filterNot(_.contains("/history/")), Nil)
      assert(storage.paths.exists(_.startsWith(Markers.folder(path, last))))
    }

    test(s"version $version: a second archiving finds nothing to do") {
      val storage = memory()
      val table = writes(storage, version, 5)
      archive(table)
      val paths = storage.paths
      assertEquals(archive(table), Archived(Nil, Nil))
      assertEquals(storage.paths, paths)
    }

    test(s"version $version: archiving again and again keeps every instant once") {
      val table = TestTables.create(memory(), path, version)
      val all = (1 to 40).map { n =>
        val instant = TestTables.write(table.refresh(), "p" -> s"g$n-0").time
        new Archiver(table.refresh(), conf).runIfDue()
        instant
      }
      val now = table.refresh()
      assert(now.timeline.writes.size <= 4, now.timeline.writes)
      assertEquals(times(now.store.archivedCompleted()) ++ times(now.timeline.writes), all.toList)
      if (version == 6) assertEquals(ArchiveContents.blocks(now), 3 * (all.size - now.timeline.writes.size))
      else {
        assertEquals(ArchiveContents.rows(now).map(_._1).sorted, times(now.store.archivedCompleted()))
        val history = now.storage.list(s"$path/.hoodie/timeline/history").map(_.name)
        assert(history.exists(_.endsWith("_2.parquet")), history)
        assert(history.count(_.endsWith("_0.parquet")) < 6, history)
        assert(history.count(_.startsWith("manifest_")) <= 5, history)
      }
      assertEquals(TestTables.visible(table).size, 40)
    }

    test(s"version $version: an overwrite stays until the files that it replaced are gone") {
      val storage = memory()
      val table = writes(storage, version, 2)
      val replaced = TestTables.visible(table).map(_.split("[/@]")(1))
      TextWrites.overwrite.run(table.refresh())
      (4 to 9).foreach(n => TestTables.write(table.refresh(), "p" -> s"g$n-0"))
      val (before, all) = (TestTables.visible(table), times(table.refresh().timeline.writes))
      assertEquals(times(archive(table).instants), all.take(2))
      assertEquals(TestTables.visible(table), before)
      storage.paths.filter(p => replaced.exists(id => p.contains(s"/p/${id}_"))).foreach(storage.delete)
      assertEquals(times(archive(table).instants), all.slice(2, 7))
      assertEquals(TestTables.visible(table), before)
    }

    test(s"version $version: the newest write stays that is no service, for Apache Hudi takes the columns from it") {
      val table = TestTables.create(memory(), path, version, TableType.MergeOnRead)
      TextWrites.insert("g-0").run(table)
      def log(operation: String, number: Int) = (1 to number).foreach { _ =>
        val slice = table.refresh().slices(Seq("p"))("p").head
        TestTables.log(table, operation, ("p", slice.fileId, slice.instant))
      }
      log("UPSERT", 2)
      log(CommitMetadata.LogCompact, 6)
      val all = table.refresh().timeline.writes
      assertEquals(archive(table, conf.copy(deltaCommits = Some(1))).instants, all.take(2))
      assertEquals(archive(table, conf.copy(deltaCommits = Some(1))).instants, Nil)
    }

    test(s"version $version: log files of archived delta commits stay in their slices") {
      val storage = memory()
      val table = TextWrites.table(storage, path, version, TableType.MergeOnRead)
      (1 to 6).foreach(_ => TextWrites.append.run(table.refresh()))
      def slices = table.refresh().allSlices().values.flatten.map(s => (s.fileId, s.instant, s.logs.map(_.name))).toList
      val before = slices
      val byThree = conf.copy(deltaCommits = Some(3))
      assertEquals(archive(table, byThree).instants.map(_.action), Action.Commit +: Seq.fill(3)(Action.DeltaCommit))
      assertEquals(slices, before)
    }

    test(s"version $version: cleans, rollbacks and plans come back as they were") {
      val table = copied(s"clustered-v$version")
      if (!table.config.metadataPartitions.nonEmpty) {
        (1 to 6).foreach(n => TestTables.write(table.refresh(), "p" -> s"g$n-0"))
        val before = times(table.refresh().timeline.completed).sorted
        archive(table)
        val now = table.refresh()
        assertEquals((times(now.store.archivedCompleted()) ++ times(now.timeline.completed)).distinct.sorted, before)
      }
    }

    test(s"version $version: a table that Hudi archived is archived further") {
      val table = copied(s"archived-v$version")
      val before = TestTables.visible(table)
      val held = table.store.archivedCompleted()
      val all = table.timeline.completed
      val archived = archive(table, conf.copy(minCommits = 1, maxCommits = 2))
      assert(archived.instants.map(_.action).toSet.contains(Action.Commit), archived)
      val now = table.refresh()
      assertEquals(now.timeline.writes.size, 1)
      assertEquals(now.store.archivedCompleted().map(i => (i.time, i.action)).toSet,
        (held ++ archived.instants).map(i => (i.time, i.action)).toSet)
      assertEquals((archived.instants ++ now.timeline.completed).toSet, all.toSet)
      assertEquals(TestTables.visible(table), before)
      assertEquals(archive(table, conf.copy(minCommits = 1, maxCommits = 2)).instants, Nil)
    }
  }

  private def copied(name: String): Table = {
    val to = Folders.copy(Path.of(GoldenFolder.table(name)), Files.createTempDirectory("hudilite-archive"))
    Table.open(TestTables.storage, to.toString)
  }

  test("a table whose metadata table was never compacted is not archived") {
    val table = copied("metadata-table-v9")
    val one = Services.of().archiving.copy(minCommits = 1, maxCommits = 2)
    val grown = table.copy(timeline = Timeline(table.timeline.writes ++ later(table, 3)))
    assert(Archiver.mayBeDue(grown, one))
    assertEquals(new Archiver(grown, one).isDue, false)
  }

  private def later(table: Table, number: Int): Seq[Instant] = {
    val zone = java.time.ZoneOffset.UTC
    (1 to number).map(n =>
      table.timeline.writes.last.copy(time = InstantTime.fromEpochMillis(4102444800000L + n, zone)))
  }
}

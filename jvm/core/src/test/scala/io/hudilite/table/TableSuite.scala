package io.hudilite.table

import io.hudilite.{GoldenFolder, TestTables}
import io.hudilite.TestTables.{begin, storage, visible, write, writeFile}
import io.hudilite.config.TableProperties
import io.hudilite.error.{InvalidInput, UnsupportedTable}
import io.hudilite.filegroup.FileNames
import io.hudilite.storage.MemoryStorage
import io.hudilite.timeline.{Action, Instant}
import io.hudilite.transaction.Transaction

import munit.FunSuite

class TableSuite extends FunSuite {

  private def golden(name: String): Table = {
    val base = GoldenFolder.table(name)
    Table.load(storage, base, TableProperties.read(storage, base))
  }

  for (name <- GoldenFolder.names)
    test(s"$name: every file of every slice exists and every partition is known") {
      val table = golden(name)
      val slices = table.allSlices().values.flatten.toList
      assert(slices.nonEmpty)
      for (slice <- slices; path <- slice.base.map(_.relativePath).toSeq ++ slice.logs.map(_.relativePath))
        assert(storage.exists(s"${table.basePath}/$path"), path)
      assertEquals(table.slices(table.partitions()).values.flatten.toSet, slices.toSet)
      assert(table.schemaJson.exists(s => !s.contains("_hoodie_commit_time")))
    }

  test("a path without a table and a table that cannot be read say so") {
    assertEquals(intercept[InvalidInput](Table.open(storage, "/nowhere/t")).condition, "TABLE_NOT_FOUND")
    val name = "mor-logs-v9"
    if (scala.util.Try(TableSupport.checkReadable(golden(name).config, "")).isFailure)
      assertEquals(intercept[UnsupportedTable](Table.open(storage, GoldenFolder.table(name))).condition,
        "UNSUPPORTED_TABLE_FEATURE")
  }

  test("an empty table has its schema, no partitions and no instant") {
    val table = TestTables.create(9)
    assert(table.schemaJson.isDefined)
    assertEquals(table.partitions(), Nil)
    assertEquals(table.lastInstant, None)
    assertEquals(table.incremental(IncrementalRange("0")), IncrementalFiles(Set.empty, Map.empty, fullScan = false))
  }

  private def update(table: Table, partition: String, fileId: String): Instant = {
    val transaction = begin(table.refresh())
    transaction.commit(Seq(writeFile(table, transaction.instant, partition, fileId, Some("before"))))
  }

  private def show(slices: Map[String, Seq[io.hudilite.filegroup.FileSlice]]): Set[String] =
    slices.values.flatten.map(s => s"${s.fileId}@${s.instant}").toSet

  for (version <- Seq(6, 8, 9)) {
    def end(i: Instant): String = if (version == 6) i.time else i.completionTime.get

    test(s"version $version: slices as of an instant are those of its time") {
      val table = TestTables.create(version)
      val first = write(table, "p" -> "a-0")
      val second = update(table, "p", "a-0")
      val now = table.refresh()
      assertEquals(show(now.slices(Seq("p"))), Set(s"a-0@${second.time}"))
      assertEquals(show(now.slices(Seq("p"), Some(first.time))), Set(s"a-0@${first.time}"))
      assertEquals(show(now.allSlices(Some("20000101000000000"))), Set.empty[String])
    }

    test(s"version $version: a file group replaced later is there as of before") {
      val table = TestTables.create(version)
      val first = write(table, "p" -> "a-0")
      val transaction = Transaction.begin(table.refresh(), Action.ReplaceCommit, "DELETE_PARTITION")
      transaction.commit(Nil, replaced = Map("p" -> Seq("a-0")))
      assertEquals(visible(table), Nil)
      assertEquals(show(table.refresh().allSlices(Some(first.time))), Set(s"a-0@${first.time}"))
    }

    test(s"version $version: an incremental range is open at its begin and closed at its end") {
      val table = TestTables.create(version)
      val (first, second) = (write(table, "p" -> "a-0", "q" -> "b-0"), update(table, "p", "a-0"))
      val third = update(table, "q", "b-0")
      val now = table.refresh()
      def read(begin: String, end: Option[String]): IncrementalFiles = now.incremental(IncrementalRange(begin, end))
      assertEquals(read("000", None),
        IncrementalFiles(Set(first, second, third).map(_.time), now.allSlices(), fullScan = false))
      assertEquals(read("earliest", None).instants.size, 3)
      assertEquals(read(end(second), None).instants, Set(third.time))
      assertEquals(show(read(end(second), None).slices), Set(s"b-0@${third.time}"))
      assertEquals(show(read(end(first), Some(end(second))).slices), Set(s"a-0@${second.time}"))
      assertEquals(show(read("0", Some(end(first))).slices), Set(s"a-0@${first.time}", s"b-0@${first.time}"))
      assertEquals(read(end(third), None).instants, Set.empty[String])
    }

    test(s"version $version: a log compaction goes with a write before it, not alone") {
      val table = TestTables.createMergeOnRead(version)
      val first = write(table, "p" -> "a-0")
      val logged = TestTables.log(table, ("p", "a-0", first.time))
      val folding = TestTables.log(table, "LOG_COMPACT", ("p", "a-0", first.time))
      val later = update(table, "p", "a-0")
      def read(begin: String): IncrementalFiles = table.refresh().incremental(IncrementalRange(begin))
      assertEquals(read(end(first)).instants, Set(logged.time, later.time))
      assertEquals(read(end(first)).commitTimes, Set(logged.time, folding.time, later.time))
      assertEquals(read(end(logged)).commitTimes, Set(later.time))
    }

    test(s"version $version: a range that reaches into the archive takes the archived instants in") {
      val table = golden(s"archived-v$version")
      val archived = table.store.archivedCompleted().filter(i => Action.Writes(i.action)).map(_.time).toSet
      assert(archived.nonEmpty)
      val read = table.incremental(IncrementalRange("0"))
      assertEquals(read.instants, archived ++ table.timeline.writes.map(_.time))
      assert(read.fullScan)
    }
  }

  test("in version 9 a range by requested times takes in what completed inside it") {
    val table = TestTables.create(9)
    val first = write(table, "p" -> "a-0")
    assertEquals(table.refresh().incremental(IncrementalRange(first.time)).instants, Set(first.time))
  }

  test("opening a table lists its timeline and reads its properties and one commit") {
    val storage = new MemoryStorage()
    val table = TestTables.create(storage, "/costs", 9)
    (1 to 3).foreach(n => write(table.refresh(), "p" -> s"a$n-0"))
    val (reads, listings) = (storage.reads, storage.listings)
    table.refresh()
    assert(storage.reads - reads <= 3, s"${storage.reads - reads} reads")
    assertEquals(storage.listings - listings, 1)
  }

  test("slices list each partition once, and those of all partitions each folder once") {
    val storage = new MemoryStorage()
    val table = TestTables.create(storage, "/costs", 9)
    write(table, (1 to 5).map(n => s"day=$n" -> s"a$n-0"): _*)
    val now = table.refresh()
    val before = storage.listings
    assertEquals(now.slices(Seq("day=1", "day=2")).values.flatten.size, 2)
    assertEquals(storage.listings - before, 2)
    assertEquals(now.allSlices().values.flatten.size, 5)
    assertEquals(now.partitions().size, 5)
    assertEquals(storage.listings - before, 6)
    assertEquals(now.slices(Seq("day=1", "day=none")).map { case (p, found) => p -> found.size },
      Map("day=1" -> 1, "day=none" -> 0))
    assertEquals(now.allSlices(now.lastInstant.map(_.time)).values.flatten.size, 5)
    assertEquals(storage.listings - before, 7)
  }

  test("a stray base file with a committed instant is not read") {
    val table = TestTables.create(9)
    val instant = write(table, "p" -> "a-0")
    val stray = FileNames.baseFile("a-0", "9-9-9", instant.time)
    storage.createNew(s"${table.basePath}/p/$stray", Array[Byte](1))
    assertEquals(table.refresh().allSlices()("p").flatMap(_.base).map(_.writeToken), Seq("0-0-0"))
  }

  test("files registered in place from another format are refused") {
    val table = TestTables.create(9)
    val instant = write(table, "p" -> "a-0")
    storage.createNew(s"${table.basePath}/p/data.parquet_${instant.time}_hudiext", Array[Byte](1))
    intercept[UnsupportedTable](table.refresh().allSlices())
  }
}

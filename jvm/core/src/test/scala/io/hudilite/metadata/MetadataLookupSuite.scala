package io.hudilite.metadata

import io.hudilite.TestTables
import io.hudilite.TestTables.{begin, write, writeFile}
import io.hudilite.filegroup.{FileNames, FileSlice, PathSelection}
import io.hudilite.service.Services
import io.hudilite.service.archive.Archiver
import io.hudilite.storage.{CountingStorage, MemoryStorage, StorageCalls}
import io.hudilite.table.{MetadataUse, Table}
import io.hudilite.transaction.Assumption

import munit.FunSuite

/** Requests for the files of a query, where a metadata table names those of many partitions. */
class MetadataLookupSuite extends FunSuite {

  private val Partitions = 60
  private val FilesEach = 50

  private def made(): CountingStorage = {
    val storage = new CountingStorage(new MemoryStorage())
    val table = TestTables.create(storage, "/t", 9)
    write(table, (for (p <- 0 until Partitions; f <- 0 until FilesEach) yield f"p$p%03d" -> f"f$p-$f-0"): _*)
    MadeMetadataTable.of(Table.open(storage, "/t"), blockBytes = 8 << 10)
    storage
  }

  private def find(storage: CountingStorage, selection: PathSelection): (Map[String, Seq[FileSlice]], StorageCalls) = {
    val table = Table.open(storage, "/t")
    storage.during(table.readingMetadata(MetadataUse(isAsked = true)).files.find(selection))
  }

  private def withPrefix(prefix: String): PathSelection = new PathSelection {
    override def mayLead(folder: String): Boolean = folder.isEmpty || wants(folder)
    override def wants(partition: String): Boolean = partition.startsWith(prefix)
  }

  test("files of one of many partitions take five requests, and one for each write since the last compaction") {
    val storage = made()
    MadeMetadataTable.list(Table.open(storage, "/t"))
    val (found, calls) = find(storage, PathSelection.named("p017"))
    assertEquals(found, Table.open(storage, "/t").files.find(PathSelection.named("p017")))
    // Its timeline and folder; its properties, the end of its base file and the block of the key.
    assertEquals(calls.counts, Map("list" -> 2, "get" -> 3), calls.details)
    val (some, more) = find(storage, withPrefix("p01"))
    assertEquals(some.size, 10)
    assert(more.count("list") == 2 && more.count("get") <= 6, more.details)
  }

  test("what writes have added since is found by one request each") {
    val storage = made()
    for (n <- 1 to 3) {
      val transaction = begin(Table.open(storage, "/t"))
      val stat = writeFile(Table.open(storage, "/t"), transaction.instant, "p017", s"new$n-0")
      transaction.commit(Seq(stat), assumption = Assumption.Nothing)
      MadeMetadataTable.add(Table.open(storage, "/t"), transaction.instant,
        Map("p017" -> Map(stat.fileName -> stat.fileSizeInBytes)))
    }
    MadeMetadataTable.list(Table.open(storage, "/t"))
    val expected = Table.open(storage, "/t").files.find(PathSelection.All)
    assertEquals(expected("p017").size, FilesEach + 3)
    val (found, calls) = find(storage, PathSelection.named("p017"))
    assertEquals(found, Map("p017" -> expected("p017")))
    assertEquals(calls.counts, Map("list" -> 2, "get" -> 6), calls.details)
    assertEquals(find(storage, PathSelection.All)._1, expected)
  }

  /** The table after eight writes of one file each, whose oldest have been archived.
    *
    * @param ghosts
    *   names of files in the partition p003 that are not there, with lengths
    * @param isKept
    *   false for a write that the metadata table learns nothing of
    */
  private def archived(storage: CountingStorage, ghosts: Map[String, Long] = Map.empty)(
      isKept: Int => Boolean): Table = {
    for (n <- 1 to 8) {
      val transaction = begin(Table.open(storage, "/t"))
      val stat = writeFile(Table.open(storage, "/t"), transaction.instant, s"p00$n", s"new$n-0")
      transaction.commit(Seq(stat), assumption = Assumption.Nothing)
      if (isKept(n)) MadeMetadataTable.add(Table.open(storage, "/t"), transaction.instant,
        Map(s"p00$n" -> (Map(stat.fileName -> stat.fileSizeInBytes) ++ (if (n == 3) ghosts else Map.empty))))
    }
    new Archiver(Table.open(storage, "/t"), Services.of().archiving.copy(minCommits = 2, maxCommits = 4)).run()
    MadeMetadataTable.list(Table.open(storage, "/t"))
    Table.open(storage, "/t")
  }

  private def slices(table: Table, isAsked: Boolean): Map[String, Seq[FileSlice]] =
    table.readingMetadata(MetadataUse(isAsked)).files.find(PathSelection.All)

  test("a metadata table that knows all that was archived is used unasked, and one that misses a write of it is not") {
    for (missing <- Seq(0, 2)) {
      val storage = made()
      val table = archived(storage)(_ != missing)
      assert(table.timeline.writes.size < 8)
      val expected = table.files.find(PathSelection.All)
      val (found, calls) = storage.during(slices(Table.open(storage, "/t"), isAsked = false))
      assertEquals(found, expected)
      assertEquals(calls.paths("list").exists(_.contains("/p0")), missing == 2, calls.details)
      // Nothing that is left shows it.
      assertEquals(slices(table, isAsked = true) == expected, missing == 0)
    }
  }

  test(
    "folders are listed unasked where more would have to be read of the archive of the metadata table than is worth it") {
    for ((bytes, isKept) <- Seq((9L << 20, true), (9L << 20, false), (9L, false))) {
      val storage = made()
      val table = archived(storage)(n => isKept || n != 2)
      val history = "/t/.hoodie/metadata/.hoodie/timeline/history"
      storage.replace(s"$history/manifest_1", s"""{"files":[{"fileName":"1_2_0.parquet","fileLen":$bytes}]}""".getBytes)
      storage.replace(s"$history/_version_", "1".getBytes)
      val (found, calls) = storage.during(slices(Table.open(storage, "/t"), isAsked = false))
      assertEquals(found, table.files.find(PathSelection.All))
      assertEquals(calls.paths("list").exists(_.contains("/p0")), !isKept, calls.details)
      assertEquals(calls.paths("get").exists(_.endsWith("1_2_0.parquet")), bytes == 9L, calls.details)
    }
  }

  test("a partition is listed of which files of a write are named that was taken back and is older than the timeline") {
    val storage = made()
    val table = archived(storage, Map(FileNames.baseFile("f3-0-0", "0-0-1", "20200101000000000") -> 9L))(_ => true)
    val (found, calls) = storage.during(slices(table, isAsked = false))
    assertEquals(found, table.files.find(PathSelection.All))
    assertEquals(calls.paths("list").filter(_.startsWith("/t/p")), Seq("/t/p003"), calls.details)
  }
}

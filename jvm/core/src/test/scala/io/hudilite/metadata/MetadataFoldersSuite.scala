package io.hudilite.metadata

import io.hudilite.{GoldenFolder, TestTables}
import io.hudilite.filegroup.{FileSlice, PathSelection}
import io.hudilite.storage.{Caches, CountingStorage, ForwardingStorage, StorageCalls}
import io.hudilite.table.{MetadataUse, Table}
import io.hudilite.transaction.Transaction

import java.nio.file.{Files, Path, Paths}

import munit.FunSuite

/** Tables whose files are taken from a metadata table, beside a listing of their folders. */
class MetadataFoldersSuite extends FunSuite {

  private def named(basePath: String, selection: PathSelection = PathSelection.All)
      : (Map[String, Seq[FileSlice]], StorageCalls) = {
    val counting = new CountingStorage(TestTables.storage)
    val table = Table.open(counting, basePath)
    counting.during(table.readingMetadata(MetadataUse(isAsked = true)).files.find(selection))
  }

  private def listed(basePath: String): Map[String, Seq[FileSlice]] =
    Table.open(TestTables.storage, basePath).files.find(PathSelection.All)

  private def listedFolders(basePath: String, calls: StorageCalls): Seq[String] =
    calls.paths("list").map(_.stripPrefix(basePath)).filterNot(_.startsWith("/.hoodie/"))

  for (name <- GoldenFolder.names.filter(_.matches("(metadata|savepoint|cow-basic|mor-logs).*")))
    test(s"$name: slices are those of the folders, now and as of each write") {
      val basePath = GoldenFolder.table(name)
      val (found, calls) = named(basePath)
      assertEquals(found, listed(basePath))
      val hasMetadata = Files.exists(Paths.get(basePath, ".hoodie", "metadata"))
      assertEquals(listedFolders(basePath, calls).isEmpty, hasMetadata, calls.details)
      val table = Table.open(TestTables.storage, basePath)
      table.timeline.writes.foreach { write =>
        assertEquals(table.readingMetadata(MetadataUse(isAsked = true)).filesAsOf(write.time).find(PathSelection.All),
          table.filesAsOf(write.time).find(PathSelection.All))
      }
    }

  test("files of one partition are found without a listing of any folder of the table, in few requests") {
    val basePath = GoldenFolder.table("savepoint-rollback-v9")
    val (found, calls) = named(basePath, PathSelection.named("2026-01-02"))
    assertEquals(found.keySet, Set("2026-01-02"))
    // Properties, timeline and folder of the metadata table, its base file and its log file.
    assertEquals(calls.counts, Map("list" -> 2, "get" -> 3), calls.details)
  }

  test("another query of the snapshot asks for no more than its own partitions") {
    val copy = new GoldenCopy("metadata-table-v9")
    val counting = new CountingStorage(new ForwardingStorage(TestTables.storage) { override val caches = new Caches })
    def asked(selection: PathSelection): (Map[String, Seq[FileSlice]], StorageCalls) = {
      val table = Table.find(counting, copy.basePath).get
      counting.during(table.readingMetadata(MetadataUse(isAsked = true)).files.find(selection))
    }
    val days = listed(copy.basePath)
    val (first, next) = (days.keys.min, days.keys.max)
    val (found, calls) = asked(PathSelection.named(first))
    assertEquals((found, calls.count("list")), (Map(first -> days(first)), 2), calls.details)
    assertEquals(asked(PathSelection.named(first))._2.total, 0)
    // Its record in each file of names.
    val (others, more) = asked(PathSelection.named(next))
    assertEquals((others, more.count("list")), (Map(next -> days(next)), 0), more.details)
    assert(more.paths("get").forall(_.contains("/.hoodie/metadata/files/")), more.details)
    asked(PathSelection.All)
    val (all, none) = asked(PathSelection.All)
    assertEquals((all, none.total), (days, 0), none.details)
  }

  private def distrusted(change: GoldenCopy => Any): Seq[String] = {
    val copy = new GoldenCopy("metadata-table-v9")
    change(copy)
    val (found, calls) = named(copy.basePath)
    assertEquals(found, listed(copy.basePath))
    assert(listedFolders(copy.basePath, calls).nonEmpty, calls.details)
    listedFolders(copy.basePath, calls)
  }

  test("folders are listed where the metadata table misses a write, a log file, or is gone") {
    distrusted(copy => Files.delete(copy.files("\\.hoodie/metadata/\\.hoodie/.*2026.*\\.deltacommit").last))
    distrusted(copy => Files.delete(copy.files("\\.hoodie/metadata/files/\\.files-0000-0_2026.*").last))
    distrusted(_.files("\\.hoodie/metadata/.*").foreach(Files.delete(_)))
    distrusted { copy =>
      val log = copy.files("\\.hoodie/metadata/files/\\.files-0000-0_2026.*").last
      Files.write(log, Array.fill(Files.size(log).toInt)(7.toByte))
    }
  }

  test("folders are listed where a write has named a file that the metadata table does not") {
    // The write that the metadata table ends with is one of the table alone: its records stand for another.
    def replaced(copy: GoldenCopy): Path = {
      val logs = copy.files("\\.hoodie/metadata/files/\\.files-0000-0_2026.*")
      val commit = copy.files("\\.hoodie/metadata/\\.hoodie/timeline/2026.*\\.deltacommit").last
      Files.delete(logs.last)
      // A write without records, as that of a commit without files.
      Files.copy(copy.files("\\.hoodie/metadata/\\.hoodie/timeline/00000000000000001_.*\\.deltacommit").head, commit,
        java.nio.file.StandardCopyOption.REPLACE_EXISTING)
      commit
    }
    val touched = new GoldenCopy("metadata-table-v9").lastWrite.allStats.map(s => s"/${s.partitionPath}").distinct
    assertEquals(distrusted(replaced).sorted, touched.sorted)
  }

  test("a write of hudilite goes on with the metadata table, by which the next read finds its files") {
    val copy = new GoldenCopy("savepoint-rollback-v9")
    val table = Table.open(TestTables.storage, copy.basePath)
    val before = table.readingMetadata(MetadataUse(isAsked = true)).files.find(PathSelection.All)
    Transaction.begin(table, "commit", "UPSERT").commit(Nil)
    val (found, calls) = named(copy.basePath)
    assertEquals(found, before)
    assertEquals(listedFolders(copy.basePath, calls), Nil, calls.details)
  }
}

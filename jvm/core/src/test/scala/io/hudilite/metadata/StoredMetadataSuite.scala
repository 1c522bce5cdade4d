package io.hudilite.metadata

import io.hudilite.GoldenFolder
import io.hudilite.TestTables.storage
import io.hudilite.config.TableProperties
import io.hudilite.error.{CorruptTable, HudiliteException}
import io.hudilite.filegroup.{FileNames, Partitions}
import io.hudilite.metadata.MetadataPayload._
import io.hudilite.metadata.stored.MetadataTable
import io.hudilite.storage.{CountingStorage, OpenFiles}
import io.hudilite.timeline.TimelineStore

import java.nio.file.Files

import munit.FunSuite

/** Metadata tables that Apache Hudi wrote, and what makes one of them not to be trusted. */
class StoredMetadataSuite extends FunSuite {

  private val tables = Seq("metadata-table-v6", "metadata-table-v8", "metadata-table-v9", "metadata-indexes-v8",
    "metadata-indexes-v9", "savepoint-rollback-v8", "savepoint-rollback-v9")

  private def named(metadata: MetadataTable): Map[String, Map[String, Long]] =
    metadata.records(MetadataPartition.Files).collect { case MetadataRecord(key, Names(entries, false)) =>
      MetadataKeys.path(key) -> entries.map { case (name, file) => name -> file.bytes }
    }.toMap

  private def listed(basePath: String): Map[String, Map[String, Long]] =
    Partitions.discover(storage, basePath).map { case (partition, files) =>
      partition -> files.filterNot(f => f.isDirectory || FileNames.isPartitionMetadata(f.name))
        .map(f => f.name -> f.length).toMap
    }

  for (name <- tables) test(s"$name: files are named as folders list them") {
    val basePath = GoldenFolder.table(name)
    val found = named(GoldenCopy.open(basePath))
    // A rollback of a write that was older than the metadata table leaves the names of its files there.
    val gone = if (name.startsWith("savepoint-rollback")) found.map { case (path, files) =>
      path -> files.filterNot { case (file, _) => storage.exists(s"$basePath/$path/$file") }.keySet
    }
    else Map.empty[String, Set[String]]
    assertEquals(gone.values.flatten.size, if (name.startsWith("savepoint-rollback")) 3 else 0)
    assertEquals(found.map { case (path, files) => path -> (files -- gone.getOrElse(path, Nil)) }, listed(basePath))
  }

  for (name <- tables) test(s"$name: each record has the key that its content makes") {
    val metadata = GoldenCopy.open(GoldenFolder.table(name))
    val partitions = named(metadata)
    def of(file: String): String = partitions.collectFirst { case (p, known) if known.contains(file) => p }.get
    val files =
      metadata.records(MetadataPartition.ColumnStats).collect { case MetadataRecord(key, Statistics(s, false)) =>
        assertEquals(key, MetadataKeys.ofColumn(s.column, of(s.file), s.file))
        s.file
      }.toSet
    assertEquals(files, partitions.values.flatMap(_.keys).toSet)
    if (metadata.listed.contains("partition_stats"))
      metadata.records(MetadataPartition.PartitionStats).collect { case MetadataRecord(key, Statistics(s, true)) =>
        key -> s
      }.foreach { case (key, s) =>
        assertEquals(key, MetadataKeys.ofColumn(s.column, s.file))
      }
  }

  test("places of keys, with deleted ones left out, are those of the rows") {
    for (version <- Seq(6, 8, 9)) {
      val name = s"metadata-table-v$version"
      val keys =
        GoldenCopy.open(GoldenFolder.table(name)).records(MetadataPartition.RecordIndex).map(_.key).toSeq.sorted
      val key = "\"_hoodie_record_key\": ?\"([^\"]*)\"".r
      assertEquals(keys, GoldenFolder.snapshot(name).flatMap(key.findFirstMatchIn(_)).map(_.group(1)).sorted, name)
    }
  }

  private def distrusted(metadata: MetadataTable, partition: MetadataPartition = MetadataPartition.Files): String = {
    val error = intercept[CorruptTable](metadata.records(partition).size)
    assertEquals((error.condition, error.parameters("path").endsWith("/.hoodie/metadata")), ("CORRUPT_FILE", true))
    error.parameters("reason")
  }

  for (version <- Seq(6, 8, 9)) test(s"version $version: a metadata table that misses a write is not trusted") {
    val copy = new GoldenCopy(s"metadata-table-v$version")
    val last = copy.files("\\.hoodie/metadata/\\.hoodie/.*2026.*\\.deltacommit").last
    Files.delete(last)
    assert(distrusted(copy.metadata).startsWith("it does not know the commit 2026"), clues(last))
  }

  test("a metadata table that is listed and gone, or of another version, is not trusted") {
    val copy = new GoldenCopy("metadata-table-v9")
    val properties = copy.file("\\.hoodie/metadata/\\.hoodie/hoodie.properties")
    val text = new String(Files.readAllBytes(properties), "UTF-8")
    Files.write(properties,
      text.replace("table.version=9", "table.version=10").replaceAll("hoodie.table.checksum=.*", "").getBytes("UTF-8"))
    assertEquals(distrusted(copy.metadata), "it has the version 10")
    Files.delete(properties)
    assertEquals(distrusted(copy.metadata), "it is listed, but not there")
  }

  test("a partition without one of its file groups is not trusted") {
    def incomplete(ids: String*): Option[String] = MetadataPartition.incomplete(MetadataPartition.RecordIndex, ids)
    assertEquals(incomplete((0 to 9).map(n => f"record-index-$n%04d-0"): _*), None)
    assertEquals(incomplete("record-index-a%2Db-0000-0", "record-index-a%2Db-0001-0", "record-index-c-0000-0"), None)
    assertEquals(incomplete("record-index-0000-0", "record-index-0002-0"),
      Some("of the file groups record-index-* only the numbers 0, 2 are there"))
    assertEquals(incomplete("files-0000-0"), Some("the file group files-0000-0 is none of record_index"))
    assertEquals(MetadataPartition.incomplete(MetadataPartition.Files, Nil), Some("files has no file group"))
  }

  test("a slice whose base file is gone is not trusted") {
    val copy = new GoldenCopy("savepoint-rollback-v9")
    val file = copy.file("\\.hoodie/metadata/files/.*\\.hfile")
    Files.delete(file)
    assertEquals(distrusted(copy.metadata), s"its file ${file.getFileName} of files is missing")
  }

  test("an index whose definition has an unknown version is not trusted") {
    val copy = new GoldenCopy("metadata-table-v9")
    val definitions = copy.file("\\.hoodie/\\.index_defs/index.json")
    val text = new String(Files.readAllBytes(definitions), "UTF-8")
    Files.write(definitions, text.replace("\"V2\"", "\"V3\"").getBytes("UTF-8"))
    assertEquals(distrusted(copy.metadata, MetadataPartition.ColumnStats),
      "the index column_stats has the unknown version V3")
    assertEquals(named(copy.metadata).size, 3)
  }

  test("a log file that is gone, or shorter than its write left it, is damage") {
    for (change <-
        Seq[java.nio.file.Path => Any](Files.delete(_), p => Files.write(p, Files.readAllBytes(p).take(9000)))) {
      val copy = new GoldenCopy("metadata-table-v9")
      change(copy.files("\\.hoodie/metadata/files/\\.files-0000-0_2026.*").last)
      val error = intercept[CorruptTable](copy.metadata.records(MetadataPartition.Files).size)
      assertEquals(error.condition, "CORRUPT_FILE")
    }
  }

  test("damaged bytes anywhere in a base file are an error of the family, or change no record; the file is closed") {
    val copy = new GoldenCopy("savepoint-rollback-v9")
    val file = copy.file("\\.hoodie/metadata/files/.*\\.hfile")
    val (whole, right) = (Files.readAllBytes(file), named(copy.metadata))
    val watched = new OpenFiles(storage)
    for (at <- whole.indices by 97) {
      Files.write(file, whole.updated(at, (whole(at) ^ 0x55).toByte))
      try assertEquals(named(GoldenCopy.open(copy.basePath, watched)), right, s"at $at")
      catch { case _: HudiliteException => () }
      assertEquals(watched.open, Set.empty[String], s"at $at")
    }
  }

  for (name <- tables) test(s"$name: records of some keys, and of keys that begin alike, are those among all records") {
    val metadata = GoldenCopy.open(GoldenFolder.table(name))
    metadata.listed.flatMap(MetadataPartition.of).foreach { partition =>
      val all = metadata.records(partition).toSeq.sortBy(_.key)
      val keys = all.map(_.key).toSet
      assertEquals(metadata.records(partition, keys + "no such key").sortBy(_.key), all, clue(partition))
      keys.grouped(math.max(1, keys.size / 3)).foreach(some =>
        assertEquals(metadata.records(partition, some).sortBy(_.key), all.filter(r => some(r.key)), clue(partition)))
      val prefixes = keys.map(k => k.take(k.length / 2)).take(2)
      assertEquals(metadata.recordsBeginning(partition, prefixes).sortBy(_.key),
        all.filter(r => prefixes.exists(r.key.startsWith)), clue(partition))
    }
  }

  test("a listing from a metadata table without later writes takes five requests") {
    val counting = new CountingStorage(storage)
    val table = GoldenFolder.table("savepoint-rollback-v9")
    val store = new TimelineStore(counting, table, TableProperties.read(counting, table))
    val timeline = store.load()
    val (_, calls) = counting.during(named(new MetadataTable(store, timeline)))
    assertEquals(calls.counts, Map("list" -> 2, "get" -> 3), calls.details)
  }
}

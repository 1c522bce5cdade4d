package io.hudilite.metadata.check

import io.hudilite.GoldenFolder
import io.hudilite.TestTables.storage
import io.hudilite.metadata.{GoldenActions, GoldenCopy}
import io.hudilite.service.doctor.FindingKind
import io.hudilite.table.Table

import java.nio.charset.StandardCharsets.ISO_8859_1
import java.nio.file.{Files, Paths}
import java.nio.file.StandardCopyOption.REPLACE_EXISTING

import munit.FunSuite

class MetadataValidatorSuite extends FunSuite {

  private def validator(basePath: String): MetadataValidator =
    new MetadataValidator(Table.open(storage, basePath))

  private def told(basePath: String): Seq[MetadataDifference] = validator(basePath).differences()

  private val tables = Seq("metadata-table", "metadata-indexes", "savepoint-rollback", "cow-basic")

  for (name <- GoldenFolder.names.filter(n => tables.contains(n.dropRight("-v9".length))))
    test(s"$name: what Apache Hudi wrote has no difference") {
      // A rollback of a write that was older than the metadata table leaves the bounds of partitions as they were.
      val found = told(GoldenFolder.table(name)).filterNot(d =>
        name.startsWith("savepoint-rollback") && d.kind == DifferenceKind.PartitionBounds)
      assertEquals(found, Nil)
      assertEquals(MetadataFindings.of(validator(GoldenFolder.table(name)), deep = false), Nil)
    }

  for (name <- GoldenActions.names) test(s"$name: after all kinds of actions of Apache Hudi's nothing is different") {
    val basePath = GoldenActions.onDisk(GoldenActions.steps(name).last.after)
    assertEquals(told(basePath), Nil)
  }

  test("a log file with other records of the same length is told by the column") {
    val basePath = GoldenActions.onDisk(GoldenActions.steps("mor-v9").last.after)
    val log = Table.open(storage, basePath).allSlices().values.flatten.flatMap(_.logs).head
    val (path, instant) = (Paths.get(basePath, log.relativePath), log.time)
    // Each record names its commit in two columns, of which the second one has no statistics.
    val text = new String(Files.readAllBytes(path), ISO_8859_1)
    val at = text.lastIndexOf(instant, text.lastIndexOf(instant) - 1)
    Files.write(path, text.patch(at, "1999", 4).getBytes(ISO_8859_1))
    val found = told(basePath)
    assertEquals(found.map(_.column).distinct, Seq("_hoodie_commit_time"))
    assert(found.exists(d =>
        d.kind == DifferenceKind.Minimum && d.file == log.name && d.expected == s"1999${instant.drop(4)}"), found)
    // The partition's bounds have to reach around those of its log files, too.
    assert(found.exists(d => d.kind == DifferenceKind.PartitionBounds && d.partition == log.partition), found)
  }

  for (version <- Seq(6, 8, 9))
    test(s"version $version: a file with another content is told with each of its differences") {
      val copy = new GoldenCopy(s"metadata-table-v$version")
      val files = copy.files("2026-01-01/.*\\.parquet").sortBy(_.toString.split("_").last)
      val (older, newest) = (files.head, files.last)
      Files.copy(older, newest, REPLACE_EXISTING)
      val found = told(copy.basePath).filter(_.file == newest.getFileName.toString)
      val size = found.collect { case d if d.kind == DifferenceKind.FileSize => (d.partition, d.expected) }
      assertEquals(size, Seq("2026-01-01" -> Files.size(older).toString))
      val kinds = found.map(_.kind).toSet
      assert(Set[DifferenceKind](DifferenceKind.ValueCount, DifferenceKind.Maximum, DifferenceKind.Bytes,
          DifferenceKind.Bloom).subsetOf(kinds), kinds)
      assert(found.exists(d =>
          d.kind == DifferenceKind.Maximum && d.column == "_hoodie_commit_time" && d.expected < d.found), found)
      assertEquals(MetadataFindings.of(validator(copy.basePath), deep = false).map(_.kind),
        Seq(FindingKind.WrongMetadata))
    }

  test("a file of a committed write without records, and records without their file, are told by name") {
    val copy = new GoldenCopy("metadata-table-v9")
    val files = copy.files("2026-01-02/.*\\.parquet").sortBy(_.toString.split("_").last)
    val added =
      files.last.resolveSibling("00000000-aaaa-4aaa-8aaa-000000000000-0_9-1-1_" + files.last.toString.split("_").last)
    Files.copy(files.last, added)
    val gone = files.head.getFileName.toString
    Files.delete(files.head)
    val found = told(copy.basePath)
    val ofAdded = found.filter(_.file == added.getFileName.toString)
    assertEquals(ofAdded.filter(_.kind == DifferenceKind.File).map(d => (d.partition, d.expected, d.found)),
      Seq(("2026-01-02", Files.size(added).toString, "")))
    assertEquals(ofAdded.map(_.kind).toSet,
      Set[DifferenceKind](DifferenceKind.File, DifferenceKind.Statistics, DifferenceKind.Bloom))
    assertEquals(ofAdded.filter(_.kind == DifferenceKind.Statistics).map(_.column).toSet,
      Set("_hoodie_commit_time", "_hoodie_partition_path", "_hoodie_record_key", "id", "ts", "dt", "colour", "price",
        "n"))
    assert(found.exists(d => d.kind == DifferenceKind.File && d.file == gone && d.expected.isEmpty), found)
    assert(found.exists(d => d.kind == DifferenceKind.Statistics && d.file == gone && d.expected.isEmpty), found)
  }

  test("a partition of the metadata table that is not to be trusted is told with the reason") {
    val copy = new GoldenCopy("metadata-table-v9")
    copy.files("\\.hoodie/metadata/record_index/\\.record-index-0003-0_.*").foreach(Files.delete(_))
    assertEquals(told(copy.basePath).map(d => (d.kind, d.file)), Seq(DifferenceKind.NotTrusted -> "record_index"))
  }
}

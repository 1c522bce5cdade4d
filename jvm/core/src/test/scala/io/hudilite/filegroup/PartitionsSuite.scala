package io.hudilite.filegroup

import java.nio.charset.StandardCharsets
import java.nio.file.Files

import io.hudilite.TestTables.storage

import munit.FunSuite

class PartitionsSuite extends FunSuite {

  private def withPartitions(partitions: String*): String = {
    val base = Files.createTempDirectory("hudilite-partitions").toString
    partitions.foreach(Partitions.createMetadata(storage, base, _, "20260101000001000"))
    base
  }

  test("partitions are the folders with a partition marker, at any depth") {
    val base = withPartitions("2026/01/01", "2026/01/02", "p=x")
    storage.makeDirectory(s"$base/no-partition/below")
    assertEquals(Partitions.discover(storage, base).keySet, Set("2026/01/01", "2026/01/02", "p=x"))
  }

  test("table folders and hidden folders hold no partitions") {
    val base = withPartitions("p", ".hoodie/metadata/files", ".staging/q")
    assertEquals(Partitions.discover(storage, base).keySet, Set("p"))
  }

  test("an unpartitioned table is the partition with the empty path") {
    val base = withPartitions("")
    storage.createNew(s"$base/x", Array[Byte](1))
    val found = Partitions.discover(storage, base)
    assertEquals(found.keySet, Set(""))
    assert(found("").exists(f => f.name == "x" && f.length == 1L))
  }

  test("a partition whose folder is missing lists as empty") {
    assertEquals(Partitions.list(storage, withPartitions("p"), Seq("q")), Map("q" -> Nil))
  }

  test("a partition marker says its depth and who made it, and is made once") {
    val base = withPartitions("a/b")
    Partitions.createMetadata(storage, base, "a/b", "20260101000002000")
    val text = new String(storage.read(s"$base/a/b/.hoodie_partition_metadata").get, StandardCharsets.ISO_8859_1)
    assertEquals(text, "#partition metadata\ncommitTime=20260101000001000\npartitionDepth=2\n")
  }
}

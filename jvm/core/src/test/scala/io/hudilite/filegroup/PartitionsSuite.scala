package io.hudilite.filegroup

import java.nio.charset.StandardCharsets
import java.nio.file.{Files, Path, Paths}

import io.hudilite.TestTables.storage
import io.hudilite.error.UnsupportedTable
import io.hudilite.storage.MemoryStorage

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

  test("partitions that begin with a dot, or that lie below another one, are listed") {
    val paths =
      Seq(".dot", "x/.dot", ".staging/q", "a", "a/b", "a/b/c/d", "_temporary", "x/_temporary/0", "a:b", "größe")
    val base = withPartitions(paths: _*)
    assertEquals(Partitions.discover(storage, base).keySet, paths.toSet)
  }

  test("the folder of table files holds no partitions, nor does that of a table inside the table") {
    val base = withPartitions("p", ".hoodie/metadata/files", "p/.hoodie/metadata/files", "q/.hoodie/x")
    assertEquals(Partitions.discover(storage, base).keySet, Set("p"))
  }

  test("a folder below the root may have the name of the folder of table files, when it is marked") {
    val base = withPartitions("x/.hoodie", "x/.hoodie/y")
    assertEquals(Partitions.discover(storage, base).keySet, Set("x/.hoodie", "x/.hoodie/y"))
  }

  test("every folder is listed once, and no file is") {
    val memory = new MemoryStorage
    val partitions = for (a <- 0 until 4; b <- 0 until 3) yield s"a=$a/b=$b"
    (partitions :+ "a=0" :+ "").foreach(Partitions.createMetadata(memory, "/t", _, "20260101000001000"))
    partitions.foreach(p => (0 until 5).foreach(n => memory.createNew(s"/t/$p/f-${n}_0_1.parquet", Array[Byte](1))))
    memory.createNew("/t/.hoodie/timeline/20260101000001000.commit.requested", Array[Byte](1))
    assertEquals(Partitions.discover(memory, "/t").keySet, partitions.toSet + "a=0" + "")
    assertEquals(memory.listings, 1 + 4 + 12)
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

  private def link(from: String, to: String): Path = Files.createSymbolicLink(Paths.get(from), Paths.get(to))

  private def refusedLink(base: String): String = {
    val e = intercept[UnsupportedTable](Partitions.discover(storage, base))
    assertEquals(e.condition, "UNSUPPORTED_LINK")
    e.parameters("path").stripPrefix(s"$base/")
  }

  test("a partition that is a link to a folder outside is read, also from its parent folder") {
    val outside = withPartitions("q/r", "s")
    storage.createNew(s"$outside/s/x", Array[Byte](1))
    val base = withPartitions("p")
    link(s"$base/s", s"$outside/s")
    link(s"$base/q", s"$outside/q")
    val found = Partitions.discover(storage, base)
    assertEquals(found.keySet, Set("p", "s", "q/r"))
    assert(found("s").exists(_.name == "x"))
  }

  test("a loop of links is refused by name, whether it is at once or on the way") {
    val base = withPartitions("p")
    link(s"$base/p/again", base)
    assertEquals(refusedLink(base), "p/again")
    val itself = withPartitions("p")
    link(s"$itself/loop", s"$itself/loop")
    assertEquals(refusedLink(itself), "loop")
    val above = withPartitions("p")
    link(s"$above/root", "/")
    assertEquals(refusedLink(above), "root")
    val (left, right) = (withPartitions("p"), withPartitions("q"))
    link(s"$left/right", right)
    link(s"$right/left", left)
    assertEquals(refusedLink(left), "right/left")
  }

  test("a partition that would be found twice by links is refused") {
    val twice = withPartitions("p")
    link(s"$twice/q", s"$twice/p")
    assertEquals(refusedLink(twice), "q")
    val (base, outside) = (withPartitions("p"), withPartitions("x/y"))
    link(s"$base/a", s"$outside/x")
    link(s"$base/b", s"$outside/x/y")
    assertEquals(refusedLink(base), "b")
  }

  test("partitions that are links to one folder are refused, also when they are asked for by name") {
    val (base, outside) = (withPartitions("p"), withPartitions("x"))
    link(s"$base/a", s"$outside/x")
    link(s"$base/b", s"$outside/x")
    assertEquals(refusedLink(base), "b")
    def found(paths: String*): Set[String] = PartitionWalk.of(new ListedFolders(storage, base),
      new PathSelection {
        override def mayLead(folder: String): Boolean = true
        override def wants(partition: String): Boolean = true
        override def only: Option[Seq[String]] = Some(paths)
      }).map(_._1).toSet
    assertEquals(found("a", "p"), Set("a", "p"))
    assertEquals(intercept[UnsupportedTable](found("a", "b")).condition, "UNSUPPORTED_LINK")
  }

  test("a name that is too long for a folder is that of no partition") {
    assertEquals(Partitions.list(storage, withPartitions("p"), Seq("x" * 300)), Map("x" * 300 -> Nil))
  }

  test("a link that leads nowhere is damage, not an absent partition") {
    val base = withPartitions("p")
    link(s"$base/q", s"$base-gone")
    assertEquals(refusedLink(base), "q")
    assertEquals(intercept[UnsupportedTable](Partitions.list(storage, base, Seq(""))).condition, "UNSUPPORTED_LINK")
  }
}

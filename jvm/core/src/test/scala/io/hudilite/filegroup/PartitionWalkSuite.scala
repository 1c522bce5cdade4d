package io.hudilite.filegroup

import io.hudilite.storage.{CountingStorage, MemoryStorage}

import java.util.concurrent.ConcurrentHashMap

import munit.FunSuite

class PartitionWalkSuite extends FunSuite {

  private def table(partitions: Seq[String]): CountingStorage = {
    val storage = new MemoryStorage()
    partitions.foreach(Partitions.createMetadata(storage, "/t", _, "20260101000001000"))
    new CountingStorage(storage)
  }

  private def below(selected: String => Boolean): PathSelection = new PathSelection {
    override def mayLead(folder: String): Boolean = selected(folder.takeWhile(_ != '/'))
    override def wants(partition: String): Boolean = selected(partition.takeWhile(_ != '/'))
  }

  private def found(storage: CountingStorage, selection: PathSelection): Seq[String] =
    PartitionWalk.of(new ListedFolders(storage, "/t"), selection).map(_._1).toList.sorted

  private val days = for (month <- 1 to 12; day <- 1 to 28) yield f"2026-$month%02d/$day%02d"

  test("every partition is found, and each folder is listed once") {
    val storage = table(days)
    assertEquals(found(storage, PathSelection.All), days.sorted)
    assertEquals(storage.calls.paths("list").size, 1 + 12 + days.size)
    assertEquals(storage.calls.paths("list").distinct.size, 1 + 12 + days.size)
  }

  test("folders that cannot lead to a wanted partition are not listed") {
    val storage = table(days)
    assertEquals(found(storage, below(_ == "2026-03")), days.filter(_.startsWith("2026-03")).sorted)
    assertEquals(storage.calls.count("list"), 1 + 1 + 28)
  }

  test("paths that are known beforehand are asked for, and no others") {
    val storage = table(days)
    val exact = new PathSelection {
      override def mayLead(folder: String): Boolean = true
      override def wants(partition: String): Boolean = partition != "2026-02/02"
      override def only: Option[Seq[String]] = Some(Seq("2026-01/01", "2026-02/02", "2026-13/01", "2026-01"))
    }
    assertEquals(found(storage, exact), Seq("2026-01/01"))
    assertEquals(storage.calls.count("list"), 4)
  }

  test("who stops at the first partition has listed one folder of each level") {
    val storage = table(days)
    val walk = PartitionWalk.of(new ListedFolders(storage, "/t"), PathSelection.All)
    assertEquals(walk.next()._1, "2026-01/01")
    assert(storage.calls.count("list") <= 1 + 2 + 4, storage.calls.summary)
  }

  test("who wants no more than a number of partitions has no more of them listed, and learns whether there are more") {
    for ((paths, inner) <- Seq((1 to 20).map(i => f"p$i%02d") -> 0, days -> 3); most <- Seq(1, 2, 3, 8)) {
      val storage = table(paths)
      val walk = new PartitionWalk(new ListedFolders(storage, "/t"), PathSelection.All, most)
      assertEquals(walk.toList.size, most)
      assert(walk.areMore)
      val listed = storage.calls.paths("list").map(_.stripPrefix("/t").stripPrefix("/"))
      assertEquals(listed.count(paths.contains), most)
      assert(listed.size <= 1 + inner + most, listed.toString)
    }
    for (most <- Seq(4, 5, 100)) {
      val walk =
        new PartitionWalk(new ListedFolders(table(days.filter(_ < "2026-01/05")), "/t"), PathSelection.All, most)
      assertEquals((walk.toList.size, walk.areMore), (4, false))
    }
  }

  test("a table without partitions is one, and a path without folders has none") {
    assertEquals(found(table(Seq("")), PathSelection.All), Seq(""))
    assertEquals(found(table(Nil), PathSelection.All), Nil)
  }

  private def named(paths: String*): PathSelection = new PathSelection {
    override def mayLead(folder: String): Boolean = true
    override def wants(partition: String): Boolean = paths.contains(partition)
    override def only: Option[Seq[String]] = Some(paths)
  }

  test("partitions lie below others and behind a dot, and nowhere in a folder of table files") {
    val there = Seq("", ".dot", "a", "a/b/c", "x/.hoodie")
    val ofTables = Seq(".hoodie/metadata/files", "y/.hoodie/metadata/files")
    val storage = table(there ++ ofTables)
    assertEquals(found(storage, PathSelection.All), there)
    there.foreach(path => assertEquals(found(storage, named(path)), Seq(path)))
    ofTables.foreach(path => assertEquals(found(storage, named(path)), Nil, path))
  }

  test("a path that no partition can have is not asked for") {
    val storage = table(Seq("a"))
    for (path <- Seq("a//b", "/a", "a/", ".", "..", "a/../a", "x\u0000", ".hoodie"))
      assertEquals(new ListedFolders(storage, "/t").read(Seq(path)), Map(path -> FolderContent.Nothing))
    assertEquals(storage.calls.count("list"), 0)
  }

  test("a folder is read once, also when many ask for it at the same time") {
    val storage = table(days)
    val folders = new KeptFolders(new ListedFolders(storage, "/t"), new ConcurrentHashMap[String, FolderContent]())
    val threads = (1 to 8).map(_ => new Thread(() => PartitionWalk.of(folders, PathSelection.All).foreach(_ => ())))
    threads.foreach(_.start())
    threads.foreach(_.join())
    assertEquals(storage.calls.count("list"), 1 + 12 + days.size)
  }
}

package io.hudilite.storage

import io.hudilite.TestTables.{storage => disk}
import io.hudilite.error.{CorruptTable, InvalidInput, UnsupportedTable}

import java.nio.charset.StandardCharsets.UTF_8
import java.nio.file.{Files, Path, Paths}

import munit.FunSuite

class TableStorageSuite extends FunSuite {

  private val content = "x".getBytes(UTF_8)

  private def refused(run: => Any): String = {
    val e = intercept[CorruptTable](run)
    assertEquals(e.condition, "PATH_OUTSIDE_TABLE")
    e.parameters("reason")
  }

  private val everyCall: Seq[(Storage, String) => Any] = Seq(
    _.list(_), _.listBelow(_), _.read(_), _.readUnlessKnown(_, None), (s, p) => s.readAll(Seq(p)),
    (s, p) => s.readListed(Seq(FileInfo(p, 1L, 0L, false))),
    _.readRange(_, 0L, 1), _.open(_), _.open(_, 1L), _.exists(_), _.deleteIfEmpty(_), changes(0), changes(1),
    changes(2), changes(3), changes(4))

  private lazy val changes: Seq[(Storage, String) => Any] =
    Seq(_.createNew(_, content), _.replace(_, content), _.delete(_), _.deleteOwn(_), _.makeDirectory(_))

  test("no call goes to a path that does not lie below the table in its one form") {
    val memory = new MemoryStorage
    val table = TableStorage.of(memory, "/t")
    for (path <- Seq("/u/x", "/tt/x", "/", "/t/../u/x", "/t/a/../x", "/t//x", "/t/./x", "/t/x/", "x", "/t/a\u0000");
      call <- everyCall) refused(call(table, path))
    assertEquals(memory.paths, Nil)
  }

  test("below the table all calls go through, and the table itself can be looked at but not deleted") {
    val memory = new MemoryStorage
    for (base <- Seq("/t", "/t/")) {
      val table = TableStorage.of(memory, base)
      assert(table.createNew("/t/p/x", content) && table.exists("/t/p/x"))
      assertEquals(table.list("/t").map(_.name), Seq("p"))
      assertEquals(refused(table.delete("/t")), "it is the table itself")
      assert(table.delete("/t/p/x"))
      assert(TableStorage.of(table, base) eq table)
    }
    assertEquals(TableStorage.of(memory, "/t").caches, memory.caches)
  }

  test("what the storage tells of itself it tells of a table's, too") {
    val base = Files.createTempDirectory("hudilite-table")
    val machine = new Machine(disk, java.time.Instant.EPOCH)
    val table = TableStorage.of(machine, base.toString)
    assertEquals(table.clock.millis(), 0L)
    assertEquals(table.place(base.toString), disk.place(base.toString))
    assert(table.place(base.toString).local.isDefined && table.usesTemporaries(base.toString))
    Files.createDirectory(base.resolve("p"))
    Seq(s"$base/p", base.toString).foreach(table.deleteIfEmpty)
    assert(!Files.exists(base))
  }

  /** A table, a folder beside it with a file, and in the table a link to that folder. */
  private def linked(name: String): (String, Path) = {
    val folder = Files.createTempDirectory("hudilite-links")
    val (base, outside) = (folder.resolve("t"), folder.resolve("outside"))
    Files.createDirectories(base.resolve(name).getParent)
    Files.createDirectories(outside)
    Files.write(outside.resolve("theirs"), content)
    Files.createSymbolicLink(base.resolve(name), outside)
    (base.toString, outside)
  }

  test("nothing is written or deleted behind a link that leads out of the table") {
    for (name <- Seq(".hoodie", ".hoodie/.temp", ".hoodie/metadata", "p", "p/q"); change <- changes) {
      val (base, outside) = linked(name)
      val table = TableStorage.of(disk, base)
      Seq("theirs", "new", "deep/er").foreach(file => refused(change(table, s"$base/$name/$file")))
      assertEquals(Files.list(outside).count(), 1L)
      assertEquals(Files.readAllBytes(outside.resolve("theirs")).toSeq, content.toSeq)
    }
  }

  test("what lies behind such a link is read") {
    val (base, _) = linked("p")
    val table = TableStorage.of(disk, base)
    assertEquals(table.list(s"$base/p").map(_.name), Seq("theirs"))
    assertEquals(table.read(s"$base/p/theirs").map(_.toSeq), Some(content.toSeq))
  }

  test("a link to a file is not written through, even when it leads nowhere") {
    val (base, outside) = linked("p")
    Files.createSymbolicLink(Paths.get(base, "f"), outside.resolve("theirs"))
    Files.createSymbolicLink(Paths.get(base, "g"), outside.resolve("not-yet"))
    val table = TableStorage.of(disk, base)
    Seq("f", "g").foreach { name =>
      refused(table.replace(s"$base/$name", "y".getBytes(UTF_8)))
      assert(!table.createNew(s"$base/$name", "y".getBytes(UTF_8)))
    }
    assertEquals(Files.readAllBytes(outside.resolve("theirs")).toSeq, content.toSeq)
    assertEquals(Files.list(outside).count(), 1L)
  }

  test("the table itself may be reached by a link") {
    val (base, outside) = linked("p")
    val table = TableStorage.of(disk, s"$base/p")
    assert(table.createNew(s"$base/p/q/x", content) && Files.exists(outside.resolve("q/x")))
    table.deleteOwn(s"$base/p/q")
    assert(!Files.exists(outside.resolve("q")))
  }

  test("a folder that is a link to itself is refused by name when it is asked for") {
    val (base, _) = linked("p")
    Files.createSymbolicLink(Paths.get(base, "loop"), Paths.get(base, "loop"))
    val table = TableStorage.of(disk, base)
    val calls = changes.map(change => change(_: Storage, s"$base/loop/x")) :+ ((s: Storage) => s.list(s"$base/loop"))
    calls.foreach(call => assertEquals(intercept[UnsupportedTable](call(table)).condition, "UNSUPPORTED_LINK"))
  }

  test("a name that the file system's encoding has no letters for is refused, not bent") {
    // Two surrogates in the wrong order are no letter in any encoding.
    val base = Files.createTempDirectory("hudilite-names").toString
    val table = TableStorage.of(disk, base)
    val e = intercept[InvalidInput](table.createNew(s"$base/p\udc00\ud800/x", content))
    assertEquals(e.condition, "UNREADABLE_FILE_NAME")
  }
}

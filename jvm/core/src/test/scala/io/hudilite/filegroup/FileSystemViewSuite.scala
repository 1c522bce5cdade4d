package io.hudilite.filegroup

import io.hudilite.storage.FileInfo

import munit.FunSuite

class FileSystemViewSuite extends FunSuite {

  private val g = "1977df6e-567a-4a88-b82c-e12f6eee42d7-0"

  private def t(second: Int): String = f"202601010000$second%02d000"

  private def base(second: Int, fileId: String = g, token: String = "0-0-0"): FileInfo =
    file(FileNames.baseFile(fileId, token, t(second)))

  private def log(second: Int, version: Int = 1, fileId: String = g): FileInfo =
    file(FileNames.logFile(fileId, t(second), version, "0-0-0"))

  private def file(name: String): FileInfo = FileInfo(s"/t/p/$name", 1L, 0L, isDirectory = false)

  private def view(version: Int, committed: Map[Int, Int], replaced: Set[String] = Set.empty,
      pending: Map[String, Int] = Map.empty): ViewInstants = {
    val times = committed.map { case (requested, completed) => t(requested) -> t(completed) }
    ViewInstants(times.contains, times.get, replaced.map(FileGroupId("p", _)),
      pending.map { case (id, p) => FileGroupId("p", id) -> t(p) }, version)
  }

  /** `base+log1+log2` by seconds, newest slice first. */
  private def show(instants: ViewInstants, files: FileInfo*): Seq[String] =
    FileSystemView.groups(instants, Map("p" -> files))("p").flatten.map { s =>
      def second(time: String): Int = time.substring(12, 14).toInt
      (s.base.map(b => second(b.instant).toString).getOrElse("-") +: s.logs.map(l =>
        s"${second(l.time)}.${l.version}")).mkString("+")
    }

  test("the newest committed base file makes the newest slice") {
    assertEquals(show(view(9, Map(1 -> 2, 3 -> 4)), base(1), base(3)), Seq("3", "1"))
  }

  test("base files of pending and rolled-back instants do not count") {
    assertEquals(show(view(9, Map(1 -> 2)), base(1), base(3)), Seq("1"))
    assertEquals(show(view(9, Map.empty), base(1)), Nil)
  }

  test("a replaced file group is gone") {
    assertEquals(show(view(9, Map(1 -> 2), replaced = Set(g)), base(1)), Nil)
  }

  test("in version 6 a log file belongs to the base instant in its name") {
    assertEquals(show(view(6, Map(1 -> 2, 3 -> 4)), base(1), base(3), log(1, 2), log(1, 1), log(3)),
      Seq("3+3.1", "1+1.1+1.2"))
  }

  test("in version 6 a file group of log files alone is a slice of its own") {
    assertEquals(show(view(6, Map(1 -> 2)), log(1)), Seq("-+1.1"))
    assertEquals(show(view(6, Map.empty), log(1)), Nil)
  }

  test("from version 8 on a log file belongs to the newest slice that began before its commit completed") {
    val instants = view(9, Map(1 -> 2, 3 -> 4, 6 -> 8, 7 -> 9))
    assertEquals(show(instants, base(1), log(3), base(7), log(6)), Seq("7+6.1", "1+3.1"))
  }

  test("from version 8 on log files of uncommitted instants do not count") {
    assertEquals(show(view(9, Map(1 -> 2)), base(1), log(3)), Seq("1"))
  }

  test("an uncommitted base file takes no log files away from the committed slice") {
    assertEquals(show(view(9, Map(1 -> 2, 4 -> 5)), base(1), base(3), log(4)), Seq("1+4.1"))
  }

  test("log files without a base file join the slice that the first of them opens") {
    assertEquals(show(view(9, Map(1 -> 2, 3 -> 4)), log(1), log(3)), Seq("-+1.1+3.1"))
  }

  test("until a compaction completes its input and later log files are one slice") {
    assertEquals(show(view(9, Map(1 -> 2, 3 -> 4, 6 -> 7), pending = Map(g -> 5)), base(1), log(3), base(5), log(6)),
      Seq("1+3.1+6.1"))
    assertEquals(show(view(6, Map(1 -> 2, 3 -> 4, 6 -> 7), pending = Map(g -> 5)), base(1), log(1), log(5)),
      Seq("1+1.1+5.1"))
  }

  test("what was logged since a compaction was planned stays where it is when the table is upgraded before it is run") {
    val committed = Map(1 -> 2, 3 -> 4, 6 -> 7, 8 -> 9)
    val files = Seq(base(1), log(1), log(5), log(5, 2), log(8))
    assertEquals(show(view(9, committed, pending = Map(g -> 5)), files: _*), Seq("1+1.1+5.1+5.2+8.1"))
    assertEquals(show(view(9, committed + (5 -> 10)), base(5) +: files: _*), Seq("5+5.1+5.2+8.1", "1+1.1"))
    assertEquals(show(view(9, committed), files: _*), Seq("1+1.1+8.1"))
  }

  test(
    "log files that bear instants of their own, as a downgrade leaves them, are on top of the base file before them") {
    val files = Seq(base(1), log(3), log(5), base(7), log(7), log(7, 2))
    assertEquals(show(view(6, Map(1 -> 2, 3 -> 4, 5 -> 6, 7 -> 8)), files: _*), Seq("7+7.1+7.2", "1+3.1+5.1"))
    assertEquals(show(view(6, Map(1 -> 2, 3 -> 4)), files: _*), Seq("1+3.1"))
  }

  test(
    "the order of log files is lost when a table is downgraded while a compaction is pending, and told from others") {
    def lost(pending: Option[Int], files: FileInfo*): Seq[String] = {
      val instants = view(6, (1 to 9).map(n => n -> (n + 1)).toMap -- pending, pending = pending.map(g -> _).toMap)
      FileSystemView.slices(instants, Map("p" -> files))("p").flatMap(FileSystemView.outOfOrder(instants, _)).map(
        _.time)
    }
    assertEquals(lost(Some(5), base(1), log(3), log(6)), Seq(t(6)))
    assertEquals(lost(Some(5), base(1), log(3), log(5), log(6)), Seq(t(6)))
    assertEquals(lost(None, base(5), log(5), log(6)), Seq(t(6)))
    assertEquals(lost(Some(5), base(1), log(1), log(3), log(5), log(5, 2)), Nil)
    assertEquals(lost(None, base(5), log(6), log(7)), Nil)
    assertEquals(lost(None, log(5), log(5, 2)), Nil)
  }

  test("change-data files, checksums and markers are not part of slices") {
    val noise = Seq(s".${g}_${t(1)}.log.1_0-0-0.cdc", s".${g}_0-0-0_${t(1)}.parquet.crc", ".hoodie_partition_metadata")
    assertEquals(show(view(9, Map(1 -> 2)), base(1) +: noise.map(file): _*), Seq("1"))
  }

  test("of two base files of one instant the later in the listing counts") {
    val listing = Map("p" -> Seq(base(1, token = "0-0-1"), base(1, token = "0-0-2")))
    val slices = FileSystemView.slices(view(9, Map(1 -> 2)), listing)
    assertEquals(slices("p").flatMap(_.base).map(_.writeToken), Seq("0-0-2"))
  }

  test("of two base files of one instant the one that its commit names counts") {
    val listing = Map("p" -> Seq(base(1, token = "0-0-1"), base(1, token = "0-0-2"), base(3)))
    assertEquals(FileSystemView.instantsWithRetries(listing, 9), Set(t(1)))
    val named = Map(t(1) -> Set(s"p/${base(1, token = "0-0-1").name}"))
    val kept = FileSystemView.without(listing, FileSystemView.strays(listing, named, 9))
    assertEquals(kept("p"), Seq(base(1, token = "0-0-1"), base(3)))
  }

  test("files of two attempts of a task are looked into, in whatever file groups and partitions they are") {
    def doubtful(files: (String, FileInfo)*): Set[String] =
      FileSystemView.instantsWithRetries(files.groupBy(_._1).map { case (p, f) => p -> f.map(_._2) }, 9)
    assertEquals(doubtful("p" -> base(1, "a-0", "0-7-1"), "q" -> base(1, "b-0", "0-7-2")), Set(t(1)))
    assertEquals(doubtful("p" -> base(1, "a-0", "0-7-1"), "q" -> base(1, "b-0", "1-7-2")), Set.empty[String])
    assertEquals(doubtful("p" -> base(1, "a-0", "0-7-1"), "p" -> base(2, "a-0", "0-7-2")), Set.empty[String])
    assertEquals(doubtful("p" -> base(1, "a-0", "0-7-1"), "p" -> base(1, "c-0", "0-8-2")), Set.empty[String])
  }

  test("from version 8 on log files of two attempts are looked into as well; before, their names do not tell") {
    val listing = Map("p" -> Seq("0-7-1", "0-7-2").map(token => file(s".${g}_${t(3)}.log.1_$token")))
    assertEquals(FileSystemView.instantsWithRetries(listing, 9), Set(t(3)))
    assertEquals(FileSystemView.instantsWithRetries(listing, 6), Set.empty[String])
    val named = Map(t(3) -> Set(s"p/.${g}_${t(3)}.log.1_0-7-2"))
    val kept = FileSystemView.without(listing, FileSystemView.strays(listing, named, 9))
    assertEquals(kept("p"), listing("p").drop(1))
  }

  test("file groups come in the order of their ids") {
    val ids = Seq("b-0", "a-0")
    val slices = FileSystemView.slices(view(9, Map(1 -> 2)), Map("p" -> ids.map(base(1, _))))
    assertEquals(slices("p").map(_.fileId), Seq("a-0", "b-0"))
  }
}

package io.hudilite.transaction

import io.hudilite.filegroup.FileGroupId
import io.hudilite.timeline.{Action, CommitMetadata, Instant, State, WriteStat}

import munit.FunSuite

class ConflictCheckSuite extends FunSuite {

  private def group(id: String): FileGroupId = FileGroupId("p", id)

  private def other(time: String, ids: String*): Footprint =
    Footprint(
      Instant(time, Action.Commit, State.Completed, None, s"$time.commit"), ids.map(group).toSet, Some("UPSERT"))

  private def compaction(time: String, ids: String*): Footprint = other(time, ids: _*).copy(operation = Some("COMPACT"))

  private def overlap(mine: Set[String], others: Footprint*): Option[String] =
    overlapOf(Changes(rewritten = mine.map(group)), Basis(9), others: _*)

  private def overlapOf(mine: Changes, basis: Basis, others: Footprint*): Option[String] =
    ConflictCheck.firstOverlap("5", mine, others, basis).map(o =>
      s"${o.other.instant.time}: ${o.groups.map(_.fileId).toSeq.sorted.mkString(",")}")

  test("two writes conflict exactly when they touch the same file group") {
    val cases: Seq[(Set[String], Seq[Footprint], Option[String])] = Seq(
      (Set("a"), Nil, None),
      (Set.empty, Seq(other("6", "a")), None),
      (Set("a"), Seq(other("6", "b")), None),
      (Set("a", "b"), Seq(other("6", "b")), Some("6: b")),
      (Set("a", "b"), Seq(other("6", "c"), other("7", "b", "a")), Some("7: a,b")),
      (Set("a"), Seq(other("7", "a"), other("4", "a")), Some("4: a")),
      (Set("a"), Seq(other("5", "a")), None),
      (Set("a"), Seq(compaction("4", "a")), Some("4: a")),
      (Set("a"), Seq(compaction("6", "a")), Some("6: a")))
    for ((mine, others, expected) <- cases) assertEquals(overlap(mine, others: _*), expected, s"$mine $others")
  }

  test("a compaction excludes log files only before version 8, and only when they do not bear its instant") {
    val appended = Changes(appended = Set(group("a")))
    for (time <- Seq("4", "6")) {
      assertEquals(overlapOf(appended, Basis(9), compaction(time, "a")), None)
      assertEquals(overlapOf(appended, Basis(6), compaction(time, "a")), Some(s"$time: a"))
      assertEquals(overlapOf(appended, Basis(6, Set(time)), compaction(time, "a")), None)
      assertEquals(overlapOf(Changes(replaced = Set(group("a"))), Basis(6), compaction(time, "a")), None)
    }
    assertEquals(overlapOf(appended, Basis(9), other("6", "a")), Some("6: a"))
  }

  test("a group with a base file and log files of one write is rewritten, one with log files alone is appended to") {
    def stat(path: String, id: String): WriteStat = WriteStat(id, path, "1", "p")
    val metadata = CommitMetadata("UPSERT",
      Map("p" -> Seq(stat("p/a_0_1.parquet", "a"), stat("p/.a_1.log.1_0-0-0", "a"), stat("p/.b_1.log.1_0-0-0", "b"))),
      Map.empty, replaced = Map("p" -> Seq("c")))
    assertEquals(ConflictCheck.changes(metadata), Changes(Set(group("a")), Set(group("b")), Set(group("c"))))
  }

  test("the same file id in another partition is another file group") {
    val elsewhere = Footprint(other("6").instant, Set(FileGroupId("q", "a")))
    assertEquals(overlap(Set("a"), elsewhere), None)
  }

  test("two file groups of one bucket are the same place") {
    val (one, another) = ("00000003-4649-4b38-9a48-7a5013bf23d3-0", "00000003-1111-4b38-9a48-7a5013bf23d3-0")
    assertEquals(overlap(Set(one), other("6", another)), Some("6: 00000003"))
    assertEquals(overlap(Set(one), other("6", another.replaceFirst("3", "4"))), None)
    assertEquals(overlap(Set("99999999" + one.drop(8)), other("6", "99999999" + another.drop(8))), None)
  }

  test("the footprint of a commit is what it wrote and what it replaced") {
    val metadata = CommitMetadata("INSERT_OVERWRITE", Map("p" -> Seq(WriteStat("a", "p/a_0_1.parquet", "null", "p"))),
      Map.empty, replaced = Map("p" -> Seq("b"), "q" -> Seq("c")))
    assertEquals(ConflictCheck.changes(metadata).all, Set(group("a"), group("b"), FileGroupId("q", "c")))
  }

  test("pending replacecommits and clusterings take file groups, other pending actions do not") {
    def pending(action: String): Boolean = ConflictCheck.takesGroups(Instant("6", action, State.Requested, None, ""))
    assertEquals(Action.all.filter(pending), Set(Action.ReplaceCommit, Action.Clustering))
  }
}

package io.hudilite.service.compact

import io.hudilite.log.{BlockInstants, BlockKind, HeaderKey, LogBlock, LogBlockWriter}
import io.hudilite.timeline.{Action, Instant, State, Timeline, WriteStat}

import munit.FunSuite

class LogCompactionPlannerSuite extends FunSuite {

  private def block(instant: String, kind: BlockKind = BlockKind.AvroData, folded: String = ""): LogBlock = {
    val headers = Map(HeaderKey.InstantTime -> instant) ++
      (if (folded.isEmpty) None else Some(HeaderKey.CompactedTimes -> folded))
    LogBlock("/log", kind, headers, 0L, 0L)
  }

  private def ofNewKeys(instant: String): LogBlock = {
    val headers = LogBlockWriter.headers(9, instant, "{}", Some("base" -> Array.emptyLongArray))
    LogBlock("/log", BlockKind.AvroData, headers, 0L, 0L)
  }

  private def rollback(of: String): LogBlock =
    LogBlock("/log", BlockKind.Command, Map(HeaderKey.InstantTime -> "z", HeaderKey.TargetInstant -> of), 0L, 0L)

  private def foldable(blocks: LogBlock*): Int =
    LogCompactionPlanner.foldable(blocks, BlockInstants(9, None, Set.empty, None))

  private val instants = Seq("a", "b", "c", "d", "e", "f")

  test("every block of data or deletes counts") {
    for (n <- 2 to 6) assertEquals(foldable(instants.take(n).map(block(_)): _*), n)
    assertEquals(foldable(block("a"), block("a", BlockKind.Delete), block("b")), 3)
    assertEquals(foldable(block("a"), ofNewKeys("a"), block("b"), block("b", BlockKind.Delete), ofNewKeys("b")), 3)
    assertEquals(foldable(ofNewKeys("a"), ofNewKeys("b"), ofNewKeys("b")), 2)
  }

  test("the blocks of one instant are not worth folding, nor are none") {
    assertEquals(foldable(), 0)
    assertEquals(foldable(block("a")), 0)
    assertEquals(foldable(Seq.fill(9)(block("a")): _*), 0)
  }

  test("blocks that no reader merges do not count") {
    assertEquals(foldable(block("a"), block("b"), block("c"), rollback("b")), 2)
    assertEquals(foldable(block("a"), block("b"), rollback("b")), 0)
    val completed = BlockInstants(6, None, Set("a", "c"), Some("a"))
    val corrupt = LogBlock("/log", BlockKind.Corrupt, Map.empty, 0L, 1L)
    assertEquals(LogCompactionPlanner.foldable(Seq(block("a"), block("b"), corrupt, block("c")), completed), 2)
  }

  test("an earlier log compaction counts as one block, and what it folded not at all") {
    val folded = Seq(block("a"), block("b"), block("c", folded = "a,b"), block("c", BlockKind.Delete, "a,b"))
    assertEquals(foldable(folded: _*), 0)
    assertEquals(foldable(folded :+ block("d"): _*), 2)
    assertEquals(foldable(folded ++ Seq(block("d"), block("e")): _*), 3)
  }

  test("before version 8 the results must have the numbers right behind what they fold") {
    val slice = Candidates.candidate("a", 1, 1, 1).slice // log files 1 and 2
    def inOrder(layout: Int, versions: Int*): Boolean = LogCompactionPlanner.isInOrder(slice,
      versions.map(v => WriteStat("a", s".a_1.log.$v", "1", "", logVersion = v)) :+
        WriteStat("b", ".b_1.log.9", "1", "", logVersion = 9), layout)
    for (versions <- Seq(Nil, Seq(3), Seq(4, 3))) assert(inOrder(1, versions: _*), versions.toString)
    for (versions <- Seq(Seq(4), Seq(3, 5), Seq(2))) assert(!inOrder(1, versions: _*), versions.toString)
    assert(inOrder(2, 1))
  }

  private def write(time: String, action: String): Instant = Instant(time, action, State.Completed, None, "")

  private def isDue(threshold: Int, logCompactions: Set[String], writes: (String, String)*): Boolean =
    LogCompactionPlanner.isDue(Timeline(writes.map { case (t, a) => write(t, a) }), i => logCompactions(i.time),
      threshold)

  test("it is due after as many delta commits as the threshold") {
    val deltas = instants.map(_ -> Action.DeltaCommit)
    for ((count, due) <- Seq(0 -> false, 1 -> false, 4 -> false, 5 -> true, 6 -> true))
      assertEquals(isDue(5, Set.empty, deltas.take(count): _*), due, s"$count delta commits")
    assert(isDue(1, Set.empty, deltas.take(1): _*))
  }

  test("delta commits count from the last compaction of either kind, and replacecommits do not") {
    val (d, c, r) = (Action.DeltaCommit, Action.Commit, Action.ReplaceCommit)
    assert(!isDue(2, Set.empty, "a" -> d, "b" -> c, "c" -> d))
    assert(isDue(2, Set.empty, "a" -> c, "b" -> d, "c" -> d))
    assert(!isDue(2, Set("b"), "a" -> d, "b" -> d, "c" -> d))
    assert(isDue(2, Set("b"), "a" -> d, "b" -> d, "c" -> d, "d" -> d))
    assert(isDue(2, Set.empty, "a" -> d, "b" -> r, "c" -> d))
  }
}

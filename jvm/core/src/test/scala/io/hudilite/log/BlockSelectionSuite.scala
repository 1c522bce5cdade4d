package io.hudilite.log

import io.hudilite.error.CorruptTable

import munit.FunSuite

class BlockSelectionSuite extends FunSuite {

  /** Block number `n` of the slice. */
  private def block(n: Int, kind: BlockKind, headers: (Int, String)*): LogBlock =
    LogBlock("/log", kind, headers.toMap, n.toLong, 0L)

  private def data(n: Int, instant: String): LogBlock = block(n, BlockKind.AvroData, HeaderKey.InstantTime -> instant)
  private def delete(n: Int, instant: String): LogBlock = block(n, BlockKind.Delete, HeaderKey.InstantTime -> instant)

  private def compacted(n: Int, instant: String, of: String): LogBlock =
    block(n, BlockKind.AvroData, HeaderKey.InstantTime -> instant, HeaderKey.CompactedTimes -> of)

  private def rollback(n: Int, instant: String, of: String): LogBlock = block(n, BlockKind.Command,
    HeaderKey.InstantTime -> instant, HeaderKey.TargetInstant -> of, HeaderKey.CommandType -> HeaderKey.Rollback)

  private val everything = BlockInstants(9, None, Set.empty, None)

  /** The numbers of the blocks that are selected. */
  private def selected(blocks: Seq[LogBlock], instants: BlockInstants = everything): Seq[Int] =
    BlockSelection.select(blocks, instants).map(_.contentOffset.toInt)

  test("data and deletes stay in order") {
    val cases = Seq[(Seq[LogBlock], Seq[Int])](
      Nil -> Nil,
      Seq(data(1, "a")) -> Seq(1),
      Seq(data(1, "a"), delete(2, "a"), data(3, "b")) -> Seq(1, 2, 3),
      // Blocks of one instant stay together, where the instant begins.
      Seq(data(1, "a"), data(2, "b"), delete(3, "a")) -> Seq(1, 3, 2))
    cases.foreach { case (blocks, expected) => assertEquals(selected(blocks), expected) }
  }

  test("damage in a file of one write is an error that tells the place, in version 6 it is passed over as Hudi does") {
    val damage = Seq(block(7, BlockKind.Corrupt), block(8, BlockKind.ChangeData, HeaderKey.InstantTime -> "a"))
    damage.foreach { damaged =>
      val blocks = Seq(data(1, "a"), damaged, data(9, "a"))
      Seq(8, 9).foreach { version =>
        val e = intercept[CorruptTable](selected(blocks, everything.copy(version = version)))
        assertEquals(e.condition, "CORRUPT_FILE")
        assert(e.getMessage.contains("/log") && e.getMessage.contains(s"at offset ${damaged.contentOffset}"),
          e.getMessage)
      }
      assertEquals(selected(blocks, BlockInstants(6, None, Set("a"), None)), Seq(1, 9))
    }
  }

  test("every kind of data counts") {
    val kinds = Seq(BlockKind.AvroData, BlockKind.ParquetData, BlockKind.HFileData, BlockKind.Delete)
    val blocks = kinds.zipWithIndex.map { case (k, n) => block(n, k, HeaderKey.InstantTime -> "a") }
    assertEquals(selected(blocks), Seq(0, 1, 2, 3))
  }

  test("blocks after the reader's instant do not count") {
    val blocks = Seq(data(1, "a"), data(2, "b"), data(3, "c"))
    Seq("a" -> Seq(1), "b" -> Seq(1, 2), "c" -> Seq(1, 2, 3), "0" -> Nil).foreach { case (latest, expected) =>
      assertEquals(selected(blocks, everything.copy(latest = Some(latest))), expected)
    }
  }

  test("in version 6 only blocks of completed or archived instants count") {
    val blocks = Seq(data(1, "a"), data(2, "b"), data(3, "c"), data(4, "d"))
    val cases = Seq(
      BlockInstants(6, None, Set("b", "d"), Some("b")) -> Seq(1, 2, 4),
      BlockInstants(6, None, Set("b", "d"), Some("a")) -> Seq(2, 4),
      BlockInstants(6, None, Set("b", "d"), None) -> Seq(2, 4),
      BlockInstants(6, Some("c"), Set("b", "d"), Some("b")) -> Seq(1, 2),
      BlockInstants(6, None, Set("b", "d"), Some("b"), Some(Set("a", "d"))) -> Seq(1, 4),
      BlockInstants(8, None, Set("b", "d"), Some("b")) -> Seq(1, 2, 3, 4),
      BlockInstants(8, None, Set("b", "d"), Some("b"), Some(Set("a", "c"))) -> Seq(1, 3))
    cases.foreach { case (instants, expected) => assertEquals(selected(blocks, instants), expected) }
  }

  test("a rollback takes back the blocks before it, and the instant may come again") {
    val cases = Seq(
      Seq(data(1, "a"), data(2, "b"), rollback(3, "r", "b")) -> Seq(1),
      Seq(data(1, "a"), data(2, "b"), delete(3, "b"), rollback(4, "r", "b"), data(5, "b")) -> Seq(1, 5),
      Seq(rollback(1, "r", "a"), data(2, "a")) -> Seq(2),
      Seq(data(1, "a"), rollback(2, "r", "x")) -> Seq(1),
      Seq(data(1, "a"), rollback(2, "r", "a"), data(3, "b"), rollback(4, "s", "b")) -> Nil)
    cases.foreach { case (blocks, expected) => assertEquals(selected(blocks), expected) }
  }

  test("a rollback counts even when it is newer than what the reader sees, or pending") {
    val blocks = Seq(data(1, "a"), data(2, "b"), rollback(3, "r", "b"))
    assertEquals(selected(blocks, BlockInstants(6, Some("b"), Set("a", "b"), None)), Seq(1))
  }

  test("a log compaction stands in the place of what it folded") {
    val cases = Seq(
      Seq(data(1, "a"), data(2, "b"), compacted(3, "c", "a,b")) -> Seq(3),
      Seq(data(1, "a"), data(2, "b"), data(3, "d"), compacted(4, "c", "a,b")) -> Seq(4, 3),
      Seq(data(1, "a"), data(2, "b"), compacted(3, "c", "b")) -> Seq(1, 3),
      Seq(data(1, "a"), delete(2, "a"), compacted(3, "c", "a"), delete(4, "c"), data(5, "e")) -> Seq(3, 4, 5))
    cases.foreach { case (blocks, expected) => assertEquals(selected(blocks), expected) }
  }

  test("log compactions may fold the results of others") {
    val cases = Seq(
      Seq(data(1, "a"), data(2, "b"), compacted(3, "c", "a,b"), data(4, "d"), compacted(5, "e", "c,d")) -> Seq(5),
      Seq(data(1, "a"), compacted(2, "b", "a"), compacted(3, "c", "b"), compacted(4, "d", "c"), data(5, "e")) ->
        Seq(4, 5),
      Seq(data(1, "a"), compacted(2, "b", "a"), data(3, "c"), data(4, "d"), compacted(5, "e", "c,d")) -> Seq(2, 5))
    cases.foreach { case (blocks, expected) => assertEquals(selected(blocks), expected) }
  }

  test("a compacted block that is not seen yet leaves the originals") {
    val blocks = Seq(data(1, "a"), data(2, "b"), compacted(3, "c", "a,b"))
    assertEquals(selected(blocks, everything.copy(latest = Some("b"))), Seq(1, 2))
    assertEquals(selected(blocks, BlockInstants(6, None, Set("a", "b"), None)), Seq(1, 2))
    assertEquals(selected(blocks :+ rollback(4, "r", "c")), Seq(1, 2))
  }

  test("a compacted block whose originals are gone stands for itself, so that nothing is lost") {
    assertEquals(selected(Seq(compacted(1, "c", "a,b"), data(2, "d"))), Seq(1, 2))
    assertEquals(selected(Seq(compacted(1, "c", "a"), compacted(2, "d", "c"))), Seq(2))
    assertEquals(selected(Seq(compacted(1, "c", "c"))), Seq(1))
  }

  test("a data block without an instant is an error") {
    val error = intercept[CorruptTable](selected(Seq(block(1, BlockKind.AvroData))))
    assertEquals(error.parameters("reason"), "the block with content at offset 1 names no instant")
  }
}

package io.hudilite.merge

import io.hudilite.config.{MergeMode, PartialUpdates}

import munit.FunSuite

class MergeRuleSuite extends FunSuite {

  private final class Of(values: Any*) extends Version {
    override def ordering(field: Int): Any = values(field)
  }

  private object Unordered extends Version {
    override def ordering(field: Int): Any = throw new IllegalStateException("an unordered delete is not compared")
    override def isDelete: Boolean = true
    override def isUnordered: Boolean = true
  }

  private final class DeleteAt(value: Any) extends Version {
    override def ordering(field: Int): Any = value
    override def isDelete: Boolean = true
  }

  private val one = MergeRule.of(MergeMode.EventTime, Seq("ts"))
  private val two = MergeRule.of(MergeMode.EventTime, Seq("ts", "seq"))
  private val commits = MergeRule.of(MergeMode.CommitTime, Seq("ts"))

  test("the greater ordering value wins, and of equal ones the newer version") {
    assert(one.wins(new Of(2), new Of(1)))
    assert(one.wins(new Of(1), new Of(1)))
    assert(!one.wins(new Of(1), new Of(2)))
  }

  test("further fields decide between versions that agree in those before") {
    assert(two.wins(new Of(1, 5), new Of(1, 4)))
    assert(!two.wins(new Of(1, 3), new Of(1, 4)))
    assert(two.wins(new Of(2, 0), new Of(1, 9)))
    assert(!two.wins(new Of(0, 9), new Of(1, 0)))
  }

  test("a missing value is less than any other, but for ints, beside which it is 0") {
    for (value <- Seq[Any](-1L, 0L, "", Double.NegativeInfinity, Array.emptyByteArray, false)) {
      assert(!one.wins(new Of(null), new Of(value)))
      assert(one.wins(new Of(value), new Of(null)))
    }
    for (zero <- Seq[Any](0, 0.toShort, 0.toByte); (less, more) = (-1, 1))
      assert(one.wins(new Of(null), new Of(zero)) && one.wins(new Of(zero), new Of(null)) &&
        one.wins(new Of(null), new Of(less)) && !one.wins(new Of(null), new Of(more)))
    assert(one.wins(new Of(null), new Of(null)))
    assert(!two.wins(new Of(1, null), new Of(1, 4)))
    assert(two.wins(new Of(1, 3), new Of(1, null)))
    assert(two.wins(new Of(2, null), new Of(1, 4)), "the field before has decided")
  }

  test("it does not matter which versions of a record meet first") {
    val random = new scala.util.Random(7)
    def drawn(): Seq[Any] = Seq.fill(2)(if (random.nextInt(3) == 0) null else random.nextInt(5) - 2)
    for (_ <- 1 to 2000) {
      val versions = Seq.fill(4)(drawn()).zipWithIndex
      def merged(older: (Seq[Any], Int), newer: (Seq[Any], Int)): (Seq[Any], Int) =
        if (two.wins(new Of(newer._1: _*), new Of(older._1: _*))) newer else older
      val inTurn = versions.reduceLeft(merged(_, _))
      assertEquals(versions.reduceRight(merged(_, _)), inTurn)
      assertEquals(merged(merged(versions(0), versions(1)), merged(versions(2), versions(3))), inTurn)
    }
  }

  test("in the order of commits the newer version wins whatever its values are") {
    assert(!commits.compares)
    assert(commits.alwaysWins(new Of(0)))
    assert(commits.wins(new Of(0), new Of(1)))
  }

  test("a delete without ordering values wins over everything older and loses to everything newer") {
    assert(one.alwaysWins(Unordered))
    assert(one.wins(Unordered, new Of(9)))
    assert(one.wins(new Of(0), Unordered))
    assert(one.wins(new DeleteAt(0), Unordered))
  }

  test("what becomes of the older version") {
    assertEquals[Outcome, Outcome](one.decide(new Of(1), new Of(2)), Outcome.Kept)
    assertEquals[Outcome, Outcome](one.decide(new Of(2), new Of(1)), Outcome.Replaced)
    assertEquals[Outcome, Outcome](one.decide(new DeleteAt(2), new Of(1)), Outcome.Deleted)
    assertEquals[Outcome, Outcome](one.decide(new DeleteAt(0), new Of(1)), Outcome.Kept)
    assertEquals[Outcome, Outcome](one.decide(Unordered, new Of(9)), Outcome.Deleted)
  }

  test("bytes are compared without sign, fractions as Java orders them") {
    assert(one.wins(new Of(Array(-1.toByte)), new Of(Array(1.toByte))))
    assert(!one.wins(new Of(Array(1.toByte)), new Of(Array(1.toByte, 0.toByte))))
    assert(one.wins(new Of(Double.NaN), new Of(Double.PositiveInfinity)))
    assert(!one.wins(new Of(-0.0), new Of(0.0)))
  }

  private final class PartAt(value: Any) extends Version {
    override def ordering(field: Int): Any = value
    override def isPartial: Boolean = true
  }

  test(
    "of a version that lacks columns and wins the other one stays below, of one that loses the columns that are lacking") {
    assertEquals[Outcome, Outcome](one.decide(new PartAt(2), new Of(1)), Outcome.Overlaid)
    assertEquals[Outcome, Outcome](one.decide(new PartAt(2), new PartAt(1)), Outcome.Overlaid)
    assertEquals[Outcome, Outcome](one.decide(new PartAt(1), new PartAt(2)), Outcome.Underlaid)
    assertEquals[Outcome, Outcome](one.decide(new Of(1), new PartAt(2)), Outcome.Underlaid)
    assertEquals[Outcome, Outcome](commits.decide(new PartAt(1), new PartAt(2)), Outcome.Overlaid)
  }

  test(
    "a whole version that wins leaves nothing of one that lacks columns, nor does a delete, nor is a delete completed") {
    assertEquals[Outcome, Outcome](one.decide(new Of(2), new PartAt(1)), Outcome.Replaced)
    assertEquals[Outcome, Outcome](one.decide(new PartAt(1), new Of(2)), Outcome.Kept)
    assertEquals[Outcome, Outcome](one.decide(Unordered, new PartAt(1)), Outcome.Deleted)
    assertEquals[Outcome, Outcome](one.decide(new PartAt(1), Unordered), Outcome.Replaced)
    assertEquals[Outcome, Outcome](one.decide(new DeleteAt(1), new PartAt(2)), Outcome.Kept)
    assertEquals[Outcome, Outcome](one.decide(new PartAt(1), new DeleteAt(2)), Outcome.Kept)
  }

  test("by a rule of partial updates whole versions complete each other, deletes excepted") {
    val partial = MergeRule.of(MergeMode.EventTime, Seq("ts"), Some(PartialUpdates.IgnoreDefaults))
    assertEquals[Outcome, Outcome](partial.decide(new Of(2), new Of(1)), Outcome.Overlaid)
    assertEquals[Outcome, Outcome](partial.decide(new Of(1), new Of(2)), Outcome.Underlaid)
    assertEquals[Outcome, Outcome](partial.ofWinners.decide(new Of(1), new Of(2)), Outcome.Overlaid)
    assertEquals[Outcome, Outcome](partial.decide(new DeleteAt(2), new Of(1)), Outcome.Deleted)
    assertEquals[Outcome, Outcome](partial.decide(new DeleteAt(1), new Of(2)), Outcome.Kept)
    assertEquals[Outcome, Outcome](partial.decide(new Of(2), new DeleteAt(1)), Outcome.Replaced)
  }
}

package io.hudilite.filegroup

import munit.FunSuite

class LotsSuite extends FunSuite {

  private def deal(weights: Seq[Long], count: Int): Seq[Seq[Long]] = Lots.deal(weights, count)(identity)

  test("nothing makes no lots") {
    assertEquals(deal(Nil, 4), Nil)
  }

  test("there are no more lots than items") {
    assertEquals(deal(Seq(3, 5), 4), Seq(Seq(5L), Seq(3L)))
  }

  test("items without weight are dealt out, too") {
    assertEquals(deal(Seq(0, 0, 0, 0, 0), 2).flatten.size, 5)
  }

  test("the next item goes to the lightest lot") {
    assertEquals(deal(Seq(4, 10, 3, 3, 2), 2), Seq(Seq(10L, 2L), Seq(4L, 3L, 3L)))
  }

  test("lots differ by at most the heaviest item, and no item is lost") {
    val random = new scala.util.Random(7)
    (1 to 200).foreach { _ =>
      val weights = Seq.fill(random.nextInt(60))(random.nextInt(1000).toLong)
      val count = 1 + random.nextInt(12)
      val lots = deal(weights, count)
      assertEquals(lots.flatten.sorted, weights.sorted)
      if (weights.size >= count && weights.forall(_ > 0)) {
        val sums = lots.map(_.sum)
        assertEquals(lots.size, count)
        assert(sums.max - sums.min <= weights.max, s"$weights in $count lots: $sums")
      }
    }
  }
}

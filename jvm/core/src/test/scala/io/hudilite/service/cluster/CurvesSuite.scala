package io.hudilite.service.cluster

import munit.FunSuite

import scala.util.Random

class CurvesSuite extends FunSuite {

  private val curves = Seq[(String, (Array[Int], Int) => Long)]("Z-order" -> Curves.zOrder, "Hilbert" -> Curves.hilbert)

  // Up to 4096 cells: more dimensions with fewer bits.
  private val grids = for { dimensions <- 1 to 6; bits <- 1 to 6; if dimensions * bits <= 12 } yield (dimensions, bits)

  private def cells(dimensions: Int, bits: Int): Seq[Seq[Int]] = (0 until dimensions).foldLeft(Seq(Seq.empty[Int]))(
    (found, _) =>
      found.flatMap(cell => (0 until (1 << bits)).map(cell :+ _)))

  for ((name, curve) <- curves)
    test(s"a $name curve goes through every cell of a grid once") {
      for ((dimensions, bits) <- grids) {
        val numbers = cells(dimensions, bits).map(cell => curve(cell.toArray, bits))
        assertEquals(numbers.sorted, (0L until (1L << (dimensions * bits))).toVector, s"$dimensions x $bits")
      }
    }

  test("each step of a Hilbert curve leads to a cell beside the last, in one dimension") {
    for ((dimensions, bits) <- grids) {
      val path = cells(dimensions, bits).sortBy(cell => Curves.hilbert(cell.toArray, bits))
      path.zip(path.tail).foreach { case (a, b) =>
        assertEquals(a.zip(b).map { case (x, y) => math.abs(x - y) }.sum, 1, s"$dimensions x $bits: $a to $b")
      }
      assertEquals(path.head, Seq.fill(dimensions)(0))
    }
  }

  test("a Z-order curve's number is the bits of the coordinates in turn, up to 63 bits") {
    val random = new Random(3)
    for (_ <- 1 to 1000) {
      val dimensions = 1 + random.nextInt(63)
      val bits = Curves.bitsFor(dimensions, most = 31)
      assert(bits >= 1 && bits * dimensions <= 63)
      val cell = Seq.fill(dimensions)(random.nextInt() & ((1L << bits) - 1).toInt)
      val texts = cell.map(_.toBinaryString.reverse.padTo(bits, '0').reverse)
      val naive = (0 until bits).flatMap(b => texts.map(_(b))).mkString
      assertEquals(Curves.zOrder(cell.toArray, bits), java.lang.Long.parseLong(naive, 2))
    }
    assertEquals(Curves.bitsFor(64, most = 10), 0)
  }
}

package io.hudilite.spark.row

import munit.FunSuite

class OrderedRowsSuite extends FunSuite {

  /** Looks for a number among ascending ones. */
  private final class Numbers(values: Array[Int], sought: Int) extends OrderedRows {
    var compared: Vector[Int] = Vector.empty

    override protected def compare(row: Int): Int = {
      compared :+= row
      Integer.compare(values(row), sought)
    }

    def search(from: Int, end: Int): Int = firstNotBelow(from, end)
  }

  test("the first row that is not below is found from every row on, before every end") {
    for {
      size <- 0 to 20
      values = Array.tabulate(size)(_ / 2 * 2) // pairs of even numbers
      from <- 0 to size
      end <- from to size
      sought <- -1 to size + 1
    } {
      val numbers = new Numbers(values, sought)
      val expected = (from until end).find(values(_) >= sought).getOrElse(end)
      assertEquals(numbers.search(from, end), expected, s"$sought in rows $from to $end of ${values.toSeq}")
      assert(numbers.compared.forall(row => row >= from && row < end), numbers.compared.toString)
    }
  }

  test("few rows are looked at, and one when the next row is the one") {
    val values = Array.range(0, 4096)
    for (sought <- Seq(1, 100, 4095, 5000)) {
      val numbers = new Numbers(values, sought)
      numbers.search(0, values.length)
      assert(numbers.compared.size <= 25, s"$sought: ${numbers.compared}")
    }
    val next = new Numbers(values, 17)
    next.search(17, values.length)
    assertEquals(next.compared, Vector(17))
  }
}

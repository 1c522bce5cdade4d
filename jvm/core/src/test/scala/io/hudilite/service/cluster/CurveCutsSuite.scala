package io.hudilite.service.cluster

import munit.FunSuite

import scala.util.Random

class CurveCutsSuite extends FunSuite {

  private val bits = 10
  private val cells = 1 << bits

  private def sizes(numbers: Seq[Long], files: Int, sample: Seq[Long]): Seq[Int] = {
    val starts = CurveCuts.starts(sample.sorted.toArray, files)
    assert(starts.length <= files, s"${starts.length} of $files files")
    assertEquals(starts.toVector, starts.sorted.toVector)
    val dealt = numbers.zipWithIndex.groupBy { case (number, key) => CurveCuts.fileOf(starts, number, key) }
    assert(dealt.keys.forall(file => file >= 0 && file < files))
    dealt.values.map(_.size).toSeq
  }

  private def places(random: Random, rows: Int)(cell: => Array[Int]): Seq[Long] =
    Seq.fill(rows)(Curves.zOrder(cell, bits))

  for ((name, curve) <-
      Seq[(String, (Array[Int], Int) => Long)]("Hilbert" -> Curves.hilbert, "Z-order" -> Curves.zOrder))
    test(s"64 files in $name order are skipped to 85 % and more by a narrow range of either of two random columns") {
      val random = new Random(11)
      val rows = Vector.fill(32000)(Array.fill(2)(random.nextInt(cells)))
      val numbers = rows.map(row => curve(row.clone, bits))
      val starts = CurveCuts.starts(random.shuffle(numbers).take(10000).sorted.toArray, 64)
      val files =
        rows.zip(numbers).groupBy { case (_, number) => CurveCuts.fileOf(starts, number, 0) }.values.map(_.map(
            _._1))
      assertEquals(files.size, 64)
      for (column <- 0 to 1) {
        val ranges = files.map(file => (file.map(_(column)).min, file.map(_(column)).max))
        val skipped = (0 until 100).map { percent =>
          val (from, until) = (percent * cells / 100, (percent + 1) * cells / 100)
          ranges.count { case (least, greatest) => greatest < from || least >= until }
        }.sum
        val share = skipped / (100.0 * 64)
        assert(share >= 0.85, s"column $column: $share")
      }
    }

  // docs/decisions/0016-code-beside-the-libraries.md
  test("a narrow range of a column opens three quarters of the files that it opens where all have as many rows") {
    val random = new Random(12)
    val rows = Vector.fill(20000)(Array.fill(2)(random.nextInt(cells)))
    val numbers = rows.map(row => Curves.zOrder(row.clone, bits))
    def opened(starts: Array[Long]): Int = {
      val files = rows.zip(numbers).groupBy { case (_, number) => CurveCuts.fileOf(starts, number, 0) }.values
        .map(_.map(_._1))
      (for (column <- 0 to 1; at <- 0 until cells by 10)
        yield files.count(file => file.exists(_(column) >= at) && file.exists(_(column) < at + 10))).sum
    }
    for (files <- Seq(16, 64)) {
      val even = numbers.sorted.grouped(numbers.size / files).map(_.head).take(files).toArray
      assert(opened(CurveCuts.starts(numbers.sorted.toArray, files)) <= 0.8 * opened(even), s"$files files")
    }
  }

  test("files have about as many rows each, however many they are") {
    val random = new Random(5)
    val rows = places(random, 30000)(Array.fill(2)(random.nextInt(cells)))
    for (files <- (1 to 40) ++ Seq(63, 64, 65, 100)) {
      val found = sizes(rows, files, rows)
      assertEquals(found.size, files)
      assert(found.max <= 1.6 * rows.size / files && found.min >= 0.5 * rows.size / files,
        s"$files files: ${found.sorted.mkString(" ")}")
    }
  }

  test("rows that are close together are cut as finely as those that are not") {
    val random = new Random(6)
    def skewed(): Int = (cells * math.pow(random.nextDouble(), 6)).toInt
    val rows = places(random, 20000)(Array(skewed(), skewed()))
    val found = sizes(rows, 32, rows)
    assert(found.max <= 2.5 * rows.size / 32, found.sorted.mkString(" "))
  }

  test("a number that many rows have fills several files, wherever it comes") {
    val random = new Random(7)
    for (often <- Seq(0L, 500000L, (1L << 20) - 1)) {
      val rows = Seq.fill(6000)(often) ++ places(random, 2000)(Array.fill(2)(random.nextInt(cells)))
      val found = sizes(rows, 8, rows)
      assert(found.max <= 1600, s"$often: ${found.sorted.mkString(" ")}")
    }
    assertEquals(sizes(Seq.fill(400)(3L), 4, Seq(3L)).sorted, Seq(100, 100, 100, 100))
  }

  test("rows of which no sample is known go to one file, and so do those below the sample") {
    assertEquals(sizes(Seq(1L, 2L, 3L), 5, Nil), Seq(3))
    assertEquals(sizes(Seq.fill(10)(1L), 2, Seq(5L, 9L)), Seq(10))
  }

  test("the roundest number between two is the border of the largest cells") {
    assertEquals(CurveCuts.roundest(3, 4), 4L)
    assertEquals(CurveCuts.roundest(1, 1000), 512L)
    assertEquals(CurveCuts.roundest(513, 1000), 768L)
    assertEquals(CurveCuts.roundest(4, 6), 6L)
  }
}

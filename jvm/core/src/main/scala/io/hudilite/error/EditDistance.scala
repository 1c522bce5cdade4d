package io.hudilite.error

/** Number of letters to insert, drop or change to turn one text into the other (Levenshtein). */
object EditDistance {

  /** The one of some names that is the nearest to what somebody wrote. */
  def nearest(name: String, known: Seq[String]): String = known.minBy(between(name, _))

  def between(a: String, b: String): Int = {
    val first = (0 to b.length).toVector
    a.zipWithIndex.foldLeft(first) { case (row, (letter, i)) => nextRow(row, letter, i + 1, b) }.last
  }

  private def nextRow(row: Vector[Int], letter: Char, start: Int, b: String): Vector[Int] =
    b.indices.foldLeft(Vector(start)) { (made, j) =>
      val change = row(j) + (if (b(j) == letter) 0 else 1)
      made :+ math.min(change, math.min(made(j), row(j + 1)) + 1)
    }
}

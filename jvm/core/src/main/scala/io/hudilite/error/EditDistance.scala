package io.hudilite.error

import java.util.Locale

/** Names that a misspelled one may stand for. */
object EditDistance {

  /** The known name nearest to a given one, whatever their case. `None` when more than two letters of five would have
    * to change: a hint would only mislead.
    */
  def nearest(name: String, known: Seq[String]): Option[String] =
    if (known.isEmpty) None
    else {
      val (distance, found) = known.map(each => between(lower(name), lower(each)) -> each).minBy(_._1)
      Some(found).filter(_ => distance * 5 <= name.length * 2)
    }

  private def lower(text: String): String = text.toLowerCase(Locale.ROOT)

  /** Number of letters to insert, drop or change to turn one text into the other (Levenshtein). */
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

package io.hudilite.service.cluster

import java.util.Arrays

/** Numbers the cells of a grid so that cells with near numbers lie near each other in every dimension: pure arithmetic.
  *
  * A grid has `2^bits` cells along each dimension. Numbers are unsigned and have `dimensions * bits` bits, of which a
  * long holds 63.
  */
object Curves {

  /** Bits of the largest number. */
  val MostBits = 63

  /** Bits of each dimension of a grid of so many dimensions; 0 when there are too many.
    *
    * @param most
    *   bits that are worth having
    */
  def bitsFor(dimensions: Int, most: Int): Int = math.min(most, MostBits / dimensions)

  /** The place of a cell on the Z-order curve: bits of the coordinates in turn, from the highest on, with those of the
    * first dimension in front.
    */
  def zOrder(cell: Array[Int], bits: Int): Long = {
    // hot path
    var number = 0L
    var bit = bits - 1
    while (bit >= 0) {
      var i = 0
      while (i < cell.length) {
        number = (number << 1) | ((cell(i) >>> bit) & 1)
        i += 1
      }
      bit -= 1
    }
    number
  }

  /** The place of a cell on the Hilbert curve, along which every step goes to a neighbouring cell. The array is overwritten.
    *
    * Each bit of a coordinate says in which half of a cube the cell is. The curve runs through the parts of a cube in the
    * order of a Gray code, and in each part it is turned and mirrored; undoing this part by part leaves coordinates whose
    * bits in turn are the number (J. Skilling, Programming the Hilbert curve, 2004).
    */
  def hilbert(cell: Array[Int], bits: Int): Long = {
    var half = 1 << (bits - 1)
    while (half > 1) { // hot path
      straighten(cell, half)
      half >>>= 1
    }
    grayDecode(cell, bits)
    zOrder(cell, bits)
  }

  /** Undoes the position of the curve in the part of the cube that these bits choose: mirrored along the first
    * dimension, or turned from the first into another one.
    */
  private def straighten(cell: Array[Int], half: Int): Unit = {
    val below = half - 1
    var i = 0
    while (i < cell.length) { // hot path
      if ((cell(i) & half) != 0) cell(0) ^= below
      else {
        val differing = (cell(0) ^ cell(i)) & below
        cell(0) ^= differing
        cell(i) ^= differing
      }
      i += 1
    }
  }

  private def grayDecode(cell: Array[Int], bits: Int): Unit = {
    var i = 1
    while (i < cell.length) { // hot path
      cell(i) ^= cell(i - 1)
      i += 1
    }
    val last = cell(cell.length - 1)
    var flipped = 0
    var half = 1 << (bits - 1)
    while (half > 1) {
      if ((last & half) != 0) flipped ^= half - 1
      half >>>= 1
    }
    i = 0
    while (i < cell.length) {
      cell(i) ^= flipped
      i += 1
    }
  }
}

/** Cuts of rows that lie along a curve into files: pure.
  *
  * A file that ends where a large cell of the grid ends holds a narrow interval of each column. A file that crosses
  * such a border holds rows of both sides, which may lie far apart. So cuts are at the borders of the largest cells
  * that deal the rows about evenly, and in between only where no border does.
  */
object CurveCuts {

  /** Part of its share by which a border may make a file larger or smaller. */
  private val Slack = 0.2

  /** First numbers of the files, ascending, at most as many as asked for. A number that is repeated begins as many
    * files.
    *
    * @param sample
    *   numbers of rows, ascending
    * @param files
    *   at least one
    */
  def starts(sample: Array[Long], files: Int): Array[Long] = {
    val cuts = new CurveCuts(sample).within(0, sample.length, files)
    // The first of several files that the least number fills.
    val first = if (cuts.headOption == sample.headOption) sample.headOption else None
    (first.getOrElse(Long.MinValue) :: cuts).toArray
  }

  /** File of a row by its number. Rows of a number that fills several files are dealt by `key`. */
  def fileOf(starts: Array[Long], number: Long, key: Int): Int = {
    val begun = firstAbove(starts, number)
    val here = begun - firstAbove(starts, number - 1)
    if (here > 1) begun - 1 - Math.floorMod(key, here) else math.max(0, begun - 1)
  }

  /** Number of the ascending numbers that are not greater. */
  private def firstAbove(numbers: Array[Long], number: Long): Int = {
    var from = 0
    var until = numbers.length
    while (from < until) { // hot path
      val middle = (from + until) >>> 1
      if (numbers(middle) > number) until = middle else from = middle + 1
    }
    from
  }

  /** The number with the most zeros at its end that is greater than `low` and at most `high`. */
  private[cluster] def roundest(low: Long, high: Long): Long = {
    val differing = java.lang.Long.highestOneBit(low ^ high)
    high & ~(differing - 1)
  }
}

private final class CurveCuts(sample: Array[Long]) {

  import CurveCuts._

  /** Cuts of so many files within this part of the sample. */
  def within(from: Int, until: Int, files: Int): List[Long] =
    if (files <= 1 || from >= until) Nil
    else if (sample(from) == sample(until - 1)) List.fill(files - 1)(sample(from))
    else {
      val border = evenBorder(from, until, files).getOrElse(betweenBorders(from, until, files))
      val middle = firstOf(border, from, until)
      val left = filesOn(from, middle, until, files)
      within(from, middle, left) ::: border :: within(middle, until, files - left)
    }

  /** The border of the two largest cells, where it deals the rows evenly enough. */
  private def evenBorder(from: Int, until: Int, files: Int): Option[Long] = {
    val border = roundest(sample(from), sample(until - 1))
    val share = shareOf(from, firstOf(border, from, until), until, files)
    val left = math.round(share).toInt
    val fewest = math.min(left, files - left)
    if (fewest >= 1 && math.abs(share - left) <= Slack * fewest) Some(border) else None
  }

  /** A number near the one that deals the rows evenly. */
  private def betweenBorders(from: Int, until: Int, files: Int): Long = {
    val file = (until - from).toDouble / files
    val target = from + file * (files / 2)
    def at(row: Double): Long = sample(math.max(from, math.min(until - 1, math.round(row).toInt)))
    val (low, high) = (at(target - Slack * file), at(target + Slack * file))
    val found = if (low < high) roundest(low, high) else high
    // The first number of all is no cut, since nothing lies before it.
    if (found > sample(from)) found else sample(from) + 1
  }

  private def shareOf(from: Int, middle: Int, until: Int, files: Int): Double =
    files.toDouble * (middle - from) / (until - from)

  private def filesOn(from: Int, middle: Int, until: Int, files: Int): Int =
    math.max(1, math.min(files - 1, math.round(shareOf(from, middle, until, files)).toInt))

  /** The first row of this part whose number is not less. */
  private def firstOf(number: Long, from: Int, until: Int): Int = {
    val found = Arrays.binarySearch(sample, from, until, number)
    if (found < 0) -found - 1
    else Iterator.iterate(found)(_ - 1).dropWhile(i => i > from && sample(i - 1) == number).next()
  }
}

package io.hudilite.service.cluster

/** Numbers of the cells of a grid, by which cells with near numbers lie near each other in every dimension: pure
  * arithmetic.
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

package io.hudilite.spark.write

/** Rows of the base file that the records of an open log block replace; of use only when every record names one, and in
  * ascending order.
  */
private[write] final class BlockPositions {

  private var rows = new Array[Long](64)
  private var count = 0
  private var usable = true

  def add(position: Long): Unit = if (usable) {
    // hot path; an unknown position is less than every known one
    if (position < 0 || (count > 0 && position <= rows(count - 1))) usable = false
    else {
      if (count == rows.length) rows = java.util.Arrays.copyOf(rows, count * 2)
      rows(count) = position
      count += 1
    }
  }

  /** The positions of all records since the last call. */
  def take(): Option[Array[Long]] = {
    val taken = if (usable && count > 0) Some(java.util.Arrays.copyOf(rows, count)) else None
    count = 0
    usable = true
    taken
  }
}

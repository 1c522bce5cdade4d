package io.hudilite.spark.logfile.encode

import io.hudilite.log.RowPosition

/** Rows of the base file that the records of an open log block replace. Of use only when every record names one, in
  * ascending order, or when the base file has rows of none.
  */
private[spark] final class BlockPositions {

  private var rows = new Array[Long](64)
  private var count = 0
  private var absent = false
  private var usable = true

  def add(position: Long): Unit = if (usable) {
    // hot path; an unknown position is less than every known one
    if (position == RowPosition.Absent && count == 0) absent = true
    else if (absent || position < 0 || (count > 0 && position <= rows(count - 1))) usable = false
    else {
      if (count == rows.length) rows = java.util.Arrays.copyOf(rows, count * 2)
      rows(count) = position
      count += 1
    }
  }

  /** The positions of all records since the last call; none when the base file has no rows of them. */
  def take(): Option[Array[Long]] = {
    val taken = if (usable && (absent || count > 0)) Some(java.util.Arrays.copyOf(rows, count)) else None
    count = 0
    absent = false
    usable = true
    taken
  }
}

package io.hudilite.spark.row

/** A search among rows in an order, most of which are leapt over. A class and no function that is handed in: what it
  * does for each row must cost no box.
  */
private[spark] abstract class OrderedRows {

  /** How the row's place compares with the one that is looked for; ascends with the rows. */
  protected def compare(row: Int): Int

  /** The first row of `[from, end)` that does not lie before the place looked for; `end` when all do. */
  protected final def firstNotBelow(from: Int, end: Int): Int = {
    // hot path: steps that double, then halves
    var low = from
    var step = 1
    while (low + step <= end && compare(low + step - 1) < 0) {
      low += step
      step <<= 1
    }
    var high = math.min(low + step - 1, end)
    while (low < high) {
      val middle = (low + high) >>> 1
      if (compare(middle) < 0) low = middle + 1 else high = middle
    }
    low
  }
}

package io.hudilite.spark.row

/** A search among ordered rows that leaps over most of them. It is a class, not a function as a parameter, because no
  * step may box.
  */
private[spark] abstract class OrderedRows {

  /** Compares the row's place with the one looked for. Ascends with the rows. */
  protected def compare(row: Int): Int

  /** The first row of `[from, end)` that is not before the place looked for; `end` when there is none. */
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

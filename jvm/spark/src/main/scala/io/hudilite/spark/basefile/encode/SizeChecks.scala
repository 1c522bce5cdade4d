package io.hudilite.spark.basefile.encode

/** Bytes of the values that were handed to columns, before they are encoded and compressed. Each column adds to the same
  * count, so that it can be had for every row, whereas the size of what was encoded is asked of each column.
  */
private[spark] final class TakenBytes {
  var count = 0L
}

/** When to ask how large something has become that rows are added to. The answer takes time in proportion to its columns:
  * narrow rows are asked about once in a thousand, wide ones whenever a few of them could have taken it beyond its limit.
  * Nothing is estimated from the rows before, for the next one may be a thousand times as wide.
  *
  * @param mostRows
  *   rows after which to ask at the latest
  * @param startBytes
  *   bytes that were counted before the first row
  */
private[spark] final class SizeChecks(mostRows: Long = SizeChecks.MostRows, startBytes: Long = 0L) {

  private var nextRows = mostRows
  private var nextBytes = startBytes + SizeChecks.MostBytes

  /** Whether to ask now; if so, it is due again after as many rows or bytes more.
    *
    * @param rows
    *   rows that were added so far
    * @param takenBytes
    *   bytes of values that were counted so far
    */
  def isDue(rows: Long, takenBytes: Long): Boolean = {
    // hot path
    val due = rows >= nextRows || takenBytes >= nextBytes
    if (due) {
      nextRows = rows + mostRows
      nextBytes = takenBytes + SizeChecks.MostBytes
    }
    due
  }
}

private[spark] object SizeChecks {
  private val MostRows = 1000L

  /** A file or row group gets larger than it should by no more than this and one row. */
  val MostBytes: Long = 2L << 20
}

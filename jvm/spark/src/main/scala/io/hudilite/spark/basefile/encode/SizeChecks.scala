package io.hudilite.spark.basefile.encode

/** Bytes of the values that were handed to columns, before encoding and compression. All columns add to one count, so
  * it is cheap to read after every row. The size of encoded values has to be asked of each column.
  */
private[spark] final class TakenBytes {
  var count = 0L
}

/** Decides when to ask for the size of a file or block that rows are added to. The answer takes time in proportion to
  * the columns. Narrow rows lead to one question in a thousand rows, wide ones to one whenever a few of them could
  * exceed the limit. Earlier rows give no estimate, for the next one may be a thousand times as wide.
  *
  * @param mostRows
  *   greatest number of rows between questions
  * @param startBytes
  *   bytes that were counted before the first row
  */
private[spark] final class SizeChecks(mostRows: Long = SizeChecks.MostRows, startBytes: Long = 0L) {

  private var nextRows = mostRows
  private var nextBytes = startBytes + SizeChecks.MostBytes

  /** True when it is time to ask; then the next time is as many rows or bytes later.
    *
    * @param rows
    *   number of rows added so far
    * @param takenBytes
    *   bytes of values counted so far
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

  /** Greatest size, besides one row, by which a file or row group exceeds its limit. */
  val MostBytes: Long = 2L << 20
}

package io.hudilite.record

/** Record keys that a query asks for, in Java's string order, which is that of the bounds in footers. */
final case class RecordKeys(sorted: IndexedSeq[String]) {

  def contains(key: String): Boolean = between(Some(key), Some(key)).nonEmpty

  /** The keys inside the bounds, both inclusive. */
  def between(min: Option[String], max: Option[String]): IndexedSeq[String] = {
    val from = min.fold(0)(bound => firstFrom(0, sorted.size)(_ >= bound))
    val until = max.fold(sorted.size)(bound => firstFrom(from, sorted.size)(_ > bound))
    sorted.slice(from, until)
  }

  @annotation.tailrec
  private def firstFrom(low: Int, high: Int)(holds: String => Boolean): Int =
    if (low >= high) low
    else {
      val middle = (low + high) >>> 1
      if (holds(sorted(middle))) firstFrom(low, middle)(holds) else firstFrom(middle + 1, high)(holds)
    }
}

object RecordKeys {
  def of(keys: Iterable[String]): RecordKeys = RecordKeys(keys.toArray.distinct.sorted.toVector)
}

package io.hudilite.service.advise

import io.hudilite.metadata.StatValue

/** How many files of a partition have a value of a column between their bounds, over all values that are bounds: a filter
  * on the value reads so many.
  */
object ColumnOverlaps {

  /** @param counts
    *   for each value, ascending by count
    */
  final case class Overlap(counts: Seq[Int], most: Int) {
    def average: Double = counts.map(_.toLong).sum.toDouble / counts.size

    def percentile(percent: Int): Int = counts((percent / 100.0 * (counts.size - 1)).toInt)
  }

  /** `None` where nothing is known, or where values do not compare.
    *
    * @param bounds
    *   least and greatest value of the files
    */
  def of(bounds: Seq[(StatValue, StatValue)]): Option[Overlap] = {
    val known = bounds.map { case (least, greatest) => (widened(least), widened(greatest)) }
    val values = known.flatMap { case (least, greatest) => Seq(least, greatest) }
    if (values.isEmpty || values.exists(StatValue.compare(_, values.head).isEmpty)) None
    else {
      def before(a: StatValue, b: StatValue): Boolean = StatValue.compare(a, b).exists(_ < 0)
      val least = known.map(_._1).sortWith(before).toArray
      val greatest = known.map(_._2).sortWith(before).toArray
      val counts = values.distinct.sortWith(before).map(value =>
        upTo(least, value, including = true) - upTo(greatest, value, including = false))
      Some(Overlap(counts.sorted, counts.max))
    }
  }

  /** Number of the sorted values that are less than this one, or equal. */
  private def upTo(sorted: Array[StatValue], value: StatValue, including: Boolean): Int = {
    var (low, high) = (0, sorted.length)
    while (low < high) {
      val middle = (low + high) >>> 1
      val order = StatValue.compare(sorted(middle), value).getOrElse(0)
      if (order < 0 || (including && order == 0)) low = middle + 1 else high = middle
    }
    low
  }

  // A column that became wider has bounds of both types.
  private def widened(value: StatValue): StatValue = value match {
    case StatValue.Int32(v) => StatValue.Int64(v.toLong)
    case StatValue.Float32(v) => StatValue.Float64(v.toDouble)
    case other => other
  }
}

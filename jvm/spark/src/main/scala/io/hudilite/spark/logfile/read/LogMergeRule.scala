package io.hudilite.spark.logfile.read

import org.apache.spark.sql.catalyst.expressions.UnsafeRow

/** Which of two records of a key survives (docs/format.md, merging records).
  *
  * In event-time order the newer one wins unless its ordering value is less; several ordering fields compare one after
  * the other. A missing value on either side lets the newer one win, and so does a delete without ordering values.
  */
private[read] final class LogMergeRule(rows: LogRows) {

  import LogRows._

  private val ordinals = rows.orderingOrdinals
  private val types = rows.orderingTypes

  /** The newer record wins whatever the older one's ordering values are. */
  def alwaysWins(newer: UnsafeRow): Boolean = ordinals.isEmpty || has(newer, Unordered)

  /** Between two records of the log. */
  def wins(newer: UnsafeRow, older: UnsafeRow): Boolean =
    alwaysWins(newer) || has(older, Unordered) || notLess(newer, value(older, _))

  /** Between a record of the log and a row of the base file with these ordering values. */
  def winsOver(newer: UnsafeRow, base: Int => Any): Boolean = alwaysWins(newer) || notLess(newer, base)

  private def value(row: UnsafeRow, i: Int): Any =
    if (row.isNullAt(ordinals(i))) null else row.get(ordinals(i), types(i))

  private def notLess(newer: UnsafeRow, older: Int => Any): Boolean = {
    // hot path
    var order = 0
    var i = 0
    while (order == 0 && i < ordinals.length) {
      val a = value(newer, i)
      val b = older(i)
      if (a == null || b == null) {
        order = 1
      } else order = LogMergeRule.compare(a, b)
      i += 1
    }
    order >= 0
  }
}

private object LogMergeRule {
  def compare(a: Any, b: Any): Int = (a, b) match {
    case (x: Array[Byte], y: Array[Byte]) => java.util.Arrays.compareUnsigned(x, y)
    case (x: Comparable[_], y) => x.asInstanceOf[Comparable[Any]].compareTo(y)
    case _ => throw new IllegalStateException(s"ordering values of ${a.getClass.getName} have no order")
  }
}

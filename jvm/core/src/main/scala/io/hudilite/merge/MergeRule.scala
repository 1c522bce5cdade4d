package io.hudilite.merge

import io.hudilite.config.MergeMode

/** Which of two versions of a record survives (docs/format.md, merging records).
  *
  * In event-time order the newer version wins unless its ordering value is less; several ordering fields compare one
  * after the other. A missing value on either side lets the newer one win, and so does a delete without ordering values.
  * Where nothing is compared the newer one always wins. The winner may lack columns, which the other one then gives.
  *
  * @param fields
  *   the ordering fields that are compared, most significant first; none in the order of commits
  */
final case class MergeRule(fields: Seq[String]) {

  private val count = fields.size

  /** Ordering values have a say. */
  def compares: Boolean = count > 0

  /** The newer version wins over any row of a base file, whose ordering values need not be read then. */
  def alwaysWins(newer: Version): Boolean = count == 0 || newer.isUnordered

  def wins(newer: Version, older: Version): Boolean =
    alwaysWins(newer) || older.isUnordered || notLess(newer, older)

  def decide(newer: Version, older: Version): Outcome =
    if (wins(newer, older)) {
      if (newer.isDelete) Outcome.Deleted else if (completes(older, newer)) Outcome.Overlaid else Outcome.Replaced
    } else if (completes(newer, older)) Outcome.Underlaid
    else Outcome.Kept

  /** The version that lost gives columns to the one that won; nothing is left of a deleted record. */
  private def completes(loser: Version, winner: Version): Boolean =
    winner.isPartial && !winner.isDelete && !loser.isDelete

  private def notLess(newer: Version, older: Version): Boolean = {
    // hot path
    var order = 0
    var i = 0
    while (order == 0 && i < count) {
      val a = newer.ordering(i)
      val b = older.ordering(i)
      order = if (a == null || b == null) 1 else MergeRule.compare(a, b)
      i += 1
    }
    order >= 0
  }
}

object MergeRule {

  def of(mode: MergeMode, orderingFields: Seq[String]): MergeRule =
    MergeRule(if (mode == MergeMode.EventTime) orderingFields else Nil)

  /** The order of two values of one class, as Hudi's: bytes are compared without sign, all else as Java does it. */
  def compare(a: Any, b: Any): Int = (a, b) match {
    case (x: Array[Byte], y: Array[Byte]) => java.util.Arrays.compareUnsigned(x, y)
    case (x: Comparable[_], y) => x.asInstanceOf[Comparable[Any]].compareTo(y)
    case _ => throw new IllegalStateException(s"ordering values of ${a.getClass.getName} have no order")
  }
}

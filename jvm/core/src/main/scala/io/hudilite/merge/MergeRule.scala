package io.hudilite.merge

import io.hudilite.config.{MergeMode, PartialUpdates, TableConfig}

/** Decides which of two versions of a record survives (docs/format.md, merging records).
  *
  * In event-time order the newer version wins unless its ordering value is less; several ordering fields compare one
  * after the other. A missing value is a value, too: the order in which versions meet does not matter. A delete without
  * ordering values lets the newer version win, on either side. Where nothing is compared the newer one always wins.
  * Columns that the winner lacks come from the other version.
  *
  * @param fields
  *   the ordering fields that are compared, most significant first; none in the order of commits
  * @param partial
  *   columns of a version that say nothing; none without a value
  */
final case class MergeRule(fields: Seq[String], partial: Option[PartialUpdates] = None) {

  private val count = fields.size

  /** Ordering values take part in the decision. */
  def compares: Boolean = count > 0

  /** Any version may lack columns. */
  def completesAll: Boolean = partial.isDefined

  /** The rule for versions of which it is known that the newer one wins. */
  def ofWinners: MergeRule = copy(fields = Nil)

  /** The newer version wins over any row of a base file. Ordering values of base files need not be read then. */
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
    (completesAll || winner.isPartial) && !winner.isDelete && !loser.isDelete

  private def notLess(newer: Version, older: Version): Boolean = {
    // hot path
    var order = 0
    var i = 0
    while (order == 0 && i < count) {
      order = MergeRule.compare(newer.ordering(i), older.ordering(i))
      i += 1
    }
    order >= 0
  }
}

object MergeRule {

  def of(config: TableConfig): MergeRule = of(config.mergeMode, config.orderingFields, config.partialUpdates)

  def of(mode: MergeMode, orderingFields: Seq[String], partial: Option[PartialUpdates] = None): MergeRule =
    MergeRule(if (mode == MergeMode.EventTime) orderingFields else Nil, partial)

  /** The order of two values of one class, as Hudi's: bytes are compared without sign, all else as Java does it. A missing
    * value counts as 0 beside what Hudi holds as an int, and is less than anything else, with which Hudi cannot compare it.
    */
  def compare(a: Any, b: Any): Int =
    if (a == null) { if (b == null) 0 else -besideMissing(b) }
    else if (b == null) besideMissing(a)
    else ofValues(a, b)

  private def besideMissing(value: Any): Int = value match {
    case int @ (_: Int | _: Short | _: Byte) => Integer.compare(int.asInstanceOf[Number].intValue, 0)
    case _ => 1
  }

  private def ofValues(a: Any, b: Any): Int = (a, b) match {
    case (x: Array[Byte], y: Array[Byte]) => java.util.Arrays.compareUnsigned(x, y)
    case (x: Comparable[_], y) => x.asInstanceOf[Comparable[Any]].compareTo(y)
    case _ => throw new IllegalStateException(s"ordering values of ${a.getClass.getName} have no order")
  }
}

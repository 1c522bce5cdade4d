package io.hudilite.spark.slice

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.types.StructType

/** Which of a change and the row in the table survives (docs/format.md, merging records).
  *
  * In event-time order the change wins unless its ordering value is less than the row's; several ordering fields
  * compare one after the other. A missing value on either side lets the change win, and so do tables without ordering
  * fields.
  *
  * @param ordinals
  *   of the ordering columns; none where nothing is compared
  */
private[spark] final class MergeRule(ordinals: Array[Int], dataSchema: StructType) {

  private val types = ordinals.map(dataSchema(_).dataType)

  /** `change` is a row of the data schema, or null for a delete without ordering values. */
  def changeWins(change: InternalRow, old: OldRows): Boolean = {
    var wins = true
    var undecided = change != null
    var i = 0
    while (undecided && i < ordinals.length) { // hot path
      val newer = if (change.isNullAt(ordinals(i))) null else change.get(ordinals(i), types(i))
      val older = old.value(ordinals(i))
      if (newer == null || older == null) undecided = false
      else {
        val order = MergeRule.compare(newer, older)
        undecided = order == 0
        wins = order >= 0
      }
      i += 1
    }
    wins
  }
}

private object MergeRule {
  def compare(a: Any, b: Any): Int = (a, b) match {
    case (x: Array[Byte], y: Array[Byte]) => java.util.Arrays.compareUnsigned(x, y)
    case (x: Comparable[_], y) => x.asInstanceOf[Comparable[Any]].compareTo(y)
    case _ => throw new IllegalStateException(s"ordering values of ${a.getClass.getName} have no order")
  }
}

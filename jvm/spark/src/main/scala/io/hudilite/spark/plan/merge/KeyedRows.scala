package io.hudilite.spark.plan.merge

import io.hudilite.config.{DeleteMarker, Payload}
import io.hudilite.merge.MergeRule
import io.hudilite.record.MetaFields
import io.hudilite.spark.plan.layout.WriteLayout
import io.hudilite.spark.row.{KeyValues, KeysToCome, MissingOrdering}
import io.hudilite.spark.stage.{RowNumber, SharedRows}
import io.hudilite.spark.write.table.WriteTarget

import org.apache.spark.sql.catalyst.expressions.{And, Cast, EqualNullSafe, Expression, If, Literal, Or, Upper}
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.types.{BooleanType, LongType, StringType}

/** Rows of a write with their keys, see `WriteLayout.keyed`: where they are evaluated, and which of those of a key is the
  * newest.
  *
  * @param haveKeys
  *   they have their keys, which otherwise are still to be generated
  */
private[plan] final class KeyedRows(target: WriteTarget, haveKeys: Boolean = true) {

  /** The rows in an exchange, which both the lookup and the write use, or a later attempt of the write. */
  def evaluatedOnce(keyed: LogicalPlan): SharedRows = keyed match {
    case shared: SharedRows => shared
    case rows => SharedRows(keysOf(rows), rows)
  }

  /** One row of each key. */
  def latest(keyed: LogicalPlan): LogicalPlan = latest(keyed, keysOf(keyed), keyed, Nil)

  /** One row of each key of `rows`, by the columns of `keyed`.
    *
    * @param place
    *   as in [[LatestByKey]]
    */
  def latest(keyed: LogicalPlan, keys: Seq[Expression], rows: LogicalPlan, place: Seq[Expression]): LogicalPlan =
    merging(keyed).fold(LatestByKey(keys, newest(keyed), rows, place, valuesOf(keyed), inOrder(keyed))) { merge =>
      val ordering = if (merge.rule.compares) newest(keyed) else newest(keyed).takeRight(1)
      LatestByKey(keys, ordering, rows, place, valuesOf(keyed), inOrder(keyed), Some(merge),
        deletes(WriteLayout.named(keyed)))
    }

  /** Rows of a key complete each other, where they have what decides between them. */
  private def merging(keyed: LogicalPlan): Option[RowMerge] = {
    val merge = KeyedRows.merge(target)
    merge.filter(m => !m.rule.compares || WriteLayout.orderingColumns(keyed, target).size == m.rule.fields.size)
  }

  private def valuesOf(keyed: LogicalPlan): Option[KeyValues] =
    target.keys.keyValues(WriteLayout.column(keyed, WriteLayout.KeyColumn), WriteLayout.named(keyed))

  // The key first: by its beginning Spark's sorter tells most rows apart.
  private def keysOf(keyed: LogicalPlan): Seq[Expression] =
    if (!haveKeys) KeysToCome.columns(target.schema).flatMap(WriteLayout.named(keyed)(_)) // only to spread them
    else (WriteLayout.KeyColumn +: (if (target.index.isGlobal) Nil else Seq(WriteLayout.PartitionColumn)))
      .map(WriteLayout.column(keyed, _))

  /** A row is newer than another of its key by these; of two that are equal in all else the later one is. */
  private def newest(numbered: LogicalPlan): Seq[Expression] =
    WriteLayout.orderingOf(numbered, target) :+ WriteLayout.column(numbered, RowNumber.Column)

  /** The number of a row that deletes its key in the order of commits: it does so in that of the rows of one write, too. */
  private def inOrder(numbered: LogicalPlan): Option[Expression] =
    unorderedDelete(WriteLayout.named(numbered), WriteLayout.orderingColumns(numbered, target))
      .map(If(_, WriteLayout.column(numbered, RowNumber.Column), Literal.create(null, LongType)))

  /** Tells whether a row deletes its key and lacks an ordering value: it does so in the order of commits. */
  def unorderedDelete(now: String => Option[Expression], ordering: Seq[Expression]): Option[Expression] = {
    if (ordering.isEmpty) None else deletes(now).map(And(_, MissingOrdering.of(ordering)))
  }

  /** Tells whether a row deletes its key. */
  def deletes(now: String => Option[Expression]): Option[Expression] = {
    val flag = now(MetaFields.IsDeleted).filter(_.dataType == BooleanType).map(EqualNullSafe(_, Literal.TrueLiteral))
    val mark = for (marker <- target.config.deleteMarker; column <- now(marker.field))
      yield marked(Cast(column, StringType), marker)
    (flag.toSeq ++ mark).reduceOption[Expression](Or(_, _))
  }

  private def marked(text: Expression, marker: DeleteMarker): Expression =
    if (marker.anyCase) EqualNullSafe(Upper(text), Upper(Literal(marker.value)))
    else EqualNullSafe(text, Literal(marker.value))
}

private[plan] object KeyedRows {

  /** How rows of one key complete each other before they are written. Payloads of tables before version 9 choose the row
    * with the greatest ordering value first, unless they go by it in all merges.
    */
  def merge(target: WriteTarget): Option[RowMerge] = {
    val rule = MergeRule.of(target.config)
    val inBatch = rule.compares || target.config.version >= Payload.FirstVersionByProperties
    // A row keeps its partition.
    val fixed = target.keys.partitionFields.map(_.takeWhile(_ != '.')).toSet
    if (rule.completesAll && inBatch) Some(RowMerge(rule, target.schema.fieldNames.toSet -- fixed))
    else None
  }
}

package io.hudilite.spark.plan

import io.hudilite.spark.row.KeyValues
import io.hudilite.spark.shim.PlanNodes

import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{
  Ascending,
  Attribute,
  Descending,
  Expression,
  NullsLast,
  SortOrder,
  UnsafeProjection,
  UnsafeRow
}
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, UnaryNode}
import org.apache.spark.sql.catalyst.plans.physical.{ClusteredDistribution, Distribution, Partitioning}
import org.apache.spark.sql.execution.{SparkPlan, UnaryExecNode}
import org.apache.spark.sql.execution.metric.{SQLMetric, SQLMetrics}
import org.apache.spark.sql.hudilite.Rdds
import org.apache.spark.unsafe.types.UTF8String

/** Keeps, of the rows with equal `keys`, the one that is largest by `ordering` (any of them when that is empty).
  *
  * @param place
  *   what rows with equal keys have in common and are brought together by; the keys themselves when that is empty
  * @param values
  *   what the values behind a key are told apart by, null where its spelling does: rows with equal keys and other values
  *   raise `KEYS_SPELLED_ALIKE`
  */
final case class LatestByKey(keys: Seq[Expression], ordering: Seq[Expression], child: LogicalPlan,
    place: Seq[Expression] = Nil, values: Option[KeyValues] = None)
    extends UnaryNode {
  override def output: Seq[Attribute] = child.output
  override def maxRows: Option[Long] = child.maxRows

  override protected def withNewChildInternal(newChild: LogicalPlan): LatestByKey = copy(child = newChild)
}

/** Asks Spark for rows clustered by `place` and sorted by (key, ordering descending) and passes on the first of each key. */
final case class LatestByKeyExec(keys: Seq[Expression], ordering: Seq[Expression], place: Seq[Expression],
    child: SparkPlan, values: Option[KeyValues] = None)
    extends UnaryExecNode {

  override def output: Seq[Attribute] = child.output
  override def outputPartitioning: Partitioning = child.outputPartitioning
  override def outputOrdering: Seq[SortOrder] = keyOrder
  override def requiredChildDistribution: Seq[Distribution] =
    Seq(LatestByKeyExec.clustered(place))
  override def requiredChildOrdering: Seq[Seq[SortOrder]] =
    Seq(keyOrder ++ ordering.map(SortOrder(_, Descending, NullsLast, Nil)))

  private def keyOrder: Seq[SortOrder] = keys.map(SortOrder(_, Ascending))

  override lazy val metrics: Map[String, SQLMetric] = Map(
    "numOutputRows" -> SQLMetrics.createMetric(sparkContext, "number of output rows"),
    "duplicates" -> SQLMetrics.createMetric(sparkContext, "number of duplicate input rows"))

  override protected def doExecute(): RDD[InternalRow] = {
    val kept = longMetric("numOutputRows")
    val duplicates = longMetric("duplicates")
    val (keyExpressions, valuesOf, input) = (keys, values, child.output)
    Rdds.mapPartitions(child.execute()) { rows =>
      // hot path: each has a row of its own, one of which is the key of the row passed on last
      var (keyOf, other) =
        (UnsafeProjection.create(keyExpressions, input), UnsafeProjection.create(keyExpressions, input))
      var last: UnsafeRow = null
      val alike = valuesOf.map(new SpelledAlike(_, input)).orNull
      rows.filter { row =>
        val key = keyOf(row)
        val first = last == null || last != key
        if (alike != null) alike.look(row, first)
        if (first) {
          last = key
          val next = other
          other = keyOf
          keyOf = next
          kept += 1
        } else duplicates += 1
        first
      }
    }
  }

  override protected def withNewChildInternal(newChild: SparkPlan): LatestByKeyExec = copy(child = newChild)
}

/** Compares the values behind the keys of rows that have one key. */
private final class SpelledAlike(values: KeyValues, input: Seq[Attribute]) {

  private val valuesOf = UnsafeProjection.create(Seq(values), input)
  private var last: UTF8String = _

  // hot path
  def look(row: InternalRow, isFirst: Boolean): Unit = {
    val projected = valuesOf(row)
    val found = if (projected.isNullAt(0)) null else projected.getUTF8String(0)
    if (isFirst) last = if (found == null) null else found.copy()
    else if (found != last) throw KeyValues.alike(values.settings.recordKeyFields, last, found)
  }
}

private[plan] object LatestByKeyExec {
  def clustered(keys: Seq[Expression]): Distribution = PlanNodes.build(classOf[ClusteredDistribution], Seq(keys))
}

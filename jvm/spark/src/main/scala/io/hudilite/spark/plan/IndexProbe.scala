package io.hudilite.spark.plan

import io.hudilite.spark.lookup.ProbeTarget
import io.hudilite.spark.stage.OfSnapshot

import org.apache.spark.sql.catalyst.expressions.{Attribute, AttributeSet, Expression}
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, Statistics, UnaryNode}
import org.apache.spark.sql.execution.hudilite.SharedShuffle

/** The target side of an indexed join: rows of the table whose record key occurs among the keys of `child`.
  *
  * It stands where the scan of the table stood. Its rows are a superset of the matching ones (the join above decides)
  * and it reads only files, and of them only pages, that can hold one of the keys.
  *
  * @param key
  *   record key (string) of a row of `child`
  * @param partition
  *   partition path of a row of `child`; `None` looks in every partition (global index)
  * @param shared
  *   counts the rows of `child`, which also are the other side of the join
  * @param output
  *   the table's attributes that the join needs, meta columns included
  * @param target
  *   what to look in
  */
final case class IndexProbe(
    key: Expression,
    partition: Option[Expression],
    shared: SharedShuffle,
    output: Seq[Attribute],
    target: ProbeTarget,
    child: LogicalPlan)
    extends UnaryNode with OfSnapshot {

  override lazy val references: AttributeSet = child.outputSet

  override def producedAttributes: AttributeSet = AttributeSet(output)

  override def maxRows: Option[Long] = None

  /** Large until the keys are known to be few: an adaptive plan first materialises them, then sees the true size and
    * joins by broadcast; the other way round it would not give the broadcast up again.
    */
  override def stats: Statistics = {
    val rowBytes = output.map(_.dataType.defaultSize + 8).sum
    val known = keysMaterialised || !conf.adaptiveExecutionEnabled
    if (known) Statistics(sizeInBytes = (keyCount * rowBytes).max(1), rowCount = Some(keyCount))
    else Statistics(sizeInBytes = conf.defaultSizeInBytes)
  }

  /** Whether adaptive execution has counted the keys. */
  def keysMaterialised: Boolean = shared.statistics.isDefined

  /** An upper estimate of the number of keys. */
  def keyCount: BigInt = shared.statistics.flatMap(_.rowCount).getOrElse(
    child.stats.rowCount.getOrElse(child.stats.sizeInBytes / child.output.map(_.dataType.defaultSize).sum.max(8)))

  override protected def withNewChildInternal(newChild: LogicalPlan): IndexProbe = copy(child = newChild)
}

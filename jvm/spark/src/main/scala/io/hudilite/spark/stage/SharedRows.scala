package io.hudilite.spark.stage

import io.hudilite.error.CommitConflict

import org.apache.spark.sql.catalyst.expressions.{Attribute, AttributeSet, Expression}
import org.apache.spark.sql.catalyst.plans.logical.{LeafNode, LogicalPlan, Statistics, UnaryNode}
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2Relation
import org.apache.spark.sql.execution.hudilite.SharedShuffle

/** Rows that a plan uses in two places, or has to count before it goes on, and that are evaluated once: an exchange by
  * `keys`, which is always there.
  *
  * Spark shares exchanges by itself, but not where it needs none, for rows in a single partition, nor where a session
  * has it off. Rows that come out different each time, of a random function or of a table that changes, would then be
  * looked up by other keys than they are written with.
  *
  * @param keys
  *   columns of the exchange; empty until the index probe rule has decided them
  * @param shared
  *   state of both places
  * @param again
  *   there is a [[SharedRowsAgain]] of these rows, so that their columns may not change any more
  * @param countedBy
  *   the partition path by which they are counted; `None` = all together
  */
final case class SharedRows(keys: Seq[Expression], child: LogicalPlan, shared: SharedShuffle = new SharedShuffle,
    again: Boolean = false, countedBy: Option[Attribute] = None)
    extends UnaryNode {

  override def output: Seq[Attribute] = child.output
  override def maxRows: Option[Long] = child.maxRows

  /** For those who use the rows: both places see the same. Spark 4.2 and later refuse a MERGE whose source is not
    * deterministic.
    */
  override lazy val deterministic: Boolean = true

  override lazy val references: AttributeSet =
    if (again) child.outputSet else AttributeSet.fromAttributeSets((keys ++ countedBy).map(_.references))

  override protected def withNewChildInternal(newChild: LogicalPlan): SharedRows = copy(child = newChild)
}

/** The other place where shared rows are used.
  *
  * @param expected
  *   statistics of the rows before they are counted
  */
final case class SharedRowsAgain(shared: SharedShuffle, output: Seq[Attribute], expected: Statistics) extends LeafNode {
  override def computeStats(): Statistics = shared.statistics.getOrElse(expected)
}

object SharedRowsAgain {

  /** Tables that no filter has been pushed to yet would list all their files to say how large they are; adaptive execution
    * does not need it, for it counts the rows.
    */
  def of(rows: SharedRows): SharedRowsAgain = {
    val asks = rows.child.exists(_.isInstanceOf[DataSourceV2Relation])
    val expected =
      if (asks && rows.conf.adaptiveExecutionEnabled) Statistics(rows.conf.defaultSizeInBytes) else rows.stats
    SharedRowsAgain(rows.shared, rows.output, expected)
  }
}

/** The failure of a write whose source would be evaluated again after some of its rows were used. */
object SourceRowsLost extends (() => RuntimeException) {
  override def apply(): RuntimeException = CommitConflict("SOURCE_ROWS_LOST")
}

package io.hudilite.spark.plan.layout

import io.hudilite.spark.write.attempt.LateGroups

import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{Attribute, SortOrder}
import org.apache.spark.sql.catalyst.plans.physical.Partitioning
import org.apache.spark.sql.execution.{SparkPlan, UnaryExecNode}

/** Has the groups of a write made when all that they depend on has run, its lookup and the stages below, and before the
  * tasks of the operator below are sent out. It does so in a thread that works for the plan: the one that sends tasks out,
  * which all plans share, would hold up the others.
  */
final case class PrepareTasksExec(@transient groups: Seq[LateGroups], child: SparkPlan) extends UnaryExecNode {

  override def nodeName: String = "PrepareTasks"

  override def output: Seq[Attribute] = child.output
  override def outputPartitioning: Partitioning = child.outputPartitioning
  override def outputOrdering: Seq[SortOrder] = child.outputOrdering

  override protected def doExecute(): RDD[InternalRow] = {
    val rows = child.execute()
    groups.foreach(_.prepare())
    rows
  }

  override protected def stringArgs: Iterator[Any] = Iterator.empty

  override protected def withNewChildInternal(newChild: SparkPlan): PrepareTasksExec = copy(child = newChild)
}

object PrepareTasksExec {

  /** The plan with one over each operator whose tasks need groups that are not made yet. */
  def over(plan: SparkPlan): SparkPlan = plan.transformUp {
    case operator if lateGroups(operator).nonEmpty => PrepareTasksExec(lateGroups(operator), operator)
  }

  private def lateGroups(operator: SparkPlan): Seq[LateGroups] =
    operator.expressions.flatMap(_.collect { case of: OfGroups if !of.groups.isPrepared => of.groups }).distinct
}

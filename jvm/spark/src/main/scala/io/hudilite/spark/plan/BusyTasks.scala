package io.hudilite.spark.plan

import io.hudilite.spark.plan.layout.WriteLayout

import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.catalyst.plans.physical.HashPartitioning
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.execution.{CoalescedPartitionSpec, SparkPlan}
import org.apache.spark.sql.execution.adaptive.{AQEShuffleReadExec, ShuffleQueryStageExec}

/** Starts no writing task without rows.
  *
  * How many tasks a write has is planned before its rows are counted, for as many files as these may be in; two rows of a
  * large table leave most of the tasks without any. When the exchange has been written it is known which these are. Tasks
  * with rows are not put together, however few rows they have: each may have large files to write again.
  */
object BusyTasks extends Rule[SparkPlan] {

  override def apply(plan: SparkPlan): SparkPlan =
    if (!conf.coalesceShufflePartitionsEnabled) plan
    else plan.transformUp { case stage: ShuffleQueryStageExec if dealsToFiles(stage) => busy(stage) }

  private def dealsToFiles(stage: ShuffleQueryStageExec): Boolean = stage.shuffle.outputPartitioning match {
    case HashPartitioning(Seq(task: Attribute), _) => task.name == WriteLayout.TaskColumn
    case _ => false
  }

  private def busy(stage: ShuffleQueryStageExec): SparkPlan = {
    // None where there was no file to read rows from, and no tasks to deal them.
    val bytes = stage.mapStats.fold(Array.fill(stage.shuffle.numPartitions)(0L))(_.bytesByPartitionId)
    val withRows = bytes.indices.filter(bytes(_) > 0)
    if (withRows.size == bytes.length) stage
    else {
      val kept = if (withRows.isEmpty) Seq(0) else withRows // a write has a task at least
      AQEShuffleReadExec(stage, kept.map(i => CoalescedPartitionSpec(i, i + 1, bytes(i))))
    }
  }
}

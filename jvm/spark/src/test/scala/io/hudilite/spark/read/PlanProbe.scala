package io.hudilite.spark.read

import io.hudilite.spark.scan.plan.HudiliteScan

import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.execution.SparkPlan
import org.apache.spark.sql.execution.adaptive.{AdaptiveSparkPlanExec, QueryStageExec}
import org.apache.spark.sql.execution.datasources.v2.BatchScanExec

/** Looks into executed plans. */
object PlanProbe {

  def nodes(plan: SparkPlan): Seq[SparkPlan] = plan match {
    case adaptive: AdaptiveSparkPlanExec => nodes(adaptive.executedPlan)
    case stage: QueryStageExec => stage +: nodes(stage.plan)
    case other => other +: other.children.flatMap(nodes)
  }

  /** Scans of hudilite tables; there is none when footers answered the query. */
  def scans(frame: DataFrame): Seq[BatchScanExec] =
    nodes(frame.queryExecution.executedPlan).collect { case b: BatchScanExec if b.scan.isInstanceOf[HudiliteScan] => b }

  def scan(frame: DataFrame): BatchScanExec = scans(frame) match {
    case Seq(one) => one
    case other => throw new IllegalStateException(s"${other.size} scans in ${frame.queryExecution.executedPlan}")
  }

  /** The scan's metric after the query ran. */
  def metric(frame: DataFrame, name: String): Long = scan(frame).metrics(name).value
}

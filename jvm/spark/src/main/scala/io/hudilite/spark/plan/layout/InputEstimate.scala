package io.hudilite.spark.plan.layout

import io.hudilite.spark.stage.EstimatedAtMost

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, Statistics, View}
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2Relation
import org.apache.spark.sql.hudilite.Datasets

/** Spark's word on the size of a write's rows while it is planned, which is before their plan is optimized. */
private[layout] object InputEstimate {

  /** Their size, which is about one from above; `None` where nothing is known, or where rows may be more than what they
    * are made of.
    */
  def of(rows: LogicalPlan, session: SparkSession): Option[Statistics] =
    try {
      val known = pushedDown(rows, session)
      if (EstimatedAtMost(known)) Some(known.stats) else None
    } catch {
      // Rows of a VALUES with the current time in it have none before the statement is optimized.
      case _: UnsupportedOperationException => None
    }

  /** A table that no filter has reached yet is as large as all its files, which would be listed to say so: of one partition
    * that an INSERT ... SELECT takes it would tell nothing. The optimizer is asked for no more than the size; the rows are
    * optimized with their write.
    */
  private def pushedDown(rows: LogicalPlan, session: SparkSession): LogicalPlan =
    if (!rows.exists(isUnfiltered)) rows
    else Datasets.ofRows(session, rows.clone()).queryExecution.optimizedPlan

  private def isUnfiltered(plan: LogicalPlan): Boolean = plan match {
    case _: DataSourceV2Relation | _: View => true
    case _ => false
  }
}

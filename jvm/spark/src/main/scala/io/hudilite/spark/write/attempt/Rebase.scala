package io.hudilite.spark.write.attempt

import io.hudilite.table.Table

import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan

/** The way from an attempt of a write to the next.
  *
  * @param attempt
  *   number of the attempt that it begins at, from 1
  * @param plan
  *   the write with the rows that this attempt has evaluated, over another snapshot of its table; `None` where these rows
  *   do not fit that
  */
final class Rebase private[spark] (private[spark] val judge: CommitJudge, val attempt: Int,
    val plan: Table => Option[LogicalPlan])

package io.hudilite.table

import io.hudilite.config.PlannedBuckets
import io.hudilite.timeline.plan.ClusteringPlan

/** Clusterings that deal the rows of a table with a bucket index to another number of buckets. */
object BucketMoves {

  /** A class that only hudilite knows. Run by another engine, the plan would make file groups that belong to no bucket.
    */
  val Execution = "io.hudilite.BucketMove"

  /** The number of buckets that a plan deals rows to; `None` for other plans. */
  def count(plan: ClusteringPlan): Option[Int] =
    if (plan.strategy == Execution) PlannedBuckets.of(plan.params).map(_.count) else None
}

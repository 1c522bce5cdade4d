package io.hudilite.table

import io.hudilite.config.PlannedBuckets
import io.hudilite.index.BucketIndex
import io.hudilite.timeline.plan.ClusteringPlan

/** Clusterings that deal the rows of a table with a bucket index to another number of buckets. */
object BucketMoves {

  /** A class that only hudilite knows. Run by another engine, the plan would make file groups that belong to no bucket.
    */
  val Execution = "io.hudilite.BucketMove"

  /** The buckets that a plan deals rows to; `None` for other plans. */
  def of(plan: ClusteringPlan): Option[BucketIndex] =
    if (plan.strategy == Execution) PlannedBuckets.of(plan.params).map(p => BucketIndex(p.count, p.hashFields, p.rule))
    else None

  /** These are other buckets of the partition than the table states. */
  def changes(table: Table, index: BucketIndex, partition: String): Boolean =
    table.statedBuckets.exists(was => !was.in(partition).isSame(index.in(partition)))

  /** Reason why buckets that a plan gives to some partitions can no longer be stated: rows of others lie, by the word of a
    * later commit, in buckets by the former numbers.
    */
  def outrun(table: Table, instant: String, index: BucketIndex): Option[String] =
    if (index.rule.isEmpty) None
    else table.bucketStatement.filter(_.instant > instant).map(stated =>
      s"the later write ${stated.instant} has stated the buckets of the table")
}

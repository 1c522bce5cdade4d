package io.hudilite.table

import io.hudilite.config.PlannedBuckets
import io.hudilite.timeline.{Action, ClusteringPlan, CommitMetadata, FinishedPlans, Instant}

/** Clusterings that deal the rows of a table with a bucket index to another number of buckets. */
object BucketMoves {

  /** A class that only hudilite knows: run by another engine, the plan would make file groups that belong to no bucket. */
  val Execution = "io.hudilite.BucketMove"

  /** The number of buckets that a plan deals rows to, when it does. */
  def count(plan: ClusteringPlan): Option[Int] =
    if (plan.strategy == Execution) PlannedBuckets.of(plan.params).map(_.count) else None

  /** The number of buckets that the newest one of the active timeline left, with its instant. */
  def last(table: Table): Option[(Instant, Int)] = {
    val clusterings = table.store.readCommits(table.timeline.writes.filter(_.action == Action.ReplaceCommit))
      .collect { case (instant, metadata) if metadata.operation == CommitMetadata.Cluster => instant }
    clusterings.reverseIterator.flatMap(i =>
      FinishedPlans.ofClustering(table.store, i).flatMap(count).map(i -> _)).take(1).toList.headOption
  }
}

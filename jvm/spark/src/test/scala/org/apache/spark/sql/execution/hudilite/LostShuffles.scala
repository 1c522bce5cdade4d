package org.apache.spark.sql.execution.hudilite

import org.apache.spark.{MapOutputTrackerMaster, SparkEnv}
import org.apache.spark.shuffle.MetadataFetchFailedException
import org.apache.spark.sql.execution.SparkPlan

/** Loses shuffle files, as with a machine that is gone. */
object LostShuffles {

  private def tracker: MapOutputTrackerMaster = SparkEnv.get.mapOutputTracker.asInstanceOf[MapOutputTrackerMaster]

  /** The shuffle of an exchange that was written. */
  def lose(exchange: SparkPlan): Unit = exchange match {
    case own: OwnShuffle => tracker.unregisterAllMapAndMergeOutput(own.shuffleId)
    case other => throw new IllegalStateException(s"no shuffle of hudilite's: $other")
  }

  /** Identifiers of all shuffles that there are. */
  def known: Set[Int] = tracker.shuffleStatuses.keySet.toSet

  /** Loses these shuffles and fails as a task does that wanted to read one. The first of them must be one that the task's
    * stage depends on: Spark's scheduler knows no others, and stops the whole application.
    */
  def failToRead(shuffles: Set[Int]): Nothing = {
    shuffles.foreach(tracker.unregisterAllMapAndMergeOutput)
    throw new MetadataFetchFailedException(shuffles.min, 0, "lost by a test")
  }
}

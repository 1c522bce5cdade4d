package io.hudilite.spark.service

import io.hudilite.config.WriteConf
import io.hudilite.error.InvalidInput
import io.hudilite.spark.cluster.{Clusterer, ClusteringOrder}
import io.hudilite.spark.write.table.WriteTarget
import io.hudilite.table.Table

import org.apache.spark.sql.SparkSession

/** Clusters after a write, when its options ask for that. */
private[service] object InlineClustering {

  /** Raises `InvalidInput` when options ask for a clustering that the table cannot have, or that makes no sense. */
  def check(session: SparkSession, target: WriteTarget): Unit = if (target.conf.services.inlineClustering) {
    if (target.buckets.isDefined) throw InvalidInput("CLUSTERING_NOT_POSSIBLE", "path" -> target.basePath,
      "reason" -> "the ids of its file groups say which bucket they are")
    val conf = target.conf.services.clustering
    ClusteringOrder(conf.sortColumns, conf.layout).check(session, target.schema)
  }

  /** @param now
    *   the table as it is
    */
  def run(session: SparkSession, now: Table, conf: WriteConf): Unit = {
    val clusterer = new Clusterer(session, conf, session.sparkContext.longAccumulator)
    clusterer.runPending(now)
    val planned = clusterer.scheduleIfDue(if (now.timeline.pending.isEmpty) now else now.refresh())
    if (planned.isDefined) clusterer.runPending(now.refresh())
    ()
  }
}

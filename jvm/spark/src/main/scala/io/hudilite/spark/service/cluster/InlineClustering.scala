package io.hudilite.spark.service.cluster

import io.hudilite.config.WriteConf
import io.hudilite.config.service.ServiceConf
import io.hudilite.error.InvalidInput
import io.hudilite.service.cluster.ClusteringScheduler
import io.hudilite.spark.service.{InlineService, LatestTable, ServiceState}
import io.hudilite.spark.service.cluster.layout.ClusteringOrder
import io.hudilite.spark.write.table.WriteTarget
import io.hudilite.table.Table

import org.apache.spark.sql.SparkSession

/** Clusters after a write, when its options ask for that. */
private[service] object InlineClustering extends InlineService("clustering") {

  override def check(session: SparkSession, target: WriteTarget): Unit = if (target.conf.services.inlineClustering) {
    if (target.buckets.isDefined) throw InvalidInput("CLUSTERING_NOT_POSSIBLE", "path" -> target.basePath,
      "reason" -> "the ids of its file groups are those of their buckets")
    val conf = target.conf.services.clustering
    ClusteringOrder(conf.sortColumns, conf.layout).check(session, target.schema, target.config.droppedColumns)
  }

  override def mayBeDue(before: Table, conf: ServiceConf): Boolean = conf.inlineClustering

  override def run(session: SparkSession, now: LatestTable, conf: WriteConf): Unit = now.changing { table =>
    val clusterer = new Clusterer(session, conf, session.sparkContext.longAccumulator)
    clusterer.runPending(table)
    val planned = clusterer.scheduleIfDue(if (table.timeline.pending.isEmpty) table else table.refresh())
    if (planned.isDefined) clusterer.runPending(table.refresh())
  }

  override def state(table: Table, conf: ServiceConf): Option[ServiceState] = {
    val done = ClusteringScheduler.clusterings(table).lastOption
    val since = table.timeline.writes.count(w => done.forall(w.time > _.time))
    Some(ServiceState.of(table, name, conf.inlineClustering, table.store.pendingClusterings(table.timeline).map(_._1),
        done, ClusteringScheduler.isDue(table, conf.clustering),
        s"$since of ${conf.clustering.maxCommits} commits since the last one"))
  }
}

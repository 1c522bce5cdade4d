package io.hudilite.spark.procedure

import io.hudilite.config.service.PlannedLayout
import io.hudilite.service.cluster.{ClusteringCall, PendingClusterings, PlannedClustering}
import io.hudilite.spark.service.{RunningService, Stop}
import io.hudilite.spark.service.cluster.{Clusterer, FinishedClustering}
import io.hudilite.table.Table
import io.hudilite.timeline.{Instant, State}

import org.apache.spark.sql.Row

/** Clusterings of a table; all calls raise `CLUSTERING_NOT_POSSIBLE` for a table with a bucket index, unless they move it
  * to other buckets.
  */
private[spark] final case class ClusteringRun(call: ServiceCall, asked: ClusteringCall = ClusteringCall())
    extends PlannedService[PlannedClustering, FinishedClustering] {

  override def schedule(dryRun: Boolean): Option[PlannedClustering] = call.onTable { (table, conf) =>
    val clusterer = new Clusterer(call.session, conf, call.counter)
    if (dryRun) proposed(table, clusterer).headOption else clusterer.schedule(table, asked)
  }

  override def preview(instant: Option[String]): Seq[PlannedClustering] = call.onTable { (table, conf) =>
    val pending = instant match {
      case Some(time) => Seq(PendingClusterings.named(table, time))
      case None => PendingClusterings.runnable(table).filter(PendingClusterings.outdated(table, _).isEmpty)
    }
    if (pending.nonEmpty) pending.map(opened(table, _))
    else proposed(table, new Clusterer(call.session, conf, call.counter))
  }

  override def start(instant: Option[String]): RunningService[Seq[FinishedClustering]] =
    call.start("clustering", preview(instant).flatMap(_.groups).map(_.outputs).sum) { (done, isCancelled) =>
      call.onTable { (table, conf) =>
        val clusterer = new Clusterer(call.session, conf, done, new Stop(isCancelled))
        instant.fold(clusterer.planAndRun(table, asked))(i =>
          Seq(clusterer.run(table, PendingClusterings.named(table, i))))
      }
    }

  private def proposed(table: Table, clusterer: Clusterer): Seq[PlannedClustering] =
    Seq(clusterer.preview(table, asked)).filter(_.groups.nonEmpty)

  private def opened(table: Table, instant: Instant): PlannedClustering = {
    val pending = PendingClusterings.open(table, instant)
    PlannedClustering(Some(instant.time), pending.groups, pending.params)
  }

  override def instantOf(plan: PlannedClustering): Option[String] = plan.instant

  override def planned(plan: PlannedClustering): Row =
    Row(plan.instant.orNull, plan.groups.size, State.Requested.name,
      ClusteringProcedures.named(plan.groups.map(_.partition)), PlannedLayout.of(plan.params).sortColumns,
      plan.groups.map(g => Row(g.partition, g.slices.map(_.fileId), g.bytes, g.outputs)), null, null)

  override def done(run: FinishedClustering): Row = Row(run.instant, null, State.Completed.name,
    ClusteringProcedures.named(run.replaced.keys.toSeq), null, null, run.replaced.values.map(_.size).sum,
    run.stats.map(s => Row(s.partitionPath, s.fileId, s.path, s.numWrites, s.fileSizeInBytes)))
}

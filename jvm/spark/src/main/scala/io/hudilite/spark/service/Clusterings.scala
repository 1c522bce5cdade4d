package io.hudilite.spark.service

import io.hudilite.service.cluster.{ClusteringCall, ClusteringScheduler, PendingClusterings, PlannedClustering}
import io.hudilite.spark.cluster.{Clusterer, FinishedClustering}
import io.hudilite.spark.task.Stop
import io.hudilite.table.Table
import io.hudilite.timeline.{Instant, State}

import java.util.{Collections, Map => JMap}

import org.apache.spark.sql.SparkSession

/** A clustering of the timeline.
  *
  * @param groups
  *   how many its plan has; a completed one does not say
  * @param partitions
  *   of file groups that it takes or has replaced
  */
final case class ClusteringState(instant: String, state: State, groups: Option[Int], partitions: Seq[String])

/** Clustering of a table by its path: what programs call, in Scala, in Java or from Python.
  *
  * Options are those of docs/options.md; settings of the session under `spark.datasource.hudilite.` count, too. All calls
  * raise `TABLE_NOT_FOUND` and, for a table with a bucket index, `CLUSTERING_NOT_POSSIBLE`.
  */
object Clusterings {

  /** Plans a clustering, to be run later, here or elsewhere; `None` when there is nothing to cluster. */
  def schedule(session: SparkSession, path: String, options: JMap[String, String], call: ClusteringCall,
      dryRun: Boolean): Option[PlannedClustering] = Compactions.onDriver(session, path, options) { (table, conf) =>
    val clusterer = new Clusterer(session, conf, session.sparkContext.longAccumulator)
    if (dryRun) Some(clusterer.preview(table, call)).filter(_.groups.nonEmpty) else clusterer.schedule(table, call)
  }

  /** What [[start]] would run: the pending clusterings, else the one that it would plan. */
  def preview(session: SparkSession, path: String, options: JMap[String, String], instant: Option[String],
      call: ClusteringCall): Seq[PlannedClustering] = Compactions.onDriver(session, path, options) { (table, conf) =>
    upcoming(table, new Clusterer(session, conf, session.sparkContext.longAccumulator), instant, call)
  }

  /** Starts clustering in the background.
    *
    * @param instant
    *   the planned clustering to run; `None` runs all pending ones or, when there are none, plans one and runs it
    */
  def start(session: SparkSession, path: String, options: JMap[String, String], instant: Option[String],
      call: ClusteringCall): RunningService[Seq[FinishedClustering]] = {
    val done = session.sparkContext.longAccumulator
    val total = preview(session, path, options, instant, call).flatMap(_.groups).map(_.outputs).sum
    new RunningService(session.sparkContext, "clustering", done, total,
      isCancelled =>
        Compactions.onDriver(session, path, options) { (table, conf) =>
          val clusterer = new Clusterer(session, conf, done, new Stop(isCancelled))
          instant.fold(clusterer.planAndRun(table, call))(i =>
            Seq(clusterer.run(table, PendingClusterings.named(table, i))))
        })
  }

  /** The clusterings of the active timeline, planned and done, oldest first. */
  def states(session: SparkSession, path: String): Seq[ClusteringState] =
    Compactions.onDriver(session, path, Collections.emptyMap()) { (table, _) =>
      val pending = table.store.pendingClusterings(table.timeline).map { case (i, plan) =>
        ClusteringState(i.time, i.state, Some(plan.groups.size), plan.groups.flatten.map(_.partition))
      }
      val done = ClusteringScheduler.completed(table).map { case (i, metadata) =>
        ClusteringState(i.time, i.state, None, metadata.replaced.keys.toSeq)
      }
      (pending ++ done).sortBy(_.instant)
    }

  private def upcoming(table: Table, clusterer: Clusterer, instant: Option[String], call: ClusteringCall)
      : Seq[PlannedClustering] = {
    val pending = instant match {
      case Some(time) => Seq(PendingClusterings.named(table, time))
      case None => PendingClusterings.runnable(table).filter(PendingClusterings.outdated(table, _).isEmpty)
    }
    if (pending.nonEmpty) pending.map(planned(table, _))
    else Seq(clusterer.preview(table, call)).filter(_.groups.nonEmpty)
  }

  private def planned(table: Table, instant: Instant): PlannedClustering = {
    val opened = PendingClusterings.open(table, instant)
    PlannedClustering(Some(instant.time), opened.groups, opened.params)
  }
}

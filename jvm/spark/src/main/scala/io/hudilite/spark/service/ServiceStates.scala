package io.hudilite.spark.service

import io.hudilite.config.TableType
import io.hudilite.config.service.{CleaningPolicy, ServiceConf}
import io.hudilite.service.clean.CleanScheduler
import io.hudilite.service.cluster.ClusteringScheduler
import io.hudilite.service.compact.{CompactionKind, CompactionScheduler, DeltaProgress}
import io.hudilite.service.partition.{ExpirySettings, PartitionDrops, PartitionExpiry}
import io.hudilite.table.Table
import io.hudilite.timeline.{Action, Instant, State}

import java.util.concurrent.ConcurrentHashMap

/** How it stands with one service of a table.
  *
  * @param service
  *   `compaction`, `clustering`, `partition expiry`, `cleaning` or `archiving`
  * @param byItself
  *   it follows writes with these options
  * @param planned
  *   instants that are planned and that nobody runs, as far as the timeline tells
  * @param running
  *   instants that somebody has begun
  * @param last
  *   its last instant; archiving has none
  * @param lastError
  *   text of what has kept it from running after a write of this process, when it has not run since
  * @param isDue
  *   the next write sets it off
  * @param next
  *   what sets it off, and how far that is
  */
final case class ServiceState(service: String, byItself: Boolean, planned: Seq[String], running: Seq[String],
    last: Option[String], lastError: Option[String], isDue: Boolean, next: String)

/** The services of a table, as its timeline and this process know them. */
object ServiceStates {

  private[service] val Compaction = "compaction"
  private[service] val Expiry = "partition expiry"
  private[service] val Cleaning = "cleaning"
  private[service] val Archiving = "archiving"
  private[service] val Clustering = "clustering"

  private val errors = new ConcurrentHashMap[(String, String), String]()

  /** Remembers how a service ended that nobody waits for. */
  private[service] def ended(table: Table, service: String, failure: Option[Throwable]): Unit = {
    val key = table.place.key -> service
    failure match {
      case Some(e) => errors.put(key, e.toString)
      case None => errors.remove(key)
    }
    ()
  }

  def of(table: Table, conf: ServiceConf): Seq[ServiceState] = {
    val ofLogs = if (table.config.tableType == TableType.MergeOnRead) Seq(compaction(table, conf)) else Nil
    val ofPartitions = if (conf.expiry.days > 0) Seq(expiry(table, conf)) else Nil
    ofLogs ++ Seq(clustering(table, conf)) ++ ofPartitions ++ Seq(cleaning(table, conf), archiving(table, conf))
  }

  private def compaction(table: Table, conf: ServiceConf): ServiceState = {
    val clock = table.storage.clock
    val progress = DeltaProgress.of(table.timeline, clock.millis(), table.config.zone(clock))
    val compacted = table.timeline.writes.filter(_.action == Action.Commit)
    val trigger = conf.compaction.trigger
    state(table, Compaction, InlineCompaction.asked(conf).contains(CompactionKind.Base),
      table.timeline.pendingCompactions, compacted.lastOption, CompactionScheduler.isDue(table, conf.compaction),
      s"${trigger.strategy}: ${progress.sinceCompaction} of ${trigger.maxCommits} " +
        s"delta commits, ${progress.seconds} of ${trigger.maxSeconds} s since the last one")
  }

  private def clustering(table: Table, conf: ServiceConf): ServiceState = {
    val done = ClusteringScheduler.clusterings(table).lastOption
    val since = table.timeline.writes.count(w => done.forall(w.time > _.time))
    state(table, Clustering, conf.inlineClustering,
      table.store.pendingClusterings(table.timeline).map(_._1),
      done, ClusteringScheduler.isDue(table, conf.clustering),
      s"$since of ${conf.clustering.maxCommits} commits since the last one")
  }

  /** Of a table whose partitions are said to go at some time. */
  private def expiry(table: Table, conf: ServiceConf): ServiceState = {
    val old = PartitionExpiry.preview(table, ExpirySettings.of(conf.expiry)).fileGroups.size
    state(table, Expiry, conf.inlineExpiry, Nil, PartitionDrops.completed(table).lastOption, old > 0,
      s"$old partitions without a write for ${conf.expiry.days} days")
  }

  private def cleaning(table: Table, conf: ServiceConf): ServiceState = {
    val cleans = table.timeline.instants.filter(_.action == Action.Clean)
    val done = cleans.filter(_.isCompleted).lastOption
    val since = table.timeline.writes.count(w => done.forall(w.time > _.time))
    val kept = conf.cleaning.policy match {
      case CleaningPolicy.LatestCommits(n) => s"the states at $n of ${table.timeline.writes.size} commits stay"
      case CleaningPolicy.LatestHours(n) => s"the states of $n hours stay"
      case CleaningPolicy.LatestVersions(n) => s"$n versions of each file group stay"
    }
    state(table, Cleaning, conf.inlineCleaning, cleans.filter(_.isPending),
      done,
      CleanScheduler.isDue(table.timeline, conf.cleaning, more = 1),
      s"$since of ${conf.cleaning.triggerCommits} commits since the last one; $kept")
  }

  private def archiving(table: Table, conf: ServiceConf): ServiceState =
    state(table, Archiving, conf.inlineArchiving, Nil, None,
      Archivings.mayBeDue(table, conf),
      s"${table.timeline.writes.size} of ${conf.archiving.maxCommits} commits that may stay in the timeline")

  private def state(table: Table, service: String, byItself: Boolean, pending: Seq[Instant], last: Option[Instant],
      isDue: Boolean, next: String): ServiceState = {
    val (planned, running) = pending.partition(_.state == State.Requested)
    ServiceState(service, byItself, planned.map(_.time), running.map(_.time), last.map(_.time),
      Option(errors.get(table.place.key -> service)), isDue, next)
  }
}

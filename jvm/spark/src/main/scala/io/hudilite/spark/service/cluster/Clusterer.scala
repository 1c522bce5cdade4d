package io.hudilite.spark.service.cluster

import io.hudilite.config.WriteConf
import io.hudilite.config.service.PlannedLayout
import io.hudilite.error.InvalidInput
import io.hudilite.index.Index
import io.hudilite.service.cluster.{
  ClusteringCall,
  ClusteringRequest,
  ClusteringScheduler,
  PendingClustering,
  PendingClusterings,
  PlannedClustering
}
import io.hudilite.spark.service.{ServiceTransaction, Stop}
import io.hudilite.spark.service.cluster.layout.ClusteringOrder
import io.hudilite.spark.service.cluster.rewrite.ClusteringJob
import io.hudilite.spark.write.job.WriteJob
import io.hudilite.spark.write.table.WriteTarget
import io.hudilite.table.{BucketMoves, Buckets, Table}
import io.hudilite.timeline.{CommitMetadata, Instant, WriteStat}
import io.hudilite.transaction.{Assumption, LateFiles, Transaction, TransactionOptions}

import org.apache.spark.sql.SparkSession
import org.apache.spark.util.LongAccumulator
import org.slf4j.LoggerFactory

/** One clustering that is done: the file groups that it took the place of, and one stat for each file that it wrote. */
final case class FinishedClustering(instant: String, replaced: Map[String, Seq[String]], stats: Seq[WriteStat])

/** Plans and runs the clusterings of one table.
  *
  * @param conf
  *   how it writes, and what is clustered
  * @param done
  *   counts the files that are written
  * @param stop
  *   asked before each plan is made or run; what is planned stays so
  */
final class Clusterer(session: SparkSession, conf: WriteConf, done: LongAccumulator, stop: Stop = Stop.Never) {

  private val log = LoggerFactory.getLogger(classOf[Clusterer])

  private val clustering = conf.services.clustering
  private val transaction = TransactionOptions.of(conf.commit)

  /** Plans a clustering of what a call asks for; `None` when that is nothing. */
  def schedule(table: Table, call: ClusteringCall): Option[PlannedClustering] = {
    val now = withoutOutdated(table)
    val asked = requestOf(now, call)
    ClusteringScheduler.schedule(possible(now, asked), asked, transaction)
  }

  /** The plan that [[schedule]] would make; nothing is written. */
  def preview(table: Table, call: ClusteringCall): PlannedClustering = {
    val asked = requestOf(table, call)
    ClusteringScheduler.preview(possible(table, asked), asked)
  }

  /** Plans what the options choose, when they say that it is time. */
  def scheduleIfDue(table: Table): Option[PlannedClustering] =
    if (!ClusteringScheduler.isDue(table, clustering)) None
    else ClusteringScheduler.scheduleIfDue(possible(table, ClusteringRequest(clustering)), clustering, transaction)

  /** Runs the clusterings that are planned and that nobody runs, oldest first. */
  def runPending(table: Table): Seq[FinishedClustering] = runAll(withoutOutdated(table))

  /** Runs the planned clusterings; when there are none plans one, and runs it. */
  def planAndRun(table: Table, call: ClusteringCall): Seq[FinishedClustering] = {
    val now = withoutOutdated(table)
    if (PendingClusterings.runnable(now).nonEmpty) runAll(now)
    else planAlone(now, call)
  }

  private def planAlone(now: Table, call: ClusteringCall): Seq[FinishedClustering] = {
    stop.check(s"the clustering of ${now.basePath}")
    schedule(now, call).flatMap(_.instant).toSeq.map { time =>
      val planned = now.refresh()
      run(planned, PendingClusterings.named(planned, time))
    }
  }

  private def runAll(table: Table): Seq[FinishedClustering] =
    PendingClusterings.runnable(table).zipWithIndex.map { case (instant, i) =>
      run(if (i == 0) table else table.refresh(), instant)
    }

  /** The table after clusterings that can no longer be run were given up: their file groups could not be planned again. */
  private def withoutOutdated(table: Table): Table = {
    val outdated = PendingClusterings.withdrawOutdated(table, transaction)
    outdated.foreach { case (time, reason) =>
      log.info(s"The planned clustering $time of ${table.basePath} is given up: $reason.")
    }
    if (outdated.isEmpty) table else table.refresh()
  }

  // A plan that cannot be run would be in everybody's way.
  private def possible(table: Table, asked: ClusteringRequest): Table = {
    if (asked.buckets.isEmpty) checkBuckets(table)
    ClusteringOrder(asked.conf.sortColumns, asked.conf.layout).check(session, table)
    table
  }

  private def requestOf(table: Table, call: ClusteringCall): ClusteringRequest = {
    val request = ClusteringRequest(call.over(clustering))
    call.buckets.fold(request)(count => BucketMove(table, conf, call, session).of(request, count))
  }

  private def checkBuckets(table: Table): Unit = {
    val buckets = Buckets(table)
    buckets.check(Index.of(table.config, conf.index))
    val way = if (buckets.areConsistent) "Apache Hudi's clustering splits and merges those of hash rings"
    else "name another number of buckets to move it to"
    if (buckets.haveRows) throw InvalidInput("CLUSTERING_NOT_POSSIBLE", "path" -> table.basePath,
      "reason" -> s"the ids of its file groups are those of their buckets; $way")
  }

  /** Runs one planned clustering; when that fails nothing of it is left but its plan.
    *
    * Raises `CommitConflict` when another process runs it, it is gone, or a file group has changed since it was planned.
    */
  def run(table: Table, instant: Instant): FinishedClustering = {
    if (PendingClusterings.buckets(table, instant).isEmpty) checkBuckets(table)
    stop.check(s"the clustering ${instant.time} of ${table.basePath}")
    val running = Transaction.resume(table, instant, CommitMetadata.Cluster,
      ServiceTransaction.of(session, table, conf))
    try {
      val pending = PendingClusterings.open(table, instant)
      val order = ClusteringOrder.of(PlannedLayout.of(pending.params), clustering)
      val stats = new ClusteringJob(session, table, order, job(table, pending, running), done).run(pending)
      LateFiles.delete(table, running, pending.replaced.keys, stats)
      // New rows that others have dealt by the old number meanwhile would stay so.
      val assumption = pending.buckets.fold[Assumption](Assumption.Nothing)(index =>
        Assumption.Replaces(partition =>
          index.rule.isEmpty || pending.replaced.contains(partition) || BucketMoves.changes(table, index, partition)))
      running.commit(stats, pending.replaced, assumption = assumption, buckets = pending.buckets)
      FinishedClustering(instant.time, pending.replaced, stats)
    } finally running.rollback() // does nothing after a commit
  }

  private def job(table: Table, pending: PendingClustering, running: Transaction): WriteJob = {
    val bytes = PlannedLayout.of(pending.params).targetBytes.getOrElse(clustering.targetBytes)
    val target = WriteTarget.compacting(table, pending.instant.time, conf, session)
    val job = WriteJob.of(target, running.permit, session)
    // A bucket has one file group, however large it grows.
    job.copy(buckets = pending.buckets,
      files = job.files.copy(maxFileBytes = if (pending.buckets.isDefined) Long.MaxValue else bytes))
  }
}

package io.hudilite.service

import io.hudilite.TestTables
import io.hudilite.service.clean.Cleaning
import io.hudilite.service.cluster.{ClusteringRequest, ClusteringScheduler, PendingClusterings}
import io.hudilite.service.compact.{CompactionKind, CompactionScheduler, PendingCompaction, PendingCompactions}
import io.hudilite.table.Table
import io.hudilite.timeline.{CommitMetadata, Instant, WriteStat}
import io.hudilite.transaction.{LateFiles, Transaction, TransactionOptions}

/** Services of tables whose data files hold text. An existing plan is run, or else one is made and run. Stand-ins do
  * the work of executors.
  */
object TextServices {

  def compact(table: Table, options: TransactionOptions = TransactionOptions()): Unit =
    planned(PendingCompactions.runnable(table.refresh()))(
      CompactionScheduler.schedule(table, Services.of().compaction, options).flatMap(_.instant))
      .foreach(runCompaction(table.refresh(), _, options))

  /** Compacts by a plan that is begun at once. A plan that an earlier run left is taken up. */
  def compactAtOnce(table: Table, options: TransactionOptions = TransactionOptions()): Unit = {
    val begun =
      if (PendingCompactions.runnable(table.refresh()).nonEmpty) None
      else CompactionScheduler.begin(table, Services.of().compaction, options)
    begun match {
      case Some(b) => ended(b.running)(_.commit(compacted(b.table, b.pending)))
      case None =>
        PendingCompactions.runnable(table.refresh()).headOption
          .foreach(left => runCompaction(table.refresh(), left.time, options))
    }
    ()
  }

  private def compacted(now: Table, pending: PendingCompaction): Seq[WriteStat] = pending.slices.map(s =>
    TestTables.writeFile(now, pending.instant.time, s.partition, s.fileId, Some(s.instant)))

  // To schedule makes a plan whose run died one to be run again.
  private def planned(runnable: => Seq[Instant])(schedule: => Option[String]): Option[String] =
    runnable.headOption.map(_.time).orElse(schedule).orElse(runnable.headOption.map(_.time))

  private def runCompaction(now: Table, time: String, options: TransactionOptions): Unit = {
    val instant = PendingCompactions.named(now, time)
    resumed(now, instant, CompactionKind.Base.operation, options) { running =>
      val pending = PendingCompactions.open(now, instant)
      val stats = compacted(now, pending)
      LateFiles.delete(now, running, pending.slices.map(_.partition), stats)
      running.commit(stats)
    }
  }

  private val folded = Services.of("hoodie.log.compaction.blocks.threshold" -> "2").compaction

  def compactLogs(table: Table, options: TransactionOptions = TransactionOptions()): Unit = {
    val outdated = PendingCompactions.allOutdated(table).map(_._1)
    outdated.foreach(Transaction.resume(table, _, CompactionKind.Log.operation, options).rollback())
    val now = table.refresh()
    PendingCompactions.runnable(now, CompactionKind.Log).headOption.map(_.time)
      .orElse(CompactionScheduler.schedule(now, folded, options, CompactionKind.Log).flatMap(_.instant))
      .foreach(runLogCompaction(now.refresh(), _, options))
  }

  private def runLogCompaction(now: Table, time: String, options: TransactionOptions): Unit = {
    val instant = PendingCompactions.named(now, time)
    resumed(now, instant, CompactionKind.Log.operation, options)(running =>
      running.commit(PendingCompactions.open(now, instant).slices.map(TestTables.appendLog(now, time, _))))
  }

  def cluster(table: Table, options: TransactionOptions = TransactionOptions()): Unit =
    planned(PendingClusterings.runnable(table.refresh()))(planClustering(table, options))
      .foreach(runClustering(table.refresh(), _, options))

  def planClustering(table: Table, options: TransactionOptions = TransactionOptions()): Option[String] =
    ClusteringScheduler.schedule(table, ClusteringRequest(Services.of().clustering), options).flatMap(_.instant)

  /** One new file for each partition. */
  def runClustering(now: Table, time: String, options: TransactionOptions = TransactionOptions()): Instant = {
    val instant = PendingClusterings.named(now, time)
    resumed(now, instant, CommitMetadata.Cluster, options) { running =>
      val pending = PendingClusterings.open(now, instant)
      val stats = pending.replaced.keys.toSeq.map(TestTables.writeFile(now, time, _, s"c-$time"))
      running.commit(stats, pending.replaced)
    }
  }

  private def resumed[T](now: Table, instant: Instant, operation: String, options: TransactionOptions)(
      run: Transaction => T): T = ended(Transaction.resume(now, instant, operation, options))(run)

  private def ended[T](running: Transaction)(run: Transaction => T): T =
    try run(running)
    finally running.rollback() // does nothing after a commit

  /** Leaves one version of each file group. */
  def clean(table: Table, options: TransactionOptions = TransactionOptions()): Unit = {
    new Cleaning(options, deleting)
      .run(table, Services.of("hoodie.clean.fileversions.retained" -> "1").cleaning)
    ()
  }

  /** Deletes files below the table, which never fails but as the storage does. */
  def deleting(table: Table, paths: Seq[String]): Set[String] = {
    paths.foreach(p => table.storage.delete(s"${table.basePath}/$p"))
    Set.empty
  }
}

package io.hudilite.spark.service.compact

import io.hudilite.config.WriteConf
import io.hudilite.error.CommitConflict
import io.hudilite.filegroup.FileSlice
import io.hudilite.service.compact.{
  BegunCompaction,
  CompactionKind,
  CompactionScheduler,
  LogCompactionPlanner,
  PendingCompaction,
  PendingCompactions,
  PlannedCompaction
}
import io.hudilite.spark.logfile.read.LogJob
import io.hudilite.spark.service.Stop
import io.hudilite.spark.service.slice.CompactionWork
import io.hudilite.spark.task.{SliceBatch, TaskJob}
import io.hudilite.spark.write.job.WriteJob
import io.hudilite.spark.write.table.WriteTarget
import io.hudilite.table.{Table, TableAccess, TableSupport}
import io.hudilite.timeline.{Instant, WriteStat}
import io.hudilite.transaction.{LateFiles, Transaction, TransactionOptions}

import org.apache.spark.sql.SparkSession
import org.apache.spark.util.LongAccumulator
import org.slf4j.LoggerFactory

/** One compaction that is done, with one stat for each file that it wrote. */
final case class FinishedCompaction(instant: String, stats: Seq[WriteStat])

/** Plans and runs the compactions of one table.
  *
  * @param conf
  *   how it writes, and what is compacted
  * @param done
  *   counts the file slices that are compacted, while they are
  * @param kind
  *   of the compactions that are planned, and run unless they are named
  * @param stop
  *   asked before each plan is made or run; what is planned stays so
  */
final class Compactor(session: SparkSession, conf: WriteConf, done: LongAccumulator,
    kind: CompactionKind = CompactionKind.Base, stop: Stop = Stop.Never) {

  private val log = LoggerFactory.getLogger(classOf[Compactor])

  private val compaction = conf.services.compaction
  private val transaction = TransactionOptions.of(conf.commit)

  /** Plans a compaction of what the options choose; `None` when that is nothing. */
  def schedule(table: Table): Option[PlannedCompaction] =
    CompactionScheduler.schedule(possible(withoutOutdated(table)), compaction, transaction, kind)

  /** As [[schedule]], when the trigger of the options says that it is time. */
  def scheduleIfDue(table: Table): Option[PlannedCompaction] =
    CompactionScheduler.scheduleIfDue(possible(withoutOutdated(table)), compaction, transaction, kind)

  /** Runs the compactions that are planned and that nobody runs, oldest first. */
  def runPending(table: Table): Seq[FinishedCompaction] = runAll(withoutOutdated(table))

  /** Runs the planned compactions of a table without outdated ones; when there are none plans one, and runs it. */
  def planAndRun(table: Table): Seq[FinishedCompaction] =
    if (PendingCompactions.runnable(table, kind).nonEmpty) runAll(table)
    else {
      stop.check(s"the compaction of ${table.basePath}")
      val begun = CompactionScheduler.begin(possible(table), compaction, transaction, kind)
      val finished = begun.map(finish).toSeq
      // To plan gives up the runs of dead processes, whose plans can be run again.
      val before = begun.map(_.table).getOrElse(table.refresh())
      if (PendingCompactions.runnable(before, kind).isEmpty) finished else finished ++ runAll(table.refresh())
    }

  /** Plans a compaction when the trigger of the options says that it is time, and runs it. */
  def runIfDue(table: Table): Option[FinishedCompaction] =
    CompactionScheduler.begin(possible(withoutOutdated(table)), compaction, transaction, kind, onlyIfDue = true)
      .map(finish)

  private def finish(begun: BegunCompaction): FinishedCompaction =
    ended(begun.running)(completed(begun.table, begun.running, begun.pending, kind, isFirst = true))

  // A plan that cannot be run would be in everybody's way. Without meta columns there is no log file by now.
  private def possible(table: Table): Table = {
    val support = TableSupport.of(table, TableAccess.Service(table.store.newInstantTime()))
    Some(support).filter(_ => table.config.populateMetaFields).foreach(LogJob.of(table, _, None))
    table
  }

  private def runAll(table: Table): Seq[FinishedCompaction] =
    PendingCompactions.runnable(table, kind).zipWithIndex.map { case (instant, i) =>
      run(if (i == 0) table else table.refresh(), instant)
    }

  /** The table after log compactions that can no longer be run were given up: their file groups could not be planned
    * again.
    */
  def withoutOutdated(table: Table): Table = {
    val outdated = PendingCompactions.allOutdated(table)
    outdated.foreach { case (instant, reason) =>
      log.info(s"Giving up the planned log compaction ${instant.time} of ${table.basePath}: $reason.")
      Transaction.resume(table, instant, CompactionKind.Log.operation, transaction).rollback()
    }
    if (outdated.isEmpty) table else table.refresh()
  }

  /** Runs one planned compaction; when that fails nothing of it is left but its plan, and of a log compaction nothing.
    *
    * Raises `CommitConflict` when another process runs it, it is gone, or it is a log compaction whose file groups have
    * changed.
    */
  def run(table: Table, instant: Instant): FinishedCompaction = {
    CompactionScheduler.checkType(table)
    stop.check(s"the compaction ${instant.time} of ${table.basePath}")
    val planned = CompactionKind.of(instant.action)
    val running = Transaction.resume(table, instant, planned.operation, transaction)
    ended(running)(completed(table, running, PendingCompactions.open(table, instant), planned, isFirst = false))
  }

  private def ended[T](running: Transaction)(run: => T): T =
    try run
    finally running.rollback() // does nothing after a commit

  /** @param isFirst
    *   nobody can have begun it before
    */
  private def completed(table: Table, running: Transaction, pending: PendingCompaction, kind: CompactionKind,
      isFirst: Boolean): FinishedCompaction = {
    val instant = pending.instant
    val target = WriteTarget.compacting(table, instant.time, conf, session)
    // Rows stay in their buckets, whatever the options of a call say of these.
    val job = WriteJob.of(target, running.permit, session).copy(buckets = None)
    val work = CompactionWork(kind, job, logsUpTo(table, instant), done)
    val batches = SliceBatch.deal(pending.slices, session.sparkContext.defaultParallelism)
    val stats = TaskJob.run(session, s"hudilite compaction ${instant.time} of ${table.basePath}", work, batches)
    kind match {
      case CompactionKind.Base if isFirst =>
      case CompactionKind.Base => LateFiles.delete(table, running, pending.slices.map(_.partition), stats)
      case CompactionKind.Log => checkOrder(table, instant, pending.slices, stats)
    }
    running.commit(stats)
    FinishedCompaction(instant.time, stats)
  }

  private def checkOrder(table: Table, instant: Instant, slices: Seq[FileSlice], stats: Seq[WriteStat]): Unit =
    slices.find(!LogCompactionPlanner.isInOrder(_, stats, table.config.layout)).foreach(slice =>
      throw CommitConflict("COMMIT_CONFLICT", "instant" -> instant.time, "path" -> table.basePath,
        "reason" ->
          (s"the file group ${slice.fileId} in '${slice.partition}' got log files of another write " +
            "between those that are folded and the result")))

  // Only what was logged before the plan.
  private def logsUpTo(table: Table, instant: Instant): LogJob = {
    val job = LogJob.of(table, TableSupport.of(table, TableAccess.Service(instant.time)), None)
    job.copy(instants = job.instants.copy(latest = Some(instant.time)))
  }
}

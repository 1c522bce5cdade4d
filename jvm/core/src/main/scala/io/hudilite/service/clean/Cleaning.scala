package io.hudilite.service.clean

import io.hudilite.config.service.CleanConf
import io.hudilite.error.CommitConflict
import io.hudilite.filegroup.{FileNames, Partitions}
import io.hudilite.storage.{FileInfo, Storage}
import io.hudilite.table.Table
import io.hudilite.timeline.{Action, CleanMetadata, CleanPlan, CleanedPartition, Instant, State, Timeline}
import io.hudilite.transaction.{MetadataUpkeep, Transaction, TransactionOptions}

import java.util.concurrent.CancellationException

import org.slf4j.LoggerFactory

/** A finished cleaning.
  *
  * @param instant
  *   time of the cleaning
  * @param partitions
  *   deleted files, by partition
  */
final case class FinishedCleaning(instant: String, earliestRetained: String, partitions: Seq[CleanedPartition])

/** Runs planned cleanings, also those of Hudi.
  *
  * A second deletion does no harm, so a cleaning that was cut off, or that two programs run at once, is simply run.
  *
  * @param delete
  *   deletion of files by their paths below the table's base path, which returns those that could not be deleted; a
  *   missing file is no failure
  * @param isStopped
  *   check before each cleaning; when true, `CancellationException` is raised and plans stay
  */
final class Cleaning(transaction: TransactionOptions, delete: (Table, Seq[String]) => Set[String],
    isStopped: () => Boolean = () => false) {

  private val log = LoggerFactory.getLogger(classOf[Cleaning])

  /** Runs planned cleanings, then plans one and runs it. */
  def run(table: Table, conf: CleanConf): Seq[FinishedCleaning] = {
    val pending = runPending(table)
    val now = if (pending.isEmpty) table else table.refresh()
    checkStopped(table)
    pending ++ CleanScheduler.begin(now, conf, transaction).flatMap { case (instant, plan) =>
      unlessDone(now, instant)(carryOut(now, instant, plan)) // none of its files can be needed again since
    }
  }

  /** Runs the planned cleanings, oldest first. */
  def runPending(table: Table): Seq[FinishedCleaning] = {
    dropEmptyPlans(table)
    Cleaning.pending(table).flatMap { case (instant, plan) =>
      checkStopped(table)
      unlessDone(table, instant) {
        start(table, instant)
        carryOut(table, instant, Cleaning.stillOld(table.refresh(), plan))
      }
    }
  }

  private def checkStopped(table: Table): Unit =
    if (isStopped()) throw new CancellationException(s"the cleaning of ${table.basePath} was stopped")

  // Empty plans are removed, as Hudi does, since they have no effect and would keep later instants from being archived.
  private def dropEmptyPlans(table: Table): Unit = if (Cleaning.empty(table).nonEmpty)
    Transaction.preparedNow(table, transaction) { now =>
      val pending = transaction.pendingWrites(now.store)
      Cleaning.empty(now).filter(now.store.requestedAt(_).exists(pending.isOld)).foreach(now.store.delete)
    }

  private def unlessDone(table: Table, instant: Instant)(run: => FinishedCleaning): Option[FinishedCleaning] =
    try Some(run)
    catch {
      case e: CommitConflict if isDone(table, instant) =>
        log.info(s"Another program has run the cleaning ${instant.time} of ${table.basePath}: ${e.getMessage}")
        None
    }

  private def carryOut(table: Table, instant: Instant, plan: CleanPlan): FinishedCleaning = {
    val started = table.storage.clock.millis()
    val failed = delete(table, plan.files.toSeq.sortBy(_._1).flatMap(_._2))
    if (failed.nonEmpty)
      log.warn(s"The cleaning ${instant.time} of ${table.basePath} could not delete ${failed.size} " +
        s"files, which stay behind: ${failed.toSeq.sorted.take(Cleaning.NamedFailures).mkString(", ")}")
    finish(table, instant, plan, failed, table.storage.clock.millis() - started)
  }

  private def start(table: Table, instant: Instant): Unit = Transaction.prepared(table, transaction) { config =>
    MetadataUpkeep.beforeCleaning(table, config)
    val now = table.store.load().instants.find(i => i.time == instant.time && i.action == Action.Clean)
    if (now.exists(_.state == State.Requested)) table.store.toInflight(instant.time, Action.Clean)
  }

  private def finish(table: Table, instant: Instant, plan: CleanPlan, failed: Set[String], tookMs: Long)
      : FinishedCleaning =
    Transaction.unchanged(table, transaction) { config =>
      val emptied = new EmptiedPartitions(table).remove(plan.partitionsToDelete)
      val partitions = plan.files.toSeq.sortBy(_._1).map { case (partition, files) =>
        val (left, gone) = files.partition(failed)
        CleanedPartition(partition, plan.policy, gone.map(nameOf), left.map(nameOf), emptied(partition))
      }
      val earliest = plan.earliestToRetain.map(_.time).getOrElse("")
      val metadata =
        CleanMetadata(instant.time, tookMs, earliest, plan.lastCompletedCommit, partitions, plan.savepoints)
      MetadataUpkeep.cleaned(table, config, instant.time, metadata, transaction.metadata)
      table.store.completeClean(instant.time, metadata)
      FinishedCleaning(instant.time, earliest, partitions)
    }

  private def nameOf(path: String): String = path.substring(path.lastIndexOf('/') + 1)

  private def isDone(table: Table, instant: Instant): Boolean =
    !table.store.load().pending.exists(i => i.time == instant.time && i.action == Action.Clean)
}

object Cleaning {

  private val NamedFailures = 10

  /** Plans that [[Cleaning.runPending]] would carry out, by their instants, oldest first. Nothing is written. */
  def planned(table: Table): Seq[(String, CleanPlan)] =
    pending(table).map { case (instant, plan) => instant.time -> stillOld(table, plan) }

  /** Cleanings whose writers died, or are about to write their plans. */
  private def empty(table: Table): Seq[Instant] =
    table.timeline.pending.filter(i => i.action == Action.Clean && i.state == State.Requested && i.isBlank)

  // A cleaning that has begun and has no plan is left to the doctor.
  private[clean] def pending(table: Table): Seq[(Instant, CleanPlan)] =
    table.timeline.pending.filter(_.action == Action.Clean)
      .flatMap(instant => table.store.readCleanPlan(instant).map(instant -> _))

  /** An earlier plan without the files of the newest state and of savepoints, which a rollback may have brought back.
    */
  private def stillOld(now: Table, plan: CleanPlan): CleanPlan = {
    val live = now.slices(plan.files.keys.toSeq).values.flatten.flatMap(_.paths).toSet
    val saved = CleanScheduler.savepointed(now)
    plan.copy(files = plan.files.map { case (partition, files) =>
      val names = saved.getOrElse(partition, Set.empty[String])
      partition -> files.filterNot(f => live(f) || names(f.substring(f.lastIndexOf('/') + 1)))
    })
  }
}

/** Folders of partitions whose files a cleaning has deleted (docs/format.md#cleaning). The caller holds the table lock.
  *
  * A program beyond the reach of the lock, such as Apache Hudi, may write to a partition at any time. It announces its
  * write before it looks for the mark that makes the folder a partition. So the mark is deleted first, and then the
  * timeline is read: it has each write that saw the mark, and then the mark is put back.
  */
private[clean] final class EmptiedPartitions(table: Table) {

  private val storage: Storage = table.storage

  /** Removes the folders of these partitions as far as they hold nothing but the mark, and returns the partitions that
    * are gone.
    */
  def remove(partitions: Seq[String]): Set[String] = {
    val before = if (partitions.isEmpty) None else Some(table.store.load())
    before.toSeq.flatMap { timeline =>
      val listed = Partitions.list(storage, table.basePath, partitions.filter(_.nonEmpty)).toSeq
      // An earlier run of the cleaning may have ended between the two steps.
      listed.filter { case (_, files) => holdsData(files) && !files.exists(isMark) }.foreach(p => mark(p._1, timeline))
      if (timeline.pendingWrites.nonEmpty) Nil
      else unmarked(listed.collect { case (partition, files) if files.forall(isMark) => partition -> files }, timeline)
    }.toSet
  }

  private def unmarked(empty: Seq[(String, Seq[FileInfo])], before: Timeline): Seq[String] = {
    empty.flatMap(_._2).foreach(file => storage.delete(file.path))
    if (empty.nonEmpty && hasNewWrites(before)) {
      empty.foreach(p => mark(p._1, before))
      Nil
    } else empty.map(_._1).filter(isGone)
  }

  private def hasNewWrites(before: Timeline): Boolean = {
    val known = before.instants.map(_.time).toSet
    table.store.load().instants.exists(i => Action.Writes(i.comparableAction) && !known(i.time))
  }

  private def isGone(partition: String): Boolean = {
    val folder = Partitions.directory(table.basePath, partition)
    storage.deleteIfEmpty(folder)
    !storage.exists(folder)
  }

  private def mark(partition: String, timeline: Timeline): Unit = Partitions.createMetadata(storage, table.basePath,
    partition, timeline.writes.lastOption.map(_.time).getOrElse(""))

  private def isMark(file: FileInfo): Boolean = !file.isDirectory && FileNames.isPartitionMetadata(file.name)

  private def holdsData(files: Seq[FileInfo]): Boolean =
    files.exists(f => FileNames.parseBaseFile(f.name).isDefined || FileNames.parseLogFile(f.name).isDefined)
}

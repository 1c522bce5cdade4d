package io.hudilite.service.doctor

import io.hudilite.config.{TableConfig, TableProperties}
import io.hudilite.error.{CorruptTable, HudiliteException, InvalidInput}
import io.hudilite.filegroup.Partitions
import io.hudilite.service.clean.Cleaning
import io.hudilite.storage.{Storage, TableStorage}
import io.hudilite.table.{Table, TableSupport}
import io.hudilite.timeline.{Action, CleanMetadata, Instant, State, Timeline, TimelineStore}
import io.hudilite.transaction.{MetadataTablePolicy, MetadataUpkeep, Transaction, TransactionOptions}
import io.hudilite.transaction.rollback.Rollback

import scala.collection.mutable

/** Finds damage of a table, and mends as much of it as is safe (docs/format.md#doctor).
  *
  * @param delete
  *   deletion of files, as in [[Cleaning]]
  * @param wanted
  *   findings to look at, and to mend
  */
final class Doctor(all: Storage, basePath: String, options: TransactionOptions,
    delete: (Table, Seq[String]) => Set[String], wanted: Finding => Boolean = _ => true) {

  private val storage = TableStorage.of(all, basePath)

  /** Findings on the table. Raises `TABLE_NOT_FOUND`.
    *
    * @param fix
    *   true to mend findings where that is safe; actions under way are never touched
    */
  def run(fix: Boolean): Seq[Finding] = {
    if (!TableProperties.exists(storage, basePath)) throw InvalidInput("TABLE_NOT_FOUND", "path" -> basePath)
    val found = examine()
    if (!fix || found.isEmpty) found
    else {
      val failures = mend(found)
      val left = examine()
      found.map { finding =>
        if (!left.exists(finding.isSame)) finding.copy(isMended = true)
        else finding.copy(reason = finding.mend.fold("it is the user's to decide")(m =>
          failures.getOrElse(m, "it came again or was not reached")))
      } ++ left.filterNot(now => found.exists(now.isSame))
    }
  }

  private def examine(): Seq[Finding] = examined().filter(wanted)

  private def examined(): Seq[Finding] = {
    val properties = Examination.properties(storage, basePath)
    if (properties.exists(_.mend.isEmpty)) properties.map(_.copy(endsExamination = true))
    else properties ++ examine(TableProperties.read(storage, basePath))
  }

  private def examine(config: TableConfig): Seq[Finding] = {
    TableSupport.checkReadable(config, basePath)
    try new Examination(new TimelineStore(storage, basePath, config), options).findings()
    catch {
      case e: CorruptTable => Seq(Finding(FindingKind.BrokenInstant, e.parameters.getOrElse("path", basePath),
            s"The table cannot be examined any further: ${e.getMessage}", "See the message; nothing else is mended.",
            endsExamination = true))
    }
  }

  /** Mends findings, and returns the reasons of failed mends. */
  private def mend(found: Seq[Finding]): Map[Mend, String] = {
    val failures = mutable.Map.empty[Mend, String]
    def tried(mends: Seq[Mend])(body: => Unit): Unit =
      try body
      catch { case e: HudiliteException => mends.foreach(failures.put(_, e.getMessage)) }
    val asked = found.flatMap(_.mend)
    if (asked.contains(Mend.RestoreProperties)) tried(Seq(Mend.RestoreProperties))(
      options.locked(storage, basePath)(options.exclusion(storage, basePath).alone(
          TableProperties.recover(storage, basePath))))
    // A plan that nobody can read keeps pending actions from being taken back, so it goes first.
    val dropped = asked.filter(isDropped)
    if (dropped.nonEmpty) tried(dropped)(dropFromTimeline())
    if (asked.exists(m => m != Mend.RestoreProperties && !isDropped(m))) tried(asked.filterNot(isDropped)) {
      val table = Table.open(storage, basePath)
      Transaction.prepared(table, options.copy(sweepsAtOnce = true)) { config =>
        // The table is examined again under the lock.
        val mends = examine().flatMap(_.mend).distinct
        // The metadata table may have a write that is taken back.
        def carriedOut(): Unit = mends.foreach(m => tried(Seq(m))(carryOut(table, m)))
        if (mends.exists(takesBack)) MetadataUpkeep.remade(table, config, options.keyJobs)(carriedOut())
        else carriedOut()
      }
      val cleanings = asked.collect { case m: Mend.EndCleaning => m }
      if (cleanings.nonEmpty) tried(cleanings) {
        new Cleaning(options, delete).runPending(table.refresh())
        ()
      }
    }
    failures.toMap
  }

  private def isDropped(mend: Mend): Boolean = mend match {
    case Mend.DropFromTimeline(_) => true
    case _ => false
  }

  private def dropFromTimeline(): Unit = {
    val table = Table.open(storage, basePath)
    TableSupport.checkWritable(table)
    // The target of an unreadable rollback has to be taken back anew, so nothing may forbid that.
    MetadataTablePolicy.refuse(table, table.config, options.metadata)
    Transaction.unchanged(table, options) { _ =>
      examine().flatMap(_.mend).distinct.foreach {
        case Mend.DropFromTimeline(instant) => table.store.delete(instant)
        case _ =>
      }
    }
  }

  private def takesBack(mend: Mend): Boolean = mend match {
    case Mend.RollBack(_) | Mend.EndRollback(_) | Mend.DropClustering(_) | Mend.DeleteFiles(_) |
        Mend.TakeBackLate(_) => true
    case Mend.DropTraces(_, withFiles) => withFiles
    case _ => false
  }

  private def carryOut(table: Table, mend: Mend): Unit = {
    val timeline: Timeline = table.store.load()
    def recovery = options.recovery(table.store)
    mend match {
      case Mend.RollBack(instant) => recovery.rollBack(instant)
      case Mend.EndRollback(target) =>
        new Rollback(table.store).run(target)
        ()
      case Mend.DropFromTimeline(instant) => table.store.delete(instant) // found under the lock
      case Mend.TakeBackLate(instant) =>
        new Rollback(table.store).run(instant.time)
        ()
      case Mend.DropClustering(instant) =>
        recovery.rollBack(instant)
        timeline.pending.filter(i => i.time == instant.time && i.comparableAction == instant.comparableAction)
          .foreach(table.store.delete)
      case Mend.DropTraces(instant, _) => recovery.dropTraces(instant, timeline)
      case Mend.DeleteFiles(paths) =>
        delete(table, paths)
        ()
      case Mend.MarkPartition(partition, instant) =>
        Partitions.createMetadata(table.storage, table.basePath, partition, instant)
      case Mend.EndCleaning(time) => new EndedCleaning(table, time).prepare()
      case Mend.Recovery | Mend.RestoreProperties => ()
    }
  }
}

/** A cleaning that is pending, or completed with a damaged file. The caller holds the table lock. */
private[doctor] final class EndedCleaning(table: Table, time: String) {

  private val store = table.store

  /** Leaves a cleaning with a plan pending, to be run again. Completes any other without a first instant whose state is
    * whole, so that readers of the past and the next cleaning look at files instead.
    */
  def prepare(): Unit =
    for {
      clean <- store.load().instants.find(i => i.time == time && i.action == Action.Clean)
      if (if (clean.isPending) !hasPlan(clean) else !isReadable(clean))
    } {
      // The inflight state comes first: while any state is left, nobody takes states without the deleted files for
      // whole.
      if (!store.isBegun(clean)) store.toInflight(time, Action.Clean)
      store.withdraw(time, Action.Clean, State.Completed)
      if (!hasPlan(clean)) store.completeClean(time, unknown)
    }

  private def unknown: CleanMetadata = CleanMetadata(time, 0L, "", table.timeline.lastCompleted.fold("")(_.time), Nil,
    table.timeline.savepoints)

  private def isReadable(completed: Instant): Boolean = !completed.isBlank &&
    parsed(store.readClean(completed)).isDefined

  private def hasPlan(clean: Instant): Boolean = parsed(store.readCleanPlan(clean)).flatten.isDefined

  private def parsed[T](read: => T): Option[T] =
    try Some(read)
    catch { case _: CorruptTable => None }
}

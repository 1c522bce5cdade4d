package io.hudilite.service.undo

import io.hudilite.error.{CommitConflict, InvalidInput}
import io.hudilite.table.Table
import io.hudilite.timeline.{Action, Instant, State}
import io.hudilite.timeline.plan.{InstantName, RestoreMetadata, RestorePlan, RollbackMetadata}
import io.hudilite.transaction.{MetadataUpkeep, Transaction, TransactionOptions}
import io.hudilite.transaction.rollback.{ForeignWrites, PendingWrites, Recovery, Rollback}

import java.util.concurrent.CancellationException

/** A restored table.
  *
  * @param instant
  *   instant of the restore; empty for a preview
  * @param to
  *   write whose state the table has again
  * @param writes
  *   writes that are gone, newest first
  * @param deadWrites
  *   instants of dead writers that were taken back before, newest first
  */
final case class RestoredTable(instant: String, to: String, writes: Seq[InstantName], deadWrites: Seq[String] = Nil)

/** Restores of the state as of an instant (docs/format.md#restore). */
object Restores {

  /** The restore that [[run]] would make. Raises `RESTORE_NOT_POSSIBLE`, and `RESTORE_PENDING` while one to another
    * instant has to be ended. Nothing is written.
    */
  def preview(table: Table, to: String, options: TransactionOptions = TransactionOptions()): RestoredTable = {
    val begun = table.timeline.pending.find(_.action == Action.Restore)
    begun.foreach(checkSame(table, _, to))
    // A begun restore is ended without new checks.
    val (now, dead) = if (begun.isDefined) (table, Nil) else EndedWrites.preview(table, options)
    val gone = if (begun.isDefined) later(now, to) else targets(now, to)
    if (gone.isEmpty && begun.isEmpty) throw impossible(now, to, NothingAfter)
    RestoredTable("", to, gone.map(i => InstantName(i.time, i.action)), dead)
  }

  private val NothingAfter = "the table has no later write"

  /** Takes every later write and plan back, the newest first. A restore that was begun and not ended is ended, whatever
    * is asked for, since until then nobody can commit.
    *
    * Raises `RESTORE_NOT_POSSIBLE` when there is no such write, its state is not whole any more, a later state is
    * saved, a later write or service is under way, or log files of a later write are older than the table's version.
    *
    * @param done
    *   callback after each instant of [[later]]
    * @param isStopped
    *   check before the restore is planned, and before each instant of [[later]]; when true, `CancellationException` is
    *   raised with nothing done, or `RESTORE_PENDING` with the rest planned
    */
  def run(table: Table, to: String, options: TransactionOptions = TransactionOptions(), done: () => Unit = () => (),
      isStopped: () => Boolean = () => false): RestoredTable =
    Transaction.prepared(table, options) { _ =>
      Rollback.endAll(table.store)
      val begun = table.store.load().pending.find(_.action == Action.Restore)
      begun.foreach(i => checkSame(table, i, to))
      val recovery = options.recovery(table.store)
      if (begun.isEmpty) {
        recovery.settle()
        revertDead(table, to, options, recovery)
        if (isStopped())
          throw new CancellationException(s"the restore of ${table.basePath} was stopped at its beginning")
      }
      val now = table.refresh()
      val restore = begun.getOrElse(requested(now, to))
      if (restore.state == State.Requested) now.store.toInflight(restore.time, Action.Restore)
      restored(now, restore, to, options) { target =>
        if (isStopped()) throw pending(now, restore, to)
        val rollback = takenBack(now, target, recovery)
        done()
        rollback
      }.copy(deadWrites = if (begun.isEmpty) EndedWrites.between(table.timeline, now.timeline) else Nil)
    }

  /** Takes services of dead writers back to their plans. */
  private def revertDead(table: Table, to: String, options: TransactionOptions, recovery: Recovery): Unit = {
    val begun = underWay(table.refresh(), to)
    if (begun.nonEmpty && options.foreignWrites != ForeignWrites.Keep) {
      val pending = options.pendingWrites(table.store)
      for (instant <- begun) pending.judge(instant) match {
        case PendingWrites.Dead(_, _) => recovery.rollBack(instant)
        case _ =>
      }
    }
  }

  /** Writes and plans after the instant, with those that completed last in front. */
  def later(now: Table, to: String): Seq[Instant] =
    now.timeline.instants.filter(i => i.time > to && Action.Writes(i.comparableAction))
      .sortBy(i => (i.completionTime.getOrElse(if (i.isPending) "9" else i.time), i.time)).reverse

  private def requested(now: Table, to: String): Instant = {
    val plan = RestorePlan(targets(now, to).map(i => InstantName(i.time, i.action)), to)
    if (plan.targets.isEmpty) throw impossible(now, to, NothingAfter)
    val time = now.store.newInstantTime(now.timeline.lastTime.getOrElse(""))
    now.store.requestRestore(time, plan)
    now.store.load().pending.find(i => i.time == time && i.action == Action.Restore)
      .getOrElse(throw impossible(now, to, s"the plan $time of the restore is gone"))
  }

  private def checkSame(table: Table, begun: Instant, to: String): Unit = {
    val other = table.store.readRestorePlan(begun).map(_.to).getOrElse("")
    if (other != to) throw pending(table, begun, other)
  }

  private def pending(table: Table, restore: Instant, to: String): CommitConflict =
    CommitConflict("RESTORE_PENDING", "path" -> table.basePath, "restore" -> restore.time, "instant" -> to)

  private def restored(now: Table, restore: Instant, to: String, options: TransactionOptions)(
      takeBack: Instant => Option[RollbackMetadata]): RestoredTable =
    MetadataUpkeep.remade(now, now.config, options.keyJobs) {
      val started = System.nanoTime()
      StateFiles.keep(now, to)
      // Rollbacks of an earlier attempt record the writes that it took back.
      val before = now.timeline.completed.filter(i => i.action == Action.Rollback && i.time > restore.time)
        .map(now.store.readRollback)
      val rollbacks = before ++ later(now, to).flatMap(takeBack(_))
      Rollback.removeRings(now.storage, now.basePath, rollbacks)
      val millis = (System.nanoTime() - started) / 1000000L
      now.store.completeRestore(restore.time, RestoreMetadata(restore.time, millis, rollbacks))
      // Rollbacks are removed, as Hudi does, since the restore records their results. Plans of failed attempts are among
      // them. The completed state goes last, since a rollback without it is due again.
      for {
        rollback <- now.store.load().instants if rollback.action == Action.Rollback && rollback.time > restore.time
        state <- Seq(State.Requested, State.Inflight, State.Completed)
      } now.store.withdraw(rollback.time, Action.Rollback, state)
      RestoredTable(restore.time, to, rollbacks.flatMap(_.targets))
    }

  /** Takes a write back, with its plan. Another program may have begun a write, which then has files, before its own
    * restore, which is ended here, or in spite of it.
    */
  private def takenBack(now: Table, target: Instant, recovery: Recovery): Option[RollbackMetadata] = {
    val done = if (target.isCompleted) Some(new Rollback(now.store).runCompleted(target)) else None
    def left = now.store.load().pending.filter(i =>
      i.time == target.time && i.comparableAction == target.comparableAction)
    left.filter(_.state == State.Inflight).foreach(recovery.rollBack)
    left.foreach(now.store.delete)
    done
  }

  private def targets(now: Table, to: String): Seq[Instant] = {
    check(now, to)
    val gone = later(now, to)
    gone.iterator.flatMap(Rollbacks.olderLogs(now, _)).take(1).foreach(reason => throw impossible(now, to, reason))
    gone
  }

  private def check(now: Table, to: String): Unit = {
    if (!now.timeline.isCompleted(to))
      throw impossible(now, to, "no completed write of the active timeline has this instant")
    now.timeline.savepoints.find(_ > to).foreach(saved =>
      throw impossible(now, to, s"the later state $saved has a savepoint; delete that first"))
    underWay(now, to).headOption.foreach(i =>
      throw impossible(now, to,
        s"the ${i.action} ${i.time} is under way: let it end or, when its program is dead, let " +
          "the doctor take back what it has written"))
    if (now.timeline.savepoints.contains(to)) archivedAfter(now, to).foreach(write =>
      throw impossible(now, to,
        s"the later write $write is archived, and nobody can take it back: hoodie.archive.beyond.savepoint has let it go"))
    try now.checkRetained(to)
    catch { case e: InvalidInput => throw impossible(now, to, e.getMessage) }
    StateFiles.beingCleaned(now, to).foreach(clean =>
      throw impossible(now, to, s"the cleaning ${clean.time} has begun to delete files of this state"))
  }

  private def archivedAfter(now: Table, to: String): Option[String] =
    now.store.archivedWrites().map(_.time).filter(_ > to).sorted.headOption

  private def underWay(now: Table, to: String): Seq[Instant] =
    PendingWrites.underWay(now.store, now.timeline).filter(_.time > to)

  private def impossible(now: Table, to: String, reason: String): InvalidInput = InvalidInput("RESTORE_NOT_POSSIBLE",
    "path" -> now.basePath, "instant" -> to, "reason" -> reason)
}

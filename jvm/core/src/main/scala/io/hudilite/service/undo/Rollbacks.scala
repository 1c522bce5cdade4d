package io.hudilite.service.undo

import io.hudilite.error.InvalidInput
import io.hudilite.table.Table
import io.hudilite.timeline.{Action, Instant}
import io.hudilite.transaction.{MetadataTablePolicy, Transaction, TransactionOptions}
import io.hudilite.transaction.rollback.Rollback

/** A write that was taken back.
  *
  * @param instant
  *   instant of the rollback
  * @param write
  *   instant of the write that is gone
  * @param deadWrites
  *   instants of dead writers that were taken back before, newest first
  */
final case class RolledBackWrite(instant: String, write: String, action: String, files: Int,
    deadWrites: Seq[String] = Nil)

/** Rollbacks of completed writes, the newest first (docs/format.md#rollback). */
object Rollbacks {

  /** The write that [[run]] would take back. Raises `ROLLBACK_NOT_POSSIBLE`. Nothing is written. */
  def preview(table: Table, instant: Option[String], options: TransactionOptions = TransactionOptions())
      : RolledBackWrite = {
    val (now, dead) = EndedWrites.preview(table, options)
    val write = cutOff(table, instant).filterNot { begun =>
      table.timeline.beforeStart(begun.write) // archived since, so nothing is taken back
    }.getOrElse {
      val write = checked(now, instant)
      RolledBackWrite("", write.time, write.action, table.store.readCommit(write).allPaths.size)
    }
    write.copy(deadWrites = dead)
  }

  /** Takes the newest completed write back, after writes of dead writers. A rollback that was cut off when its write
    * was gone already is ended, and no other write is taken back then.
    *
    * Raises `ROLLBACK_NOT_POSSIBLE` when something rests on the write: a later write, also a pending one, a plan, a
    * savepoint, or a cleaning that has deleted files from before it. Raises it also when its log files are older than
    * the table's version.
    *
    * @param instant
    *   the write, which must be the newest; `None` for the newest
    */
  def run(table: Table, instant: Option[String], options: TransactionOptions = TransactionOptions()): RolledBackWrite =
    Transaction.prepared(table, options) {
      val begun = cutOff(table, instant)
      Rollback.endAll(table.store)
      options.recovery(table.store).settle()
      val now = table.refresh()
      begun.filter(done => now.timeline.completed.exists(i => i.action == Action.Rollback && i.time == done.instant))
        .getOrElse(newest(now, instant)).copy(deadWrites = EndedWrites.between(table.timeline, now.timeline))
    }

  /** True when a process is taking the write back, or did so when it died. */
  def isBegun(table: Table, instant: String): Boolean =
    Rollback.unended(table.store, table.timeline).values.exists(_.target.time == instant)

  /** A rollback of a completed write that was cut off when the write was gone. While a table is restored, rollbacks are
    * part of that.
    */
  private def cutOff(table: Table, instant: Option[String]): Option[RolledBackWrite] = {
    val timeline = table.store.load()
    if (timeline.pending.exists(_.action == Action.Restore)) None
    else Rollback.unended(table.store, timeline).find { case (_, plan) =>
      instant.forall(_ == plan.target.time) && Rollback.hadCompleted(table.store, plan.target.time)
    }.map { case (time, plan) =>
      RolledBackWrite(time, plan.target.time, plan.target.action, plan.requests.map(_.files.size).sum)
    }
  }

  private def newest(now: Table, instant: Option[String]): RolledBackWrite = {
    val write = checked(now, instant)
    val files = now.store.readCommit(write).allPaths.size
    MetadataTablePolicy.clear(now.storage, now.basePath, now.config)
    before(now, write).foreach(StateFiles.keep(now, _))
    RolledBackWrite(new Rollback(now.store).runCompleted(write).startTime, write.time, write.action, files)
  }

  private def checked(now: Table, instant: Option[String]): Instant = {
    val newest = now.timeline.lastToComplete.getOrElse(throw impossible(now, instant.getOrElse(""),
        "the table has no completed write"))
    val write = instant.fold(newest)(time =>
      now.timeline.write(time).getOrElse(
        throw impossible(now, time, "no completed write has this instant")))
    (now.timeline.writes.filter(_.time > write.time) ++ Some(newest)).find(_.time != write.time).foreach(i =>
      throw impossible(now, write.time, s"the write ${i.time} is later; roll that back first"))
    now.timeline.pending.find(rests(_, write)).foreach(i =>
      throw impossible(now, write.time, s"the ${i.action} ${i.time} is pending; end that first"))
    if (now.timeline.savepoints.contains(write.time))
      throw impossible(now, write.time, "a savepoint keeps its state; delete that first")
    OlderLogs.reason(now, write).foreach(reason => throw impossible(now, write.time, reason))
    before(now, write).foreach { time =>
      try now.checkRetained(time)
      catch { case e: InvalidInput => throw impossible(now, write.time, e.getMessage) }
      StateFiles.beingCleaned(now, time).foreach(clean =>
        throw impossible(now, write.time,
          s"the cleaning ${clean.time} has begun to delete files of the state before the write"))
    }
    write
  }

  private def before(now: Table, write: Instant): Option[String] =
    now.timeline.writes.filter(_.time < write.time).lastOption.map(_.time)

  // Pending rollbacks do not count, since they name files that are gone.
  private def rests(pending: Instant, write: Instant): Boolean =
    Action.Writes(pending.comparableAction) && pending.time > write.time || pending.action == Action.Restore

  private def impossible(now: Table, time: String, reason: String): InvalidInput = InvalidInput(
    "ROLLBACK_NOT_POSSIBLE", "path" -> now.basePath, "instant" -> time, "reason" -> reason)
}

package io.hudilite.service.undo

import io.hudilite.error.InvalidInput
import io.hudilite.filegroup.FileNames
import io.hudilite.table.Table
import io.hudilite.timeline.{Action, Instant, Timeline}
import io.hudilite.transaction.{MetadataUpkeep, Transaction, TransactionOptions}
import io.hudilite.transaction.rollback.{PendingWrites, Rollback}

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
    Transaction.prepared(table, options) { _ =>
      val begun = cutOff(table, instant)
      Rollback.endAll(table.store)
      options.recovery(table.store).settle()
      val now = table.refresh()
      begun.filter(done => now.timeline.completed.exists(i => i.action == Action.Rollback && i.time == done.instant))
        .getOrElse(newest(now, instant, options)).copy(deadWrites = EndedWrites.between(table.timeline, now.timeline))
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

  private def newest(now: Table, instant: Option[String], options: TransactionOptions): RolledBackWrite = {
    val write = checked(now, instant)
    val files = now.store.readCommit(write).allPaths.size
    MetadataUpkeep.remade(now, now.config, options.keyJobs) {
      before(now, write).foreach(StateFiles.keep(now, _))
      val rollback = new Rollback(now.store).runCompleted(write)
      RolledBackWrite(rollback.startTime, write.time, write.action, files)
    }
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
    olderLogs(now, write).foreach(reason => throw impossible(now, write.time, reason))
    before(now, write).foreach { time =>
      try now.checkRetained(time)
      catch { case e: InvalidInput => throw impossible(now, write.time, e.getMessage) }
      StateFiles.beingCleaned(now, time).foreach(clean =>
        throw impossible(now, write.time,
          s"the cleaning ${clean.time} has begun to delete files of the state before the write"))
    }
    write
  }

  /** Why log files keep a write from being taken back; reads what a completed one has committed. Those of version 6 in a
    * table that Apache Hudi has upgraded since may hold blocks of other writes, and no command in a log takes the blocks
    * of one of them back any more.
    */
  private[undo] def olderLogs(now: Table, write: Instant): Option[String] =
    if (now.config.layout == 1 || !write.isCompleted) None
    else now.store.readCommit(write).allStats.find(stat =>
      FileNames.parseLogFile(stat.fileName).exists(log => !log.isCdc && log.time != write.time)
    ).map(stat => s"the log file ${stat.path} of ${write.time} is older than the table's version, and stays as it is")

  private def before(now: Table, write: Instant): Option[String] =
    now.timeline.writes.filter(_.time < write.time).lastOption.map(_.time)

  // Pending rollbacks do not count, since they name files that are gone.
  private def rests(pending: Instant, write: Instant): Boolean =
    Action.Writes(pending.comparableAction) && pending.time > write.time || pending.action == Action.Restore

  private def impossible(now: Table, time: String, reason: String): InvalidInput = InvalidInput(
    "ROLLBACK_NOT_POSSIBLE", "path" -> now.basePath, "instant" -> time, "reason" -> reason)
}

/** Writes of dead writers, which are taken back before any completed write. */
object EndedWrites {

  /** The table as an undoing would find it, and the instants that it would take back before. Nothing is written. */
  def preview(table: Table, options: TransactionOptions): (Table, Seq[String]) = {
    // The storage is not even asked for its time, which takes a file.
    val pending = new PendingWrites(table.store, options.foreignWrites, options.process, mayWrite = false)
    val (dead, left) = pending.takenBack(table.timeline)
    table.copy(timeline = left) -> dead.map(_.time)
  }

  /** Instants that were pending and have since lost that state, the newest first. */
  private[undo] def between(before: Timeline, now: Timeline): Seq[String] = before.pendingWrites.reverse.filterNot(i =>
    now.instants.exists(n =>
      n.time == i.time && n.comparableAction == i.comparableAction && n.state.rank >= i.state.rank)).map(_.time)
}

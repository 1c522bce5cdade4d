package io.hudilite.service.doctor

import io.hudilite.error.CorruptTable
import io.hudilite.table.Table
import io.hudilite.timeline.{Action, CleanMetadata, Instant, State}

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

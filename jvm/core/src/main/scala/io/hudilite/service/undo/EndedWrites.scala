package io.hudilite.service.undo

import io.hudilite.table.Table
import io.hudilite.timeline.Timeline
import io.hudilite.transaction.TransactionOptions
import io.hudilite.transaction.rollback.PendingWrites

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

package io.hudilite.service.undo

import io.hudilite.table.Table
import io.hudilite.timeline.Timeline
import io.hudilite.transaction.TransactionOptions
import io.hudilite.transaction.rollback.PendingWrites

/** What dead writers left, which is taken back before any completed write is. */
object EndedWrites {

  /** The table as an undoing would find it, and the instants that it would take back before; nothing is written. */
  def preview(table: Table, options: TransactionOptions): (Table, Seq[String]) = {
    // Not even the storage is asked for its time, which takes a file.
    val pending = new PendingWrites(table.store, options.foreignWrites, options.process, mayWrite = false)
    val (dead, left) = pending.takenBack(table.timeline)
    table.copy(timeline = left) -> dead.map(_.time)
  }

  /** Instants that were pending and have no state as high any more, the newest first. */
  private[undo] def between(before: Timeline, now: Timeline): Seq[String] = before.pendingWrites.reverse.filterNot(i =>
    now.instants.exists(n =>
      n.time == i.time && n.comparableAction == i.comparableAction && n.state.rank >= i.state.rank)).map(_.time)
}

package io.hudilite.service.undo

import io.hudilite.table.Table
import io.hudilite.timeline.Timeline
import io.hudilite.transaction.TransactionOptions
import io.hudilite.transaction.rollback.DeadWrites

/** What dead writers left, which is taken back before any completed write is. */
object EndedWrites {

  /** The table as an undoing would find it, and the instants that it would take back before; nothing is written. */
  def preview(table: Table, options: TransactionOptions): (Table, Seq[String]) = {
    val dead = new DeadWrites(table.store, options.foreignWrites, options.process)
    table.copy(timeline = dead.without(table.timeline)) -> dead.of(table.timeline).map(_.time)
  }

  /** Instants that were pending and have no state as high any more, the newest first. */
  private[undo] def between(before: Timeline, now: Timeline): Seq[String] = before.pendingWrites.reverse.filterNot(i =>
    now.instants.exists(n =>
      n.time == i.time && n.comparableAction == i.comparableAction && n.state.rank >= i.state.rank)).map(_.time)
}

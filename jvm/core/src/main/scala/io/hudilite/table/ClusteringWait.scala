package io.hudilite.table

import io.hudilite.timeline.Timeline

import java.util.concurrent.TimeUnit

import scala.annotation.tailrec

/** Waits for the clusterings of a table that others have planned or run. */
object ClusteringWait {

  private val ShortestMs = 20L
  private val LongestMs = 1000L

  /** The table once none of its clusterings is pending any more: they have completed, or were taken back. After
    * `waitMs` it is the table as it is then. Without a pending clustering it is the table itself.
    *
    * Asks for the timeline again and again, less and less often. Must not be called under the table lock, which a
    * running clustering needs.
    *
    * @param pause
    *   waits for so many milliseconds; an interrupt ends the whole with an `InterruptedException`
    */
  def ended(table: Table, waitMs: Long, pause: Long => Unit = Thread.sleep): Table = {
    val deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(waitMs)
    @tailrec def settled(now: Table): Table = {
      val pending = now.pendingClusterings.values.toSet
      if (pending.isEmpty || leftMs(deadline) <= 0) now
      else {
        awaited(now, pending, deadline, pause)
        settled(now.refresh())
      }
    }
    if (waitMs <= 0 || table.timeline.pending.isEmpty) table else settled(table)
  }

  private def awaited(table: Table, times: Set[String], deadline: Long, pause: Long => Unit): Unit = {
    def isPending(now: Timeline): Boolean = now.pending.exists(i => times(i.time))
    @tailrec def ask(afterMs: Long): Unit = {
      val left = leftMs(deadline)
      if (left > 0) {
        pause(afterMs.min(left))
        if (isPending(table.store.load())) ask((afterMs * 2).min(LongestMs))
      }
    }
    ask(ShortestMs)
  }

  private def leftMs(deadline: Long): Long = TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime())
}

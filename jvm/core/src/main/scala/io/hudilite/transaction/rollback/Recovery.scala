package io.hudilite.transaction.rollback

import io.hudilite.timeline.{Action, Instant, State, Timeline, TimelineStore}

import org.slf4j.LoggerFactory

/** Cleans up after hudilite processes that died; the caller holds the table lock.
  *
  * Only instants with an owner file are touched, and only when their owner is dead. Pending instants of other writers
  * stay as they are, expired heartbeat or not.
  */
private[transaction] final class Recovery(store: TimelineStore) {

  private val storage = store.storage
  private val basePath = store.basePath
  private val log = LoggerFactory.getLogger("io.hudilite.transaction.Recovery")

  def run(): Unit = {
    // Beside the pending instants this finds what a crash before the request or after the completion left.
    val dead = Owner.instants(storage, basePath).filter(isDead)
    if (dead.nonEmpty) {
      val timeline = store.load()
      dead.foreach(cleanUp(_, timeline))
    }
  }

  private def isDead(instant: String): Boolean =
    Owner.read(storage, basePath, instant).exists(owner =>
      !Owner.mayBeAlive(owner, instant, Heartbeat.isExpired(storage, basePath, instant, System.currentTimeMillis())))

  private def cleanUp(instant: String, timeline: Timeline): Unit =
    timeline.pending.find(i => i.time == instant && isRolledBack(i)) match {
      case Some(pending) =>
        log.warn(s"Rolling back $pending on $basePath: the process that wrote it is gone.")
        new Rollback(store).run(instant, pending.action)
      case None =>
        Markers.delete(storage, basePath, instant)
        Heartbeat.delete(storage, basePath, instant)
        Owner.delete(storage, basePath, instant)
    }

  // A compaction that was only planned is nobody's yet.
  private def isRolledBack(i: Instant): Boolean =
    Action.Writes(i.action) || (i.state == State.Inflight && Recovery.planned(i.action))
}

private object Recovery {
  private val planned = Set(Action.Compaction, Action.LogCompaction)
}

package io.hudilite.transaction.rollback

import io.hudilite.timeline.{Timeline, TimelineStore}

import org.slf4j.LoggerFactory

/** Writes that completed after others had taken them back; the caller holds the table lock.
  *
  * They count for no reader of hudilite, but Apache Hudi's see them, and so would everybody once the rollback that names
  * them is archived.
  */
private[hudilite] object LateCommits {

  private val log = LoggerFactory.getLogger("io.hudilite.transaction.LateCommits")

  /** The timeline after such writes are gone. */
  def removed(store: TimelineStore, timeline: Timeline): Timeline = if (timeline.late.isEmpty) timeline
  else {
    timeline.late.foreach { write =>
      log.warn(s"Removing $write of ${store.basePath}: it completed after it had been rolled back.")
      new Rollback(store).run(write.time)
    }
    store.load()
  }
}

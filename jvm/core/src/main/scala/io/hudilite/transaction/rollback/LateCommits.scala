package io.hudilite.transaction.rollback

import io.hudilite.timeline.{Timeline, TimelineStore}

import org.slf4j.LoggerFactory

/** Writes that completed after others had taken them back. The caller holds the table lock.
  *
  * Readers of hudilite ignore them, but those of Apache Hudi see them, and so would everybody once the rollback that
  * names them is archived.
  */
private[hudilite] object LateCommits {

  private val log = LoggerFactory.getLogger("io.hudilite.transaction.LateCommits")

  /** Removes such writes, and returns the timeline after that. */
  def removed(store: TimelineStore, timeline: Timeline): Timeline = if (timeline.late.isEmpty) timeline
  else {
    timeline.late.foreach { write =>
      log.warn(s"Removing $write of ${store.basePath}: it completed after it had been rolled back.")
      new Rollback(store).run(write.time)
    }
    store.load()
  }
}

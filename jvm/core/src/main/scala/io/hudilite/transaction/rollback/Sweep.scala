package io.hudilite.transaction.rollback

import io.hudilite.storage.{Cached, FileInfo, Storage, Temporaries, WeightedCache}
import io.hudilite.timeline.{TimelineStore, WriteFolders}

/** Removes temporary files of killed writers: those older than any writer that may be alive. The caller holds the table
  * lock.
  *
  * Temporary files do no harm but take room, and each look for them lists the whole timeline. So a process looks at a
  * table only once in the time after which a writer counts as dead, unless it is told to.
  */
private[rollback] final class Sweep(store: TimelineStore, pending: PendingWrites) {

  private val storage = store.storage
  private val basePath = store.basePath

  /** Looks for such files when that is due.
    *
    * @param alive
    *   owner files of writers that may be at work
    * @param atOnce
    *   true to look although it is not due
    */
  def run(alive: Seq[FileInfo], atOnce: Boolean): Unit =
    if (storage.usesTemporaries(basePath) && (atOnce || Sweep.isDue(storage, basePath))) {
      val folders = Seq(s"${basePath.stripSuffix("/")}/.hoodie", store.folder, WriteFolders.owners(basePath)).distinct
      val left = storage.list(folders).values.flatten.filter(f => !f.isDirectory && Temporaries.isTemporary(f.name))
      left.filter(f => alive.forall(f.modifiedMs < _.modifiedMs) && pending.isOld(f.modifiedMs))
        .foreach(f => storage.delete(f.path))
      Sweep.done(storage, basePath)
    }
}

private object Sweep {

  private val MaxTables = 256L

  // Time of the last look of a process at each table, by its own clock.
  private val last = new Cached(new WeightedCache[String, Long](MaxTables))

  // A look is due after the clock was set back, too.
  private def isDue(storage: Storage, basePath: String): Boolean =
    last.of(storage).get(key(basePath)).forall(at => math.abs(storage.clock.millis() - at) > Heartbeat.ExpiryMs)

  private def done(storage: Storage, basePath: String): Unit =
    last.of(storage).put(key(basePath), storage.clock.millis())

  private def key(basePath: String): String = basePath.stripSuffix("/")
}

package io.hudilite.transaction

import io.hudilite.config.CommitNotes
import io.hudilite.error.CommitConflict
import io.hudilite.table.{StatedFacts, Table}
import io.hudilite.timeline.{Action, Timeline}

/** Entries of a commit that its writer has it say, and those of earlier commits that it carries on. */
private[transaction] object CarriedFacts {

  /** Raises `CommitConflict` when the table has seen the version of the write, since another writer was first.
    *
    * @param now
    *   the timeline before the write completes
    */
  def entries(table: Table, instant: String, notes: CommitNotes, now: Timeline): Map[String, String] = {
    val stated = StatedFacts.of(table.store, now)
    for (write <- notes.version; number <- stated.seen(write))
      throw CommitConflict("COMMIT_CONFLICT", "instant" -> instant, "path" -> table.basePath,
        "reason" ->
          (s"the version $number of the application '${write.application}' was committed meanwhile, and this " +
            s"is its version ${write.number}"))
    val carried = if (isLast(table, instant, now)) stated.carriedOn(notes.version) else Map.empty[String, String]
    carried ++ notes.entries ++ notes.version.toSeq.flatMap(StatedFacts.entries)
  }

  /** No write comes later than this one, neither by its instant nor by its completion: readers look for the newest commit
    * by either. A plan that moves rows states nothing of its own.
    */
  private def isLast(table: Table, instant: String, now: Timeline): Boolean = {
    lazy val clusterings = table.store.pendingClusterings(now).map(_._1.time).toSet
    !now.writes.exists(_.time > instant) && !now.pendingWrites.exists(i =>
      i.time < instant && i.action != Action.Compaction && i.action != Action.LogCompaction && !clusterings(i.time))
  }
}

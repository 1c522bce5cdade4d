package io.hudilite.table

import io.hudilite.error.CommitConflict

/** A table that has changed since it was opened, so much that its files are gone. */
object Outdated {

  /** @param instant
    *   of the write whose file is gone
    */
  private[table] def apply(table: Table, instant: String): CommitConflict =
    CommitConflict("INSTANT_REMOVED", "instant" -> instant, "path" -> table.basePath)

  /** What `body` makes of a table, or `otherwise` where that is outdated, for who looks again under the lock. */
  def or[T](otherwise: => T)(body: => T): T =
    try body
    catch { case e: CommitConflict if e.condition == "INSTANT_REMOVED" => otherwise }
}

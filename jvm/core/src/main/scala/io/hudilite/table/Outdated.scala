package io.hudilite.table

import io.hudilite.error.CommitConflict

/** The error for a table that has changed so much since it was opened that its files are gone. */
object Outdated {

  /** @param instant
    *   instant of the write whose file is gone
    */
  private[table] def apply(table: Table, instant: String): CommitConflict =
    CommitConflict("INSTANT_REMOVED", "instant" -> instant, "path" -> table.basePath)

  /** Runs `body` on a table; where that is outdated, `otherwise`. For callers that look again under the lock. */
  def or[T](otherwise: => T)(body: => T): T =
    try body
    catch { case e: CommitConflict if e.condition == "INSTANT_REMOVED" => otherwise }
}

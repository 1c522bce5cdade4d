package io.hudilite.service.clean

import io.hudilite.config.service.CleaningPolicy
import io.hudilite.storage.{Cached, WeightedCache}
import io.hudilite.table.Table
import io.hudilite.timeline.Instant

/** Progress of cleaning in a table, as far as this process knows. A cleaning that finds nothing leaves no trace in the
  * timeline, and the next one should not look at its commits again.
  *
  * @param earliest
  *   first instant whose state was to stay whole
  * @param writes
  *   times of the writes that had completed
  * @param plan
  *   cleaning that was planned for the found files; once somebody has removed the plan, the files are still there
  */
private[clean] final case class CleanMemory(policy: CleaningPolicy, savepoints: Set[String], earliest: Option[String],
    writes: Set[String], plan: Option[String]) {

  /** True when all files that the commit replaced were looked at, and went or stay for good. */
  def covers(commit: Instant): Boolean = writes(commit.time) && earliest.forall(commit.time < _)
}

private[clean] object CleanMemory {

  private val MaxTables = 256L

  private val recent = new Cached(new WeightedCache[String, CleanMemory](MaxTables))

  def of(table: Table): Option[CleanMemory] =
    recent.of(table.storage).get(table.basePath).filter(_.plan.forall(table.timeline.contains))

  def put(table: Table, memory: CleanMemory): Unit = recent.of(table.storage).put(table.basePath, memory)
}

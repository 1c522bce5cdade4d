package io.hudilite.service.clean

import io.hudilite.config.service.CleaningPolicy
import io.hudilite.storage.{Cached, WeightedCache}
import io.hudilite.table.Table
import io.hudilite.timeline.Instant

/** How far cleaning has looked in a table, as far as this process knows: a cleaning that finds nothing leaves no trace in
  * the timeline, and the next one must not look at the same commits again.
  *
  * @param earliest
  *   first instant whose state was to stay whole
  * @param writes
  *   times of the writes that had completed
  * @param plan
  *   the cleaning that was planned for what was found; when somebody has taken the plan away all that is still there
  */
private[clean] final case class CleanMemory(policy: CleaningPolicy, savepoints: Set[String], earliest: Option[String],
    writes: Set[String], plan: Option[String]) {

  /** All that the commit replaced was looked at, and went or stays for good. */
  def covers(commit: Instant): Boolean = writes(commit.time) && earliest.forall(commit.time < _)
}

private[clean] object CleanMemory {

  private val MaxTables = 256L

  private val recent = new Cached(new WeightedCache[String, CleanMemory](MaxTables))

  def of(table: Table): Option[CleanMemory] =
    recent.of(table.storage).get(table.basePath).filter(_.plan.forall(table.timeline.contains))

  def put(table: Table, memory: CleanMemory): Unit = recent.of(table.storage).put(table.basePath, memory)
}

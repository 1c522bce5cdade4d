package io.hudilite.service.compact

import io.hudilite.config.service.{CompactionOptions, TriggerConf}
import io.hudilite.table.Table
import io.hudilite.timeline.{Action, InstantTime, Timeline}

import java.time.ZoneId

/** Work on a table since it was last compacted.
  *
  * @param sinceCompaction
  *   delta commits completed after the last completed compaction was requested, or ever
  * @param sinceRequest
  *   delta commits completed after the last compaction was requested, completed or not
  * @param seconds
  *   age of the last completed compaction, or else of the first delta commit; 0 when there is neither
  */
final case class DeltaProgress(sinceCompaction: Int, sinceRequest: Int, seconds: Long)

object DeltaProgress {

  def of(table: Table): DeltaProgress =
    of(table.timeline, table.storage.clock.millis(), table.config.zone(table.storage.clock))

  def of(timeline: Timeline, nowMs: Long, zone: ZoneId): DeltaProgress = {
    val deltas = timeline.writes.filter(_.action == Action.DeltaCommit)
    // In a merge-on-read table only compactions complete as plain commits.
    val compacted = timeline.writes.filter(_.action == Action.Commit).map(_.time).lastOption
    val requested = (timeline.pendingCompactions.map(_.time) ++ compacted).sorted.lastOption
    def after(time: Option[String]): Int = deltas.count(d => time.forall(d.completionTime.getOrElse(d.time) > _))
    val start = compacted.orElse(deltas.headOption.map(_.time))
    val millis = start.map(t => nowMs - InstantTime.toEpochMillis(t, zone)).getOrElse(0L)
    DeltaProgress(after(compacted), after(requested), math.max(millis, 0L) / 1000L)
  }
}

/** Decision if a compaction is due, by Apache Hudi's triggers: pure. */
object CompactionTrigger {

  import CompactionOptions._

  def isDue(conf: TriggerConf, progress: DeltaProgress): Boolean = {
    val enough = progress.sinceCompaction >= conf.maxCommits
    val late = progress.seconds >= conf.maxSeconds
    conf.strategy match {
      case NumCommits => enough
      case NumCommitsAfterLastRequest => progress.sinceRequest >= conf.maxCommits
      case TimeElapsed => late
      case NumAndTime => enough && late
      case NumOrTime => enough || late
      case other => throw new IllegalStateException(s"the trigger $other passed the option's check")
    }
  }
}

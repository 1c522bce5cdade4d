package io.hudilite.transaction.rollback

import io.hudilite.timeline.{Action, Instant, State, Timeline, TimelineStore}

/** What the next writer would take back before it does anything else, for those who only say what they would do: nothing is
  * written, not even to ask the storage for its time.
  */
private[hudilite] final class DeadWrites(store: TimelineStore, policy: ForeignWrites.Policy, self: Owner) {

  /** Pending writes and services under way whose writers are dead, or that somebody has begun to take back; the newest
    * first.
    */
  def of(timeline: Timeline): Seq[Instant] = found(timeline).map(_._1)

  /** The timeline after that; of a compaction or clustering its plan stays. */
  def without(timeline: Timeline): Timeline = {
    val left = found(timeline).map { case (i, plan) =>
      i -> (if (plan) Some(i.copy(state = State.Requested)) else None)
    }.toMap
    timeline.copy(instants = timeline.instants.flatMap(i => left.getOrElse(i, Some(i))))
  }

  /** With whether a plan stays of each. */
  private def found(timeline: Timeline): Seq[(Instant, Boolean)] = if (timeline.pendingWrites.isEmpty) Nil
  else {
    val clusterings = store.pendingClusterings(timeline).map(_._1.time).toSet
    lazy val condemned = Rollback.condemned(store, timeline)
    lazy val traces = new WriteTraces(store, policy, self, mayWrite = false)
    // What is only planned is nobody's.
    val worked = timeline.pendingWrites.filter(i =>
      i.state == State.Inflight || Action.Writes(i.action) && !clusterings(i.time))
    worked.reverse.filter(i => condemned(i.time) || isDead(traces, i)).map(i =>
      i -> (i.action == Action.Compaction || clusterings(i.time) && !condemned(i.time)))
  }

  private def isDead(traces: WriteTraces, instant: Instant): Boolean = traces.life(instant) match {
    case Life.Dead(_, isOwned) => isOwned || policy != ForeignWrites.Keep
    case _ => false
  }
}

package io.hudilite.transaction

import io.hudilite.error.{CommitConflict, CommitStateUnknown}
import io.hudilite.storage.Interrupts
import io.hudilite.timeline.{Action, Instant, State, Timeline, TimelineStore}

/** A look at the timeline by a write that has just completed, whether somebody has taken it for dead before it did
  * (docs/format.md#late-writes).
  *
  * Whoever takes a write back announces that first and looks then whether it has completed. So where no lock joins the
  * two, one of them sees what the other one has done.
  *
  * @param earlier
  *   rollbacks that had completed before this run began
  * @param planned
  *   it was planned by others, and is taken back to its plan
  */
private[transaction] final class LastLook(store: TimelineStore, instant: String, action: String, earlier: Set[String],
    planned: Boolean) {

  /** Raises `CommitConflict` when the write was taken back, and `CommitStateUnknown` when it may have been. */
  def check(completed: Instant): Unit = {
    val (states, rollback) = seen()
    rollback match {
      case Some(i) if i.isCompleted => throw takenBack(completed, s"the rollback ${i.time} has taken")
      case Some(i) => throw unknown(s"the rollback ${i.time} of it is under way")
      case None if states(State.Completed) && states(State.Inflight) =>
      case None if planned && states(State.Requested) => throw takenBack(completed, "another process has taken")
      case None => throw unknown("another process has removed its files from the timeline meanwhile")
    }
  }

  /** What the timeline has of the write, and a rollback of it. A failure leaves the outcome open, so there is a second
    * try, which no interrupt ends.
    */
  private def seen(): (Set[State], Option[Instant]) = {
    def look(): (Set[State], Option[Instant]) = {
      val (states, now) = store.look(instant, action)
      (states, LastLook.rollbackOf(store, instant, earlier, now))
    }
    try look()
    catch {
      case first: Throwable =>
        try Interrupts.after(first)(look())
        catch {
          case e: Throwable => throw unknown(s"whether others took it back could not be seen: ${e.getMessage}", e)
        }
    }
  }

  private def takenBack(completed: Instant, who: String): CommitConflict = {
    // Of another write the rollback that names it tells that it does not count.
    if (planned) store.withdraw(completed)
    CommitConflict("COMMIT_CONFLICT", "instant" -> instant, "path" -> store.basePath,
      "reason" -> s"$who it back before it completed, since its writer gave no sign of life")
  }

  private def unknown(reason: String, cause: Throwable = null): CommitStateUnknown = CommitStateUnknown.because(cause,
    "COMMIT_STATE_UNKNOWN", "instant" -> instant, "path" -> store.folder, "reason" -> reason)
}

private[transaction] object LastLook {

  /** A rollback of the write in this timeline, pending or completed since it began. */
  def rollbackOf(store: TimelineStore, instant: String, earlier: Set[String], now: Timeline): Option[Instant] =
    now.instants.filter(i => i.action == Action.Rollback && i.time > instant && !earlier(i.time))
      .find(store.targetOf(_).contains(instant))
}

package io.hudilite.transaction

import io.hudilite.error.{CommitConflict, CommitStateUnknown}
import io.hudilite.storage.Interrupts
import io.hudilite.timeline.{Action, CommitMetadata, Instant, State, Timeline, TimelineStore}
import io.hudilite.transaction.PlannedRun.Standing

/** A look at the timeline by a write that has just completed, whether somebody has taken it for dead before it did
  * (docs/format.md#late-writes).
  *
  * Whoever takes a write back announces that first and looks then whether it has completed. So where no lock joins the
  * two, one of them sees what the other one has done. Whoever takes a plan over has an owner file before anything else of
  * its run, until that has ended: so this is asked for before the timeline is.
  *
  * @param earlier
  *   rollbacks that had completed before this run began
  * @param planned
  *   it was planned by others, and is taken back to its plan
  */
private[transaction] final class LastLook(store: TimelineStore, instant: String, action: String, earlier: Set[String],
    planned: Boolean, run: PlannedRun) {

  import LastLook._

  /** Raises `CommitConflict` when the write was taken back, or another run of the same plan counts, and
    * `CommitStateUnknown` when either may be so.
    */
  def check(completed: Instant, metadata: CommitMetadata): Unit = {
    val now = seen(metadata)
    now.rollback match {
      case Some(i) if i.isCompleted => throw takenBack(completed, s"the rollback ${i.time} has taken")
      case Some(i) => throw unknown(s"the rollback ${i.time} of it is under way")
      case None if now.has(State.Completed) && now.has(State.Inflight) => checkRun(completed, now)
      // Its files are gone, whatever became of the plan: whoever saw it completed would miss their rows.
      case None if (planned && now.has(State.Requested)) || now.standing == Standing.Lost =>
        throw takenBack(completed, "another process has taken")
      case None => throw unknown("another process has removed its files from the timeline meanwhile")
    }
  }

  private def checkRun(completed: Instant, now: Seen): Unit = now.standing match {
    case Standing.Own =>
    case Standing.Untraced if now.states.count(_ == State.Completed) == 1 =>
    case Standing.Lost => throw takenBack(completed, "another process, which has run the plan itself, has taken")
    case _ => throw unknown("another process has run the same plan, to files of the same names")
  }

  /** State of the write in the timeline, and a rollback of it. A failure leaves the outcome open, so there is a second
    * try, which no interrupt ends.
    */
  private def seen(metadata: CommitMetadata): Seen = {
    def look(): Seen = {
      val standing = run.standing(metadata)
      val (states, now) = store.look(instant, action)
      Seen(standing, states, rollbackOf(store, instant, earlier, now))
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
    if (planned) withdraw(completed)
    CommitConflict("COMMIT_CONFLICT", "instant" -> instant, "path" -> store.basePath,
      "reason" -> s"$who it back before it completed, since its writer gave no sign of life")
  }

  private def withdraw(completed: Instant): Unit =
    try store.withdraw(completed)
    catch { case e: Throwable => throw unknown(s"it was taken back, and stays in the timeline: ${e.getMessage}", e) }

  private def unknown(reason: String, cause: Throwable = null): CommitStateUnknown = CommitStateUnknown.because(cause,
    "COMMIT_STATE_UNKNOWN", "instant" -> instant, "path" -> store.folder, "reason" -> reason)
}

private[transaction] object LastLook {

  /** @param states
    *   of each file that the timeline has of the write
    */
  private final case class Seen(standing: Standing, states: Seq[State], rollback: Option[Instant]) {
    def has(state: State): Boolean = states.contains(state)
  }

  /** A rollback of the write in this timeline, pending or completed since it began. */
  def rollbackOf(store: TimelineStore, instant: String, earlier: Set[String], now: Timeline): Option[Instant] =
    now.instants.filter(i => i.action == Action.Rollback && i.time > instant && !earlier(i.time))
      .find(store.targetOf(_).contains(instant))
}

package io.hudilite.transaction

import io.hudilite.error.{CommitConflict, CommitStateUnknown}
import io.hudilite.storage.Interrupts
import io.hudilite.timeline.{Action, CommitMetadata, Instant, State, Timeline, TimelineStore}
import io.hudilite.transaction.PlannedRun.Standing

/** A look at the timeline by a write that has just completed. It tells a write that somebody took for dead before
  * (docs/format.md#late-writes).
  *
  * A process that takes a write back announces the rollback first, and then looks for the completed file. So where no
  * lock joins the two, at least one sees the other. A process that takes a plan over keeps an owner file from the first
  * to the last step of its run. So the owner file is read before the timeline.
  *
  * @param earlier
  *   rollbacks that had completed before this run began
  * @param planned
  *   true when others have planned the action, so that it is taken back to its plan
  */
private[transaction] final class LastLook(store: TimelineStore, instant: String, action: String, earlier: Set[String],
    planned: Boolean, run: PlannedRun) {

  import LastLook._

  /** Raises `CommitConflict` when the write was taken back or another run of the plan counts, and `CommitStateUnknown`
    * when either is possible.
    */
  def check(completed: Instant, metadata: CommitMetadata): Unit = {
    val now = seen(metadata)
    now.rollback match {
      case Some(i) if i.isCompleted => throw takenBack(completed, s"the rollback ${i.time} has taken")
      case Some(i) => throw unknown(s"the rollback ${i.time} of it is under way")
      case None if now.has(State.Completed) && now.has(State.Inflight) => checkRun(completed, now)
      // The files of this run are gone, whatever became of the plan. Readers that saw it completed would miss their
      // rows.
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

  /** State of the write in the timeline, and a rollback of it. A failure here would leave the outcome open, so there is
    * a second try, which no interrupt ends.
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
    // A write that nobody planned needs no more: the rollback that names it tells readers that it does not count.
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

  /** State of a completed write.
    *
    * @param states
    *   states of the files that the timeline has of the write
    */
  private final case class Seen(standing: Standing, states: Seq[State], rollback: Option[Instant]) {
    def has(state: State): Boolean = states.contains(state)
  }

  /** A rollback of the write in this timeline, pending or completed since the write began. */
  def rollbackOf(store: TimelineStore, instant: String, earlier: Set[String], now: Timeline): Option[Instant] =
    now.instants.filter(i => i.action == Action.Rollback && i.time > instant && !earlier(i.time))
      .find(store.targetOf(_).contains(instant))
}

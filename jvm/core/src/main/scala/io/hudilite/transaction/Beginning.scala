package io.hudilite.transaction

import io.hudilite.error.CommitConflict
import io.hudilite.storage.Undo
import io.hudilite.table.Table
import io.hudilite.timeline.State
import io.hudilite.transaction.rollback.{Claim, Heartbeat, OwnerFile, WritePermit}

/** The first steps of a write, under the table lock: all of them are taken, or none is to be seen.
  *
  * @param planned
  *   the action was requested before, by others
  * @param claim
  *   ends when the owner file says the same
  */
private[transaction] final class Beginning(table: Table, instant: String, action: String, planned: Boolean,
    options: TransactionOptions, claim: Claim) {

  private val storage = table.storage
  private val basePath = table.basePath
  private val store = table.store
  private val permit = WritePermit.of(instant)
  private lazy val isTakenOver = new PlannedRun(storage, basePath, instant, options.process, planned).isTakenOver

  // How the steps so far are taken back, the last one first.
  private var undo: List[() => Unit] = Nil
  private var heartbeat: Option[Heartbeat] = None

  /** Makes the write's traces and its inflight instant. Leftovers of a failure that storage does not let go of are left to
    * the next writer, for whom this process has released the instant.
    */
  def run(): Begun =
    try steps()
    catch {
      case e: Throwable =>
        heartbeat.foreach(_.abandon())
        // One after another, and no further than the first that fails: the owner goes last, since it is by that file that
        // the next writer finds what is left.
        val failure = Undo.after(e)(undo.foreach(step => step()))
        options.process.ends(table.place, instant)
        throw failure
    }

  private def steps(): Begun = {
    // The owner comes first: a crash at any later point leaves an instant that says whose it was.
    step(if (!isTakenOver) OwnerFile.delete(storage, basePath, instant)) {
      if (!OwnerFile.write(storage, basePath, instant, options.process)) throw taken("another process works on it")
    }
    step(if (!isTakenOver) Heartbeat.delete(storage, basePath, instant)) {
      heartbeat = Some(Heartbeat.start(storage, basePath, instant))
    }
    step(permit.revoke(storage, basePath))(permit.issue(storage, basePath))
    if (!planned) step(store.withdraw(instant, action, State.Requested))(store.request(instant, action))
    step(store.withdraw(instant, action, State.Inflight)) {
      if (planned) store.toInflight(instant, action) else store.begin(instant, action)
    }
    step(())(claim.end())
    Begun(heartbeat.get, permit)
  }

  /** Takes a step. Whatever fails in it may still have been done; only what somebody else has done is not ours to take
    * back.
    */
  private def step(takeBack: => Unit)(take: => Unit): Unit = {
    undo = (() => takeBack) :: undo
    try take
    catch {
      case e: CommitConflict =>
        undo = undo.tail
        throw e
    }
  }

  private def taken(reason: String): CommitConflict =
    CommitConflict("INSTANT_TAKEN", "instant" -> instant, "path" -> basePath, "reason" -> reason)
}

/** The things that a write keeps alive once it has begun. */
private[transaction] final case class Begun(heartbeat: Heartbeat, permit: WritePermit)

package io.hudilite.transaction

import io.hudilite.error.CommitConflict
import io.hudilite.storage.Undo
import io.hudilite.table.Table
import io.hudilite.timeline.State
import io.hudilite.transaction.rollback.{Claim, Heartbeat, OwnerFile, WritePermit}

/** First steps of a write, under the table lock. Either all of them are taken, or none leaves a trace.
  *
  * @param planned
  *   true when others have requested the action before
  * @param claim
  *   claim of this process, which ends once the owner file says as much
  */
private[transaction] final class Beginning(table: Table, instant: String, action: String, planned: Boolean,
    options: TransactionOptions, claim: Claim) {

  private val storage = table.storage
  private val basePath = table.basePath
  private val store = table.store
  private val permit = WritePermit.of(instant)
  private lazy val isTakenOver = new PlannedRun(storage, basePath, instant, options.process, planned).isTakenOver

  // Inverses of the steps so far, the last one first.
  private var undo: List[() => Unit] = Nil
  private var heartbeat: Option[Heartbeat] = None

  /** Makes the write's traces and its inflight instant. After a failure, leftovers that the storage does not delete
    * stay for the next writer, to whom this process has released the instant.
    */
  def run(): Begun =
    try steps()
    catch {
      case e: Throwable =>
        heartbeat.foreach(_.abandon())
        // Steps are undone one after another, up to the first that fails. The owner file goes last, since the next
        // writer finds leftovers by it.
        val failure = Undo.after(e)(undo.foreach(step => step()))
        options.process.ends(table.place, instant)
        throw failure
    }

  private def steps(): Begun = {
    // The owner file comes first, so that a crash at any later point leaves an instant whose owner is known.
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

  /** Takes a step. A step that fails may still have had its effect, so it is undone too, unless the effect is somebody
    * else's.
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

/** Heartbeat and permit, which a write keeps alive once it has begun. */
private[transaction] final case class Begun(heartbeat: Heartbeat, permit: WritePermit)

package io.hudilite.transaction.rollback

import io.hudilite.storage.FileInfo
import io.hudilite.timeline.{Action, Instant, State, Timeline, TimelineStore}

import org.slf4j.LoggerFactory

/** Cleans up after hudilite processes that died; the caller holds the table lock.
  *
  * Only instants with an owner file are touched, and only when their owner is dead. Pending instants of other writers
  * stay as they are, expired heartbeat or not.
  *
  * @param self
  *   the process that asks
  * @param sweepsAtOnce
  *   as of [[Sweep]]
  */
private[transaction] final class Recovery(store: TimelineStore, self: Owner, sweepsAtOnce: Boolean) {

  import Recovery._

  private val storage = store.storage
  private val basePath = store.basePath
  private val liveness = new Liveness(storage, basePath, self)

  /** @param owners
    *   the files of their folder
    */
  def run(owners: Seq[FileInfo]): Unit = {
    // Beside the pending instants this finds what a crash before the request or after the completion left.
    val (alive, dead) = Owner.among(owners).partition(mayBeAlive)
    val (claims, writes) = dead.partition(file => Claim.isClaim(file.name))
    claims.foreach(file => Owner.delete(storage, basePath, file.name))
    if (writes.nonEmpty) {
      val timeline = store.load()
      writes.foreach(file => cleanUp(file.name, timeline))
    }
    new Sweep(store, liveness).run(alive, sweepsAtOnce)
  }

  // A file that is gone was its owner's to remove, who has done so.
  private def mayBeAlive(file: FileInfo): Boolean =
    Owner.read(storage, basePath, file.name).forall(liveness.mayBeAlive(_, file))

  private def cleanUp(instant: String, timeline: Timeline): Unit =
    timeline.instants.filter(i => i.time == instant && Action.Writes(i.comparableAction)) match {
      // A crash came before the request, or somebody else has rolled the instant back.
      case Seq() => rollBack(instant)
      case found => found.find(isUndone).fold(Traces.delete(storage, basePath, instant)) { pending =>
          log.warn(s"Rolling back $pending on $basePath: the process that wrote it is gone.")
          rollBack(instant)
        }
    }

  private def rollBack(instant: String): Unit = {
    new Rollback(store).run(instant)
    ()
  }

  // A plan that is not begun has its owner from a run that somebody had not ended to take back.
  private def isUndone(i: Instant): Boolean =
    if (i.isPending) Action.Writes(i.action) || runAgain(i.action) ||
    (i.state == State.Inflight && i.action == Action.LogCompaction)
    else Action.Writes(i.action) && store.isCutShort(i)
}

private object Recovery {
  private val runAgain = Set(Action.Compaction, Action.Clustering)
  private val log = LoggerFactory.getLogger("io.hudilite.transaction.Recovery")
}

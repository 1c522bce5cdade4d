package io.hudilite.transaction.rollback

import io.hudilite.config.TableConfig
import io.hudilite.error.CommitConflict
import io.hudilite.filegroup.{FileNames, FileSystemView, Partitions}
import io.hudilite.storage.FileInfo
import io.hudilite.timeline.{Action, Instant, State, Timeline, TimelineStore}
import io.hudilite.transaction.lock.Process

import org.slf4j.LoggerFactory

/** Takes back writes of dead writers. The caller holds the table lock.
  *
  * @param self
  *   process that asks
  * @param current
  *   properties of the table where the caller has read them under the lock
  */
private[hudilite] final class Recovery(store: TimelineStore, policy: ForeignWrites.Policy, self: Process,
    current: Option[TableConfig]) {

  import Recovery._

  private val storage = store.storage
  private val basePath = store.basePath
  private val pending = new PendingWrites(store, policy, self)

  /** Cleans up after hudilite processes that died. Only instants with an owner file are touched, and only when their
    * owner is dead. Pending instants of other writers stay as they are, with an expired heartbeat or without.
    *
    * @param owners
    *   files of the folder of owner files
    * @param sweepsAtOnce
    *   as `atOnce` of [[Sweep]]
    */
  def run(owners: Seq[FileInfo], sweepsAtOnce: Boolean): Unit = {
    // Besides pending instants, owner files show leftovers of crashes before the request and after the completion.
    val (alive, dead) = OwnerFile.among(owners).partition(pending.isAtWork)
    val (claims, writes) = dead.partition(file => Claim.isClaim(file.name))
    claims.foreach(file => OwnerFile.delete(storage, basePath, file.name))
    if (writes.nonEmpty) {
      val timeline = store.load()
      writes.foreach(file => cleanUp(file.name, timeline))
    }
    new Sweep(store, pending).run(alive, sweepsAtOnce)
  }

  private def cleanUp(instant: String, timeline: Timeline): Unit =
    timeline.instants.filter(i => i.time == instant && Action.Writes(i.comparableAction)) match {
      // A crash came before the request, or another process has rolled the instant back.
      case Seq() => takeBack(instant, Nil)
      case found => found.find(isUndone).fold(Rollback.deleteTraces(store, instant)) { pending =>
          log.warn(s"Rolling back $pending on $basePath: the process that wrote it is gone.")
          takeBack(instant, Nil)
        }
    }

  // A plan that is not begun has its owner from a run whose rollback was not ended.
  private def isUndone(i: Instant): Boolean =
    if (i.isPending) Action.Writes(i.action) || RunAgain(i.action) ||
    (i.state == State.Inflight && i.action == Action.LogCompaction)
    else Action.Writes(i.action) && store.isCutShort(i)

  /** Rolls back pending writes of other programs that the policy takes for dead, and returns the timeline after that.
    * Raises `WRITE_PENDING` for those that may be alive. They cannot be left pending without harm, because Apache Hudi
    * refuses to roll a write back once later ones have completed.
    */
  def settle(): Timeline = {
    val timeline = LateCommits.removed(store, store.load())
    val writes = timeline.pending.filter(i => Action.Writes(i.action))
    if (policy == ForeignWrites.Keep || writes.isEmpty) timeline
    else {
      val clusterings = store.pendingClusterings(timeline).map(_._1.time).toSet
      val foreign = writes.filterNot(i => pending.isOwned(i.time) || clusterings(i.time))
      lazy val condemned = Rollback.condemned(store, timeline)
      val (beside, others) = foreign.partition(i => !condemned(i.time) && goesOn(i))
      others.filterNot(i => condemned(i.time)).foreach(refusal(_).foreach(throw _))
      others.sortBy(_.time).reverse.foreach(rollBack)
      if (others.isEmpty) timeline else store.load()
    }
  }

  // A writer under a shared lock keeps its heartbeat, and looks for conflicts when it commits, as this one does.
  private def goesOn(instant: Instant): Boolean = policy == ForeignWrites.Beside && !pending.isOnlyHudis(instant) &&
    (pending.judge(instant) match {
      case PendingWrites.Alive(_) => true
      case _ => false
    })

  /** Error of a pending write of another program that is not rolled back; `None` when it may be. */
  private def refusal(instant: Instant): Option[CommitConflict] = pending.judge(instant) match {
    case PendingWrites.Dead(_, _) => None
    case _ if pending.isOnlyHudis(instant) =>
      Some(CommitConflict("DELTA_COMMIT_PENDING", "instant" -> instant.time, "path" -> basePath))
    case _ if policy == ForeignWrites.All => None
    case other => Some(CommitConflict("WRITE_PENDING", "instant" -> instant.time, "path" -> basePath,
          "reason" -> other.reason))
  }

  /** Rolls a write of another program back, whatever the policy. A service keeps its plan and nothing else. */
  def rollBack(instant: Instant): Unit = {
    log.warn(s"Rolling back $instant on $basePath, the pending write of another program.")
    takeBack(instant.time, filesOf(instant.time))
  }

  private def takeBack(time: String, written: Seq[String]): Unit = {
    new Rollback(store, current).run(time, written)
    ()
  }

  /** Relative paths of the data files with the instant in their names, since its markers may be of an unknown kind. */
  private def filesOf(time: String): Seq[String] =
    Partitions.discover(storage, basePath).toSeq.flatMap { case (partition, files) =>
      val bases = FileSystemView.baseFiles(partition, files).filter(_.instant == time).map(_.relativePath)
      val prefix = if (partition.isEmpty) "" else s"$partition/"
      bases ++ files.filter(f => FileNames.parseLogFile(f.name).exists(_.time == time)).map(f => prefix + f.name)
    }

  /** Removes the traces of an instant that has ended, and the files of one that the timeline never had or has no
    * longer. Writes before the active timeline are taken for completed, so that only their traces go.
    */
  def dropTraces(instant: String, timeline: Timeline): Unit =
    if (timeline.contains(instant) || timeline.beforeStart(instant)) Rollback.deleteTraces(store, instant)
    else takeBack(instant, Nil)
}

private object Recovery {
  private val RunAgain = Set(Action.Compaction, Action.Clustering)
  private val log = LoggerFactory.getLogger("io.hudilite.transaction.Recovery")
}

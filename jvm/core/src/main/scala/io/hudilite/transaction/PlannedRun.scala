package io.hudilite.transaction

import io.hudilite.error.CommitConflict
import io.hudilite.filegroup.Partitions
import io.hudilite.storage.Storage
import io.hudilite.timeline.{CommitMetadata, WriteFolders, WriteStat}
import io.hudilite.transaction.lock.{Owner, Process}
import io.hudilite.transaction.rollback.{OwnerFile, WritePermit}

/** One run of an action among others (docs/format.md#late-writes). A process that takes the one of a planned action for
  * dead leaves its plan, and may run that: then the inflight file, the markers and the owner file of the instant are the other run's.
  *
  * @param self
  *   the process of this run
  * @param planned
  *   the action was planned by others; of any other one nobody begins a second run
  */
private[transaction] final class PlannedRun(storage: Storage, basePath: String, instant: String, self: Process,
    planned: Boolean) {

  import PlannedRun._

  /** Another process runs the plan, or did when it died. */
  def isTakenOver: Boolean = planned && owner.exists(!self.isOwn(_))

  /** This process runs the plan once more, since others have taken the run with this permit back to its plan. */
  def isRunAgain(permit: WritePermit): Boolean = planned &&
    permit.isContested(storage.list(WriteFolders.owners(basePath))) && owner.exists(self.isOwn)

  /** Raises `COMMIT_CONFLICT` where another process may run the plan, or have run it: before files of the instant are
    * deleted that this run does not know.
    */
  def checkOwn(): Unit = if (planned && !owner.exists(self.isOwn))
    throw CommitConflict("COMMIT_CONFLICT", "instant" -> instant, "path" -> basePath,
      "reason" -> "its process gave no sign of life, so that another one has taken the plan over, and runs it itself")

  /** How it stands with this run after it has completed. */
  def standing(completed: CommitMetadata): Standing = if (!planned) Standing.Own
  else owner match {
    case Some(other) if self.isOwn(other) => Standing.Own
    case other if !areThere(completed.allStats) => Standing.Lost
    // Its traces are removed from a completed run, too, when its process is taken for dead.
    case other => if (other.isEmpty) Standing.Untraced else Standing.Shared
  }

  private def owner: Option[Owner] = OwnerFile.read(storage, basePath, instant)

  /** The base files, whole. Those of another run are others, but for a chance that gives them the same names: then they
    * have the same rows.
    */
  private def areThere(stats: Seq[WriteStat]): Boolean = {
    val bases = stats.filterNot(_.isLog)
    val found = Partitions.list(storage, basePath, bases.map(_.partitionPath))
      .flatMap { case (partition, files) => files.map(f => (partition, f.name) -> f.length) }
    bases.forall(s => found.get((s.partitionPath, s.fileName)).contains(s.fileSizeInBytes))
  }
}

private[transaction] object PlannedRun {

  /** State of a run that has completed. */
  sealed trait Standing

  object Standing {

    /** Nobody else has begun one. */
    case object Own extends Standing

    /** Its files are gone, as another run was begun. */
    case object Lost extends Standing

    /** Its files are there and its traces are not. */
    case object Untraced extends Standing

    /** Another run was begun, and has files of the same names. */
    case object Shared extends Standing
  }
}

package io.hudilite.transaction

import io.hudilite.error.CommitConflict
import io.hudilite.filegroup.Partitions
import io.hudilite.storage.Storage
import io.hudilite.timeline.{CommitMetadata, WriteFolders, WriteStat}
import io.hudilite.transaction.lock.{Owner, Process}
import io.hudilite.transaction.rollback.{OwnerFile, WritePermit}

/** One run of an action, of which there may be several (docs/format.md#late-writes). A process that takes the run of a
  * planned action for dead keeps the plan, and may run it. The inflight file, the markers and the owner file of the
  * instant belong to that other run then.
  *
  * @param self
  *   process of this run
  * @param planned
  *   true when others have planned the action; nobody begins a second run of any other
  */
private[transaction] final class PlannedRun(storage: Storage, basePath: String, instant: String, self: Process,
    planned: Boolean) {

  import PlannedRun._

  /** True when another process runs the plan, or ran it until it died. */
  def isTakenOver: Boolean = planned && owner.exists(!self.isOwn(_))

  /** True when this process runs the plan once more, since others have taken the run with this permit back to its plan. */
  def isRunAgain(permit: WritePermit): Boolean = planned &&
    permit.isContested(storage.list(WriteFolders.owners(basePath))) && owner.exists(self.isOwn)

  /** Raises `COMMIT_CONFLICT` where another process may run the plan, or have run it. To be called before files of the
    * instant are deleted that this run does not know.
    */
  def checkOwn(): Unit = if (planned && !owner.exists(self.isOwn))
    throw CommitConflict("COMMIT_CONFLICT", "instant" -> instant, "path" -> basePath,
      "reason" -> "its process gave no sign of life, so that another one has taken the plan over, and runs it itself")

  /** Standing of this run after it has completed. */
  def standing(completed: CommitMetadata): Standing = if (!planned) Standing.Own
  else owner match {
    case Some(other) if self.isOwn(other) => Standing.Own
    case other if !areThere(completed.allStats) => Standing.Lost
    // Traces of a completed run are removed, too, when its process is taken for dead.
    case other => if (other.isEmpty) Standing.Untraced else Standing.Shared
  }

  private def owner: Option[Owner] = OwnerFile.read(storage, basePath, instant)

  /** True when all base files are there and whole. Files of another run have other names; where by chance they have
    * equal names, they have equal rows.
    */
  private def areThere(stats: Seq[WriteStat]): Boolean = {
    val bases = stats.filterNot(_.isLog)
    val found = Partitions.list(storage, basePath, bases.map(_.partitionPath))
      .flatMap { case (partition, files) => files.map(f => (partition, f.name) -> f.length) }
    bases.forall(s => found.get((s.partitionPath, s.fileName)).contains(s.fileSizeInBytes))
  }
}

private[transaction] object PlannedRun {

  /** Standing of a completed run beside others of its plan. */
  sealed trait Standing

  object Standing {

    /** Nobody else has begun a run. */
    case object Own extends Standing

    /** The files of this run are gone, since another one was begun. */
    case object Lost extends Standing

    /** The files of this run are there, and its traces are gone. */
    case object Untraced extends Standing

    /** Another run was begun, and has files of equal names. */
    case object Shared extends Standing
  }
}

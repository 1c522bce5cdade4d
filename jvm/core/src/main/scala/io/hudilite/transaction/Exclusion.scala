package io.hudilite.transaction

import io.hudilite.error.CommitConflict
import io.hudilite.storage.{FileInfo, Storage, Undo}
import io.hudilite.timeline.WriteFolders
import io.hudilite.transaction.lock.{Owner, Process}
import io.hudilite.transaction.rollback.{Claim, Liveness, OwnerFile}

/** Exclusion of processes that the table lock does not join: one of two gives way (docs/format.md#concurrency).
  *
  * Each change of a table first makes a claim, and then looks for claims and writes of others. Of two that begin at one
  * time at least one sees the other. A write has its owner file before its claim goes.
  *
  * @param self
  *   this process
  */
private[hudilite] final class Exclusion(storage: Storage, basePath: String, self: Process) {

  private val place = storage.place(basePath)

  /** Runs `body` with a claim on the table, which `body` may end itself. Raises as [[check]]. */
  private[transaction] def claimed[T](body: (Claim, Seq[FileInfo]) => T): T = {
    val claim = Claim.take(storage, basePath, self)
    val result = try body(claim, check(claim.name))
    catch { case e: Throwable => throw Undo.after(e)(claim.end()) }
    claim.release()
    result
  }

  /** Runs `body` while no process beyond the reach of the lock is at work. */
  def alone[T](body: => T): T = claimed((_, _) => body)

  /** Raises `WRITER_NOT_EXCLUDED` while another process that may be alive is at work beyond the reach of the lock.
    *
    * @param ours
    *   instant of the calling write, or the name of its claim
    * @return
    *   all other files of the folder of owners
    */
  private[transaction] def check(ours: String): Seq[FileInfo] = {
    val listed = others(ours)
    found(listed).foreach { case (file, owner) => throw refused(file, owner) }
    listed
  }

  /** Checks as [[check]] does, at the end of a write. A process with a later claim sees the owner file of this write
    * and gives way, unless it takes the write for dead. So the check waits some time for such a claim to go.
    */
  private[transaction] def checkAtCommit(instant: String, claimWaitMs: Long): Seq[FileInfo] = {
    val listed = others(instant)
    found(listed) match {
      case None => listed
      case Some((file, _)) if Claim.isClaim(file.name) =>
        Thread.sleep(claimWaitMs)
        check(instant)
      case Some((file, owner)) => throw refused(file, owner)
    }
  }

  private def others(ours: String): Seq[FileInfo] =
    storage.list(WriteFolders.owners(basePath)).filter(_.name != ours)

  /** The first of these files, claims last, of another process that may be alive and that the lock does not join. */
  private def found(listed: Seq[FileInfo]): Option[(FileInfo, Owner)] = {
    val liveness = new Liveness(storage, basePath, self)
    OwnerFile.among(listed).iterator
      .flatMap(file => OwnerFile.read(storage, basePath, file.name).map(file -> _))
      .find { case (file, owner) =>
        !self.isOwn(owner) && !self.locks.joins(place, self.owner.machine, owner.machine) &&
        !self.owner.sharesLockFile(owner) &&
        liveness.mayBeAlive(owner, file)
      }
  }

  private def refused(file: FileInfo, owner: Owner): CommitConflict =
    CommitConflict("WRITER_NOT_EXCLUDED", "path" -> basePath, "instant" -> file.name,
      "process" -> (if (owner.host.isEmpty) "an unknown process" else s"process ${owner.pid} of ${owner.host}"))
}

package io.hudilite.transaction

import io.hudilite.error.CommitConflict
import io.hudilite.storage.{FileInfo, Storage, Undo}
import io.hudilite.timeline.WriteFolders
import io.hudilite.transaction.lock.{Owner, Process}
import io.hudilite.transaction.rollback.{Claim, Liveness, OwnerFile}

/** One of two processes gives way where the table lock does not reach the other (docs/format.md#concurrency).
  *
  * Each change of a table begins with a claim there and then a look for others', and for their writes: of two that begin at
  * one time at least one sees the other. A write has its owner file by the time that its claim goes.
  *
  * @param self
  *   the process that is at work
  */
private[hudilite] final class Exclusion(storage: Storage, basePath: String, self: Process) {

  private val place = storage.place(basePath)

  /** Runs `body` with a claim on the table, which it may end itself. Raises as [[check]]. */
  private[transaction] def claimed[T](body: (Claim, Seq[FileInfo]) => T): T = {
    val claim = Claim.take(storage, basePath, self)
    val result = try body(claim, check(claim.name))
    catch { case e: Throwable => throw Undo.after(e)(claim.end()) }
    claim.release()
    result
  }

  /** Runs `body` while no other process that no lock reaches is at work. */
  def alone[T](body: => T): T = claimed((_, _) => body)

  /** Raises `WRITER_NOT_EXCLUDED` while another process that may be alive is at work and no lock reaches it.
    *
    * @param ours
    *   the instant of the write that asks, or the name of its claim
    * @return
    *   all other files of the folder of owners
    */
  private[transaction] def check(ours: String): Seq[FileInfo] = {
    val listed = others(ours)
    found(listed).foreach { case (file, owner) => throw refused(file, owner) }
    listed
  }

  /** As [[check]] for a write that has been at work since it began: a process with a later claim sees its owner file and
    * gives way, unless it takes the write for dead. So a claim is given some time to go.
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

  /** The first of these files, claims last, whose process may be alive and is another one that no lock reaches. */
  private def found(listed: Seq[FileInfo]): Option[(FileInfo, Owner)] = {
    val liveness = new Liveness(storage, basePath, self)
    OwnerFile.among(listed).iterator
      .flatMap(file => OwnerFile.read(storage, basePath, file.name).map(file -> _))
      .find { case (file, owner) =>
        !self.isOwn(owner) && !self.locks.joins(place, self.owner.machine, owner.machine) &&
        liveness.mayBeAlive(owner, file)
      }
  }

  private def refused(file: FileInfo, owner: Owner): CommitConflict =
    CommitConflict("WRITER_NOT_EXCLUDED", "path" -> basePath, "instant" -> file.name,
      "process" -> (if (owner.host.isEmpty) "an unknown process" else s"process ${owner.pid} of ${owner.host}"))
}

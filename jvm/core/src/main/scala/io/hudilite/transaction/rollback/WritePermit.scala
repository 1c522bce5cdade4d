package io.hudilite.transaction.rollback

import io.hudilite.storage.{FileInfo, Storage}
import io.hudilite.timeline.WriteFolders

import java.util.UUID

/** Permission of the tasks of one run of a write to leave files in the table: a file that is there while the write
  * runs.
  *
  * Spark does not wait for tasks that it gives up, so one may go on after its write has ended, and would add files to
  * an instant that readers trust. So the driver takes the permit away before it looks for strays a last time, and a
  * task looks for the permit after each marker that it makes and when its files are whole. Either the driver sees the
  * marker, or the task sees that the permit is gone (docs/format.md#markers).
  *
  * @param run
  *   id that tells runs of one instant apart; a compaction may have several
  */
final case class WritePermit(instant: String, run: String) {

  def path(basePath: String): String = s"${WriteFolders.owners(basePath)}/$instant.$run"

  def isValid(storage: Storage, basePath: String): Boolean = storage.exists(path(basePath))

  /** True when another run of the instant may be under way, by the files of the folder: for example after two processes
    * won a name on a storage that allows it, one of them taken for dead and come back.
    */
  private[transaction] def isContested(listed: Seq[FileInfo]): Boolean =
    listed.exists(f => f.name.startsWith(s"$instant.") && f.name != s"$instant.$run")

  private[hudilite] def issue(storage: Storage, basePath: String): Unit =
    storage.replace(path(basePath), Array.emptyByteArray)

  private[transaction] def revoke(storage: Storage, basePath: String): Unit = {
    storage.delete(path(basePath))
    ()
  }
}

object WritePermit {

  private[transaction] def of(instant: String): WritePermit = WritePermit(instant, UUID.randomUUID().toString)

  /** Deletes all permits of an instant. */
  private[transaction] def deleteAll(storage: Storage, basePath: String, instant: String): Unit =
    storage.list(WriteFolders.owners(basePath)).filter(_.name.startsWith(s"$instant."))
      .foreach(f => storage.delete(f.path))
}

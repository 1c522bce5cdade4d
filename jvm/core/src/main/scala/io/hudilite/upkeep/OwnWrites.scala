package io.hudilite.upkeep

import io.hudilite.error.{CommitConflict, CorruptTable}
import io.hudilite.filegroup.FileNames
import io.hudilite.log.{BlockKind, HeaderKey, LogFileReader}
import io.hudilite.metadata.MetadataInstants
import io.hudilite.storage.FileInfo
import io.hudilite.timeline.{Action, Instant, Timeline}

/** Writes of a metadata table that are taken back since the action of their instant did not complete, or is tried again.
  *
  * Files are found by a listing, so that also what nobody named is. No rollback is recorded: nobody has trusted the write,
  * and what the table records of its own write tells all.
  */
private[hudilite] final class OwnWrites(home: MetadataHome) {

  import OwnWrites._

  private val storage = home.storage

  /** As [[takeBack]], before the action of this instant is tried again. Raises `CommitConflict` where another run of it has
    * completed, whose write counts.
    */
  def makeWay(instant: String): Unit = {
    if (hasCompleted(instant) && home.data.load().completed.exists(_.time == instant))
      throw CommitConflict("INSTANT_TAKEN", "instant" -> instant, "path" -> home.basePath,
        "reason" -> "it has completed meanwhile")
    takeBack(instant)
    ()
  }

  /** Removes all traces of the write of this instant. The completed state goes first, then files, then the pending states,
    * by which the next writer finds what is left.
    *
    * @return
    *   false where there was none
    */
  def takeBack(instant: String): Boolean = {
    val found = of(instant)
    found.foreach(remove)
    found.nonEmpty
  }

  /** Takes initialisations back that were cut off, and that nobody will end.
    *
    * @param own
    *   timeline of the metadata table
    */
  def dropInitialisations(own: Timeline): Unit =
    own.pending.filter(i => i.action == Action.DeltaCommit && MetadataInstants.isMade(i.time)).foreach(remove)

  /** The metadata table has a completed write of this instant. */
  def hasCompleted(instant: String): Boolean = of(instant).exists(_.isCompleted)

  private def of(instant: String): Seq[Instant] =
    home.timeline.instants.filter(i => i.time == instant && i.comparableAction == Action.DeltaCommit)

  private def remove(write: Instant): Unit = {
    if (write.isCompleted) home.store.withdraw(write)
    storage.list(home.folder).filter(f => f.isDirectory && f.name != TableFolder).foreach { folder =>
      storage.list(folder.path).filter(isOf(_, write.time)).foreach(file => storage.delete(file.path))
    }
    home.store.delete(write)
  }

  /** The file has been made by this write and by no other. Only an initialisation makes base files: another one that bears
    * the instant is a compaction's.
    */
  private def isOf(file: FileInfo, instant: String): Boolean =
    (MetadataInstants.isInitial(instant) && FileNames.parseBaseFile(file.name).exists(_.instant == instant)) ||
      FileNames.parseLogFile(file.name).exists(log =>
        if (home.version >= GroupFiles.LogsNameTheirWrite) log.time == instant else isAllOf(file, instant))

  // Before version 8 a log file bears the instant of its slice. Each write of ours has one of its own, but programs that
  // append to files leave some that cannot go.
  private def isAllOf(file: FileInfo, instant: String): Boolean = {
    val instants = LogFileReader.blocks(storage, file.path, file.length).filter(_.kind != BlockKind.Corrupt)
      .flatMap(_.headers.get(HeaderKey.InstantTime)).toSet
    if (instants(instant) && instants.size > 1) throw CorruptTable("CORRUPT_FILE", "path" -> file.path,
      "reason" -> s"it holds records of $instant, which is taken back, beside those of other writes")
    instants(instant)
  }
}

private object OwnWrites {
  val TableFolder = ".hoodie"
}

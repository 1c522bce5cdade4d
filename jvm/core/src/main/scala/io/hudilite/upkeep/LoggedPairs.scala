package io.hudilite.upkeep

import io.hudilite.error.CorruptTable
import io.hudilite.filegroup.{BaseFile, FileNames, FileSlice, LogFile}
import io.hudilite.metadata.{SecondaryIndex, SecondaryKey}
import io.hudilite.record.KeyChange
import io.hudilite.storage.Storage
import io.hudilite.table.KeysOfFiles
import io.hudilite.timeline.WriteStat

/** Pairs that come to a file group and leave it where log files are merged before a write, after it, or both: those of the
  * rows that a reader sees. So it is right whatever a merge makes of a record.
  *
  * @param logs
  *   log files of the write, outside of whose keys no row changes; `None` where all rows may
  * @param merged
  *   reads slices with log files
  */
private[upkeep] final case class LoggedPairs(basePath: String, index: SecondaryIndex, before: Option[FileSlice],
    after: Option[FileSlice], logs: Option[Seq[SizedFile]], merged: MergedPairs, override val estimate: Long)
    extends KeySource {

  override def inTasks: Boolean = true

  override def changes(storage: Storage): Iterator[KeyChange] = {
    // As many as the task had in memory that has written them.
    val keys = logs.map(_.iterator.flatMap(log => new KeysOfFiles(storage).ofLog(log.path, log.bytes)).map(_._1).toSet)
    def wanted(slice: FileSlice): Iterator[SecondaryKey] =
      LoggedPairs.of(storage, basePath, index, slice, Some(merged)).filter(pair => keys.forall(_(pair.recordKey)))
    def changed(slice: FileSlice, comes: Boolean): Iterator[KeyChange] = {
      val (group, limit) = (Some(slice.fileId), ChangedPairs.limit(index, slice.paths.last))
      wanted(slice).map(pair => KeyChange.of(limit.checked(pair.text), slice.partition, group, comes))
    }
    before.iterator.flatMap(changed(_, comes = false)) ++ after.iterator.flatMap(changed(_, comes = true))
  }
}

private[upkeep] object LoggedPairs {

  // Of a slice of which nobody counts the rows.
  private val RowBytes = 50L

  /** All pairs of the rows of a slice come. */
  def staying(basePath: String, slice: FileSlice, index: SecondaryIndex, merged: MergedPairs): KeySource =
    LoggedPairs(basePath, index, None, Some(slice), None, merged, estimateOf(slice))

  /** All pairs of the rows of a slice leave. */
  def leaving(basePath: String, slice: FileSlice, index: SecondaryIndex, merged: MergedPairs): KeySource =
    LoggedPairs(basePath, index, Some(slice), None, None, merged, estimateOf(slice))

  /** The changes of a file group by the files that a write has made in it: log files, or a base file.
    *
    * @param before
    *   the slice before it
    * @param all
    *   rows that the write has not touched are told, too
    */
  def written(basePath: String, stats: Seq[WriteStat], before: Option[FileSlice], index: SecondaryIndex, all: Boolean,
      merged: MergedPairs): KeySource = {
    val (own, bases) = stats.partition(_.isLog)
    val slice = after(stats.head, bases.headOption, own, before)
    val logs = own.map(stat => SizedFile(s"${basePath.stripSuffix("/")}/${stat.path}", stat.fileSizeInBytes))
    val touched = if (all || bases.nonEmpty) None else Some(logs)
    // Rows that are read: it is for the choice between driver and tasks.
    LoggedPairs(basePath, index, before, Some(slice), touched, merged, (before.toSeq :+ slice).map(estimateOf).sum)
  }

  private def after(one: WriteStat, base: Option[WriteStat], logs: Seq[WriteStat], before: Option[FileSlice])
      : FileSlice = {
    val own = logs.flatMap(logOf)
    base.flatMap(baseOf).map(file => FileSlice(one.partitionPath, one.fileId, file.instant, Some(file), own)).getOrElse(
      // The newest to complete, so that its records come last.
      before.fold(FileSlice(one.partitionPath, one.fileId, own.head.time, None, own))(slice =>
        slice.copy(logs = slice.logs ++ own)))
  }

  private def baseOf(stat: WriteStat): Option[BaseFile] = FileNames.parseBaseFile(stat.fileName).map(name =>
    BaseFile(stat.partitionPath, stat.fileName, name.fileId, name.writeToken, name.instant, stat.fileSizeInBytes))

  private def logOf(stat: WriteStat): Option[LogFile] = FileNames.parseLogFile(stat.fileName).map(name =>
    LogFile(stat.partitionPath, stat.fileName, name.fileId, name.time, name.version, name.writeToken,
      stat.fileSizeInBytes))

  private def estimateOf(slice: FileSlice): Long = slice.totalLength / RowBytes + 1

  /** The pairs of the rows of a slice.
    *
    * @param merged
    *   reads it where it has log files
    */
  def of(storage: Storage, basePath: String, index: SecondaryIndex, slice: FileSlice, merged: Option[MergedPairs])
      : Iterator[SecondaryKey] =
    if (slice.logs.isEmpty) ChangedPairs.rows(storage, basePath, slice, index)
    else merged.getOrElse(throw untold(basePath, slice.fileId, index)).of(slice)

  def untold(basePath: String, fileId: String, index: SecondaryIndex): CorruptTable =
    CorruptTable("CORRUPT_FILE", "path" -> basePath,
      "reason" -> s"$fileId has log files, which are not merged here for ${index.partition.name}")
}

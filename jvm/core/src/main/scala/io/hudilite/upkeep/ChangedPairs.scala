package io.hudilite.upkeep

import io.hudilite.error.CorruptTable
import io.hudilite.filegroup.{BaseFile, FileNames, FileSlice, LogFile, Partitions}
import io.hudilite.metadata.{MetadataKeys, SecondaryIndex, SecondaryKey}
import io.hudilite.metadata.known.{ValuesOfFile, ValuesOfFiles}
import io.hudilite.record.KeyChange
import io.hudilite.storage.{Closing, Storage}
import io.hudilite.table.KeysOfFiles
import io.hudilite.timeline.WriteStat

import scala.collection.BufferedIterator

/** Pairs of a value and a record key that come to a file group and leave it, as its base files tell before and after a
  * write. Rows that stay with their value are none, where both files are sorted; else each pair leaves, and those that are
  * there come. `UNSUPPORTED_TABLE_FEATURE` is raised at a pair that is longer than a key of an HFile.
  *
  * @param index
  *   as the table has it
  * @param all
  *   rows that stay are told in any case
  */
private[upkeep] final case class ChangedPairs(index: SecondaryIndex, partition: String, fileId: String,
    before: Option[SizedFile], after: Option[SizedFile], all: Boolean = false) extends KeySource {

  import ChangedPairs._

  override def estimate: Long = (before.toSeq ++ after).map(_.bytes).sum / RowBytes + 1

  override def changes(storage: Storage): Iterator[KeyChange] = {
    val files = new ValuesOfFiles(storage, index.column, index.kind)
    var opened = List.empty[ValuesOfFile]
    def open(file: SizedFile): ValuesOfFile = {
      val found = files.open(file.path, file.bytes)
      opened = found :: opened
      found
    }
    Closing.after(() => opened.foreach(_.close())) {
      val (old, now) = (before.map(open), after.map(open))
      if (!all && (old ++ now).forall(_.isSorted)) merged(runs(old), runs(now))
      else old.iterator.flatten.map(pair => left(pair.text)) ++ now.iterator.flatten.map(pair => came(pair.text))
    }
  }

  private def runs(rows: Option[ValuesOfFile]): BufferedIterator[Run] = new Runs(rows.iterator.flatten).buffered

  private def merged(old: BufferedIterator[Run], now: BufferedIterator[Run]): Iterator[KeyChange] =
    Iterator.continually(()).takeWhile(_ => old.hasNext || now.hasNext).flatMap { _ => // hot path
      val side =
        if (!old.hasNext) 1
        else if (!now.hasNext) -1
        else if (old.head.key == now.head.key) 0
        else MetadataKeys.order.compare(old.head.key, now.head.key)
      val was = if (side <= 0) old.next().pairs else Set.empty[String]
      val is = if (side >= 0) now.next().pairs else Set.empty[String]
      (was -- is).toSeq.map(left) ++ (is -- was).map(came)
    }

  private def left(pair: String): KeyChange = KeyChange(ofBefore.checked(pair), partition, None, Some(fileId))

  private def came(pair: String): KeyChange = KeyChange(ofAfter.checked(pair), partition, Some(fileId))

  private lazy val ofBefore = limit(index, before.fold(partition)(_.path))
  private lazy val ofAfter = limit(index, after.fold(partition)(_.path))
}

private[upkeep] object ChangedPairs {

  // Of a file of which nobody counts the rows.
  private val RowBytes = 50L

  /** All pairs of the rows of a slice without log files come. */
  def staying(basePath: String, slice: FileSlice, index: SecondaryIndex): ChangedPairs =
    ChangedPairs(index, slice.partition, slice.fileId, None, file(basePath, slice))

  /** All pairs of the rows of a slice without log files leave. */
  def leaving(basePath: String, slice: FileSlice, index: SecondaryIndex): ChangedPairs =
    ChangedPairs(index, slice.partition, slice.fileId, file(basePath, slice), None)

  /** The changes of a file group by a base file that a write has made.
    *
    * @param before
    *   the slice before it
    */
  def written(basePath: String, stat: WriteStat, before: Option[FileSlice], index: SecondaryIndex, all: Boolean)
      : ChangedPairs =
    ChangedPairs(index, stat.partitionPath, stat.fileId, before.flatMap(file(basePath, _)),
      Some(SizedFile(s"${basePath.stripSuffix("/")}/${stat.path}", stat.fileSizeInBytes)), all)

  private def file(basePath: String, slice: FileSlice): Option[SizedFile] = {
    val folder = Partitions.directory(basePath.stripSuffix("/"), slice.partition)
    slice.base.map(base => SizedFile(s"$folder/${base.name}", base.length))
  }

  /** The pairs of the rows of a slice without log files. */
  def rows(storage: Storage, basePath: String, slice: FileSlice, index: SecondaryIndex): Iterator[SecondaryKey] =
    file(basePath, slice).fold(Iterator.empty: Iterator[SecondaryKey]) { of =>
      val found = new ValuesOfFiles(storage, index.column, index.kind).open(of.path, of.bytes)
      new Closing(() => found.close(), found)
    }

  /** Of pairs that files of this path have. */
  def limit(index: SecondaryIndex, path: String): KeyLimit =
    KeyLimit(path, s"a secondary index of the column ${index.column}", "a value with its record key")

  /** The pairs of rows of one key that follow each other. */
  private final case class Run(key: String, pairs: Set[String])

  private final class Runs(rows: Iterator[SecondaryKey]) extends Iterator[Run] {

    private val ahead = rows.buffered

    override def hasNext: Boolean = ahead.hasNext

    override def next(): Run = { // hot path
      val first = ahead.next()
      var pairs = Set(first.text)
      while (ahead.hasNext && ahead.head.recordKey == first.recordKey) pairs += ahead.next().text
      Run(first.recordKey, pairs)
    }
  }
}

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

  // In the memory of a task; without them pairs that stay are dealt, too, and left out where they arrive.
  private val MostKeys = 500000L

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
    val records = own.map(stat => stat.numInserts + stat.numUpdateWrites + stat.numDeletes).sum
    val touched = if (all || bases.nonEmpty || before.isEmpty || records > MostKeys) None else Some(logs)
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

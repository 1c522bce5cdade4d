package io.hudilite.filegroup

import io.hudilite.error.CorruptTable
import io.hudilite.storage.FileInfo
import io.hudilite.timeline.{CommitMetadata, WriteStat}

/** Log files that completed writes say they made. From version 8 on a log file is made by one write and then stays as
  * it is, so a listing can be compared with it (docs/format.md#log-files).
  *
  * @param byInstant
  *   log files by instant of the write and by relative path
  */
final case class NamedLogs(basePath: String, byInstant: Map[String, Map[String, WriteStat]]) {

  private lazy val byPartition: Map[String, Seq[(String, WriteStat)]] =
    (for ((instant, files) <- byInstant.toSeq; stat <- files.values) yield instant -> stat)
      .groupBy { case (_, stat) => stat.partitionPath }

  /** Partitions that the files lie in. */
  def partitions: Iterable[String] = byPartition.keys

  /** The listed log files of these writes that none of them names, by relative path. A retried task left them, or they
    * are older than the table's version.
    */
  def strays(listing: Map[String, Seq[FileInfo]]): Set[String] =
    if (byInstant.isEmpty) Set.empty
    else (for {
      (partition, files) <- listing.iterator
      file <- files.iterator
      named <- FileNames.parseLogFile(file.name).filterNot(_.isCdc).flatMap(n => byInstant.get(n.time)).iterator
      path = FileSlice.join(partition, file.name) if !named.contains(path)
    } yield path).toSet

  /** Log files of this partition that a counted write has named and no listing shows, by file id. */
  private[filegroup] def missing(
      partition: String, listed: Set[String], isCommitted: String => Boolean): Map[String, Seq[LogFile]] = {
    val lost = for {
      (instant, stat) <- byPartition.getOrElse(partition, Nil) if !listed(stat.fileName) && isCommitted(instant)
      name <- FileNames.parseLogFile(stat.fileName).filterNot(_.isCdc)
    } yield LogFile(partition, stat.fileName, stat.fileId, name.time, name.version, name.writeToken, NamedLogs.Missing)
    lost.groupBy(_.fileId)
  }

  /** Damage of a log file of a slice: it is gone, or not as it was written. */
  def damage(log: LogFile): Option[CorruptTable] = {
    def damaged(reason: String): CorruptTable =
      CorruptTable("CORRUPT_FILE", "path" -> FileSlice.join(basePath.stripSuffix("/"), log.relativePath),
        "reason" -> reason)
    if (NamedLogs.isMissing(log)) Some(damaged(s"the write ${log.time} made it, but it is gone"))
    else byInstant.get(log.time).flatMap(_.get(log.relativePath)).map(_.fileSizeInBytes)
      .filter(bytes => bytes > 0 && bytes != log.length)
      .map(bytes => damaged(s"it has ${log.length} bytes instead of the $bytes that the write ${log.time} left"))
  }
}

object NamedLogs {

  /** The length of a log file that is not there. */
  private val Missing = -1L

  /** A write has named the log file, and no listing has it. */
  def isMissing(log: LogFile): Boolean = log.length == Missing

  /** Nothing is known of any log file. */
  val None: NamedLogs = NamedLogs("", Map.empty)

  /** @param commits
    *   instants with their metadata
    * @param partitions
    *   partitions whose listings are compared with it
    */
  def of(basePath: String, commits: Seq[(String, CommitMetadata)], partitions: Set[String]): NamedLogs =
    NamedLogs(basePath,
      commits.map { case (instant, metadata) =>
        instant -> metadata.allStats.filter(s => s.isLog && partitions(s.partitionPath)).map(s => s.path -> s).toMap
      }.toMap)
}

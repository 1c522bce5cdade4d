package io.hudilite.filegroup

/** Names a file group of a table. */
final case class FileGroupId(partition: String, fileId: String)

/** One base file. `partition` is the partition path, empty for an unpartitioned table; `length` is in bytes. */
final case class BaseFile(
    partition: String, name: String, fileId: String, writeToken: String, instant: String, length: Long) {

  /** Path below the table's base path. */
  def relativePath: String = FileSlice.join(partition, name)
}

/** One log file. `time` is the time in its name, see [[LogFileName]]. */
final case class LogFile(
    partition: String, name: String, fileId: String, time: String, version: Int, writeToken: Option[String],
    length: Long) {

  def relativePath: String = FileSlice.join(partition, name)
}

/** A file group at one base instant: a base file, if any, and the log files on top, oldest first. */
final case class FileSlice(
    partition: String, fileId: String, instant: String, base: Option[BaseFile], logs: Seq[LogFile]) {

  def groupId: FileGroupId = FileGroupId(partition, fileId)

  /** Paths of its files below the table's base path. */
  def paths: Seq[String] = base.map(_.relativePath).toSeq ++ logs.map(_.relativePath)

  /** Names of its files. */
  def names: Seq[String] = base.map(_.name).toSeq ++ logs.map(_.name)

  def totalLength: Long = base.map(_.length).getOrElse(0L) + logs.map(_.length).sum
}

object FileSlice {

  /** A slice of this base file alone. */
  def ofBase(file: BaseFile): FileSlice = FileSlice(file.partition, file.fileId, file.instant, Some(file), Nil)

  private[filegroup] def join(partition: String, name: String): String =
    if (partition.isEmpty) name else s"$partition/$name"
}

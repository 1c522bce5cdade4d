package io.hudilite.filegroup

/** Names a file group of a table. */
final case class FileGroupId(partition: String, fileId: String)

/** A file outside of the table, that was there before it was bootstrapped. Its rows are those of a skeleton, one by one.
  *
  * @param path
  *   absolute, with its scheme
  * @param length
  *   bytes when the table was bootstrapped
  */
final case class SourceFile(path: String, length: Long)

/** One base file. `partition` is the partition path, empty for an unpartitioned table; `length` is in bytes.
  *
  * @param source
  *   of a skeleton, which has only meta columns: the file with the others
  */
final case class BaseFile(partition: String, name: String, fileId: String, writeToken: String, instant: String,
    length: Long, source: Option[SourceFile] = None) {

  /** Bytes of the file and of its source. */
  def bytes: Long = length + source.fold(0L)(_.length)

  /** The source, as [[source]]; a skeleton of which nobody has looked for it is a bug of the caller, who would lose the other
    * columns.
    */
  private[hudilite] def sourceOfSkeleton: Option[SourceFile] = {
    if (source.isEmpty && BootstrapIndex.isSkeleton(this))
      throw new IllegalStateException(s"the skeleton $relativePath without its source")
    source
  }

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

  def totalLength: Long = base.map(_.bytes).getOrElse(0L) + logs.map(_.length).sum
}

object FileSlice {

  /** A slice of this base file alone. */
  def ofBase(file: BaseFile): FileSlice = FileSlice(file.partition, file.fileId, file.instant, Some(file), Nil)

  private[filegroup] def join(partition: String, name: String): String =
    if (partition.isEmpty) name else s"$partition/$name"
}

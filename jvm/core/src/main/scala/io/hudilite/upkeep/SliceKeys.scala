package io.hudilite.upkeep

import io.hudilite.filegroup.{FileSlice, Partitions}
import io.hudilite.record.KeyChange

import io.hudilite.storage.Storage
import io.hudilite.table.KeysOfFiles
import io.hudilite.timeline.WriteStat

/** The keys of a base file.
  *
  * @param fileId
  *   file group that has them from now on; `None` where they leave the partition
  */
private[upkeep] final case class BaseFileKeys(path: String, bytes: Long, partition: String, fileId: Option[String],
    estimate: Long) extends KeySource {
  override def changes(storage: Storage): Iterator[KeyChange] =
    new KeysOfFiles(storage).ofBase(path, bytes).map(KeyChange(_, partition, fileId))
}

/** The keys of a log file: those of its records are in this file group, or leave the partition where there is none, and
  * deleted ones leave it.
  */
private[upkeep] final case class LogFileKeys(path: String, bytes: Long, partition: String, fileId: Option[String],
    estimate: Long) extends KeySource {
  override def changes(storage: Storage): Iterator[KeyChange] =
    new KeysOfFiles(storage).ofLog(path, bytes).map { case (key, isThere) =>
      KeyChange(key, partition, fileId.filter(_ => isThere))
    }
}

private[upkeep] object SliceKeys {

  // Of a file of which nobody counts the rows.
  private val RowBytes = 50L

  /** Keys of the files of a slice, which leave its partition; more than those of its rows, where its log files delete some.
    */
  def leaving(basePath: String, slice: FileSlice): Seq[KeySource] = of(basePath, slice, None)

  /** Keys of the base file of a slice without log files. */
  def staying(basePath: String, slice: FileSlice): Seq[KeySource] = of(basePath, slice, Some(slice.fileId))

  private def of(basePath: String, slice: FileSlice, fileId: Option[String]): Seq[KeySource] = {
    val folder = Partitions.directory(basePath.stripSuffix("/"), slice.partition)
    slice.base.map(b =>
      BaseFileKeys(s"$folder/${b.name}", b.length, slice.partition, fileId, b.length / RowBytes)).toSeq ++
      slice.logs.map(l => LogFileKeys(s"$folder/${l.name}", l.length, slice.partition, fileId, l.length / RowBytes))
  }

  /** Keys of a base file that a write has made. */
  def written(basePath: String, stat: WriteStat): KeySource = {
    BaseFileKeys(s"${basePath.stripSuffix("/")}/${stat.path}", stat.fileSizeInBytes, stat.partitionPath,
      Some(stat.fileId), math.max(stat.numWrites, 1L))
  }
}

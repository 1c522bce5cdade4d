package io.hudilite.upkeep

import io.hudilite.filegroup.{FileSlice, Partitions}
import io.hudilite.record.KeyChange

import io.hudilite.storage.Storage
import io.hudilite.table.KeysOfFiles
import io.hudilite.timeline.WriteStat

/** The keys of a base file.
  *
  * @param fileId
  *   file group of the file
  * @param stays
  *   the group has them from now on; otherwise they leave it
  */
private[upkeep] final case class BaseFileKeys(path: String, bytes: Long, partition: String, fileId: String,
    stays: Boolean, estimate: Long) extends KeySource {
  override def changes(storage: Storage): Iterator[KeyChange] = {
    val group = Some(fileId)
    new KeysOfFiles(storage).ofBase(path, bytes).map(KeyChange.of(_, partition, group, stays))
  }
}

/** The keys of a log file: those of its records stay in this file group or leave it, and deleted ones leave it. */
private[upkeep] final case class LogFileKeys(path: String, bytes: Long, partition: String, fileId: String,
    stays: Boolean, estimate: Long) extends KeySource {
  override def changes(storage: Storage): Iterator[KeyChange] = {
    val group = Some(fileId)
    new KeysOfFiles(storage).ofLog(path, bytes).map { case (key, isThere) =>
      KeyChange.of(key, partition, group, stays && isThere)
    }
  }
}

private[upkeep] object SliceKeys {

  // Of a file of which nobody counts the rows.
  private val RowBytes = 50L

  /** Keys of the files of a slice, which leave it; more than those of its rows, where its log files delete some. */
  def leaving(basePath: String, slice: FileSlice): Seq[KeySource] = of(basePath, slice, stays = false)

  /** Keys of the base file of a slice without log files. */
  def staying(basePath: String, slice: FileSlice): Seq[KeySource] = of(basePath, slice, stays = true)

  private def of(basePath: String, slice: FileSlice, stays: Boolean): Seq[KeySource] = {
    val folder = Partitions.directory(basePath.stripSuffix("/"), slice.partition)
    slice.base.map(b =>
      BaseFileKeys(s"$folder/${b.name}", b.length, slice.partition, slice.fileId, stays, b.length / RowBytes)).toSeq ++
      slice.logs.map(l =>
        LogFileKeys(s"$folder/${l.name}", l.length, slice.partition, slice.fileId, stays, l.length / RowBytes))
  }

  /** Keys of a base file that a write has made. */
  def written(basePath: String, stat: WriteStat): KeySource = {
    BaseFileKeys(s"${basePath.stripSuffix("/")}/${stat.path}", stat.fileSizeInBytes, stat.partitionPath,
      stat.fileId, stays = true, math.max(stat.numWrites, 1L))
  }
}

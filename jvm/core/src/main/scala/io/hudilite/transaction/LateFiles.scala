package io.hudilite.transaction

import io.hudilite.filegroup.{FileSystemView, Partitions}
import io.hudilite.table.Table
import io.hudilite.timeline.WriteStat

/** Base files that a failed run of an instant has left. A task that outlived the run may have written one after the
  * clean-up, and readers list folders.
  */
object LateFiles {

  /** Deletes the base files of the instant in these partitions that no stat names. To be called before the instant
    * completes. Raises `CommitConflict` where the files may be those of another run that has begun since.
    */
  def delete(table: Table, running: Transaction, partitions: Iterable[String], stats: Seq[WriteStat]): Unit = {
    val named = stats.map(_.path).toSet
    val late = for {
      (partition, files) <- Partitions.list(table.storage, table.basePath, partitions.toSeq).toSeq
      file <- FileSystemView.baseFiles(partition, files)
      if file.instant == running.instant && !named(file.relativePath)
    } yield s"${Partitions.directory(table.basePath, partition)}/${file.name}"
    if (late.nonEmpty) running.checkOwn()
    late.foreach(table.storage.delete(_))
  }
}

package io.hudilite.service.clean

import io.hudilite.filegroup.{FileNames, Partitions}
import io.hudilite.storage.{FileInfo, Storage}
import io.hudilite.table.Table
import io.hudilite.timeline.{Action, Timeline}

/** Folders of partitions whose files a cleaning has deleted (docs/format.md#cleaning). The caller holds the table lock.
  *
  * A program beyond the reach of the lock, such as Apache Hudi, may write to a partition at any time. It announces its
  * write before it looks for the mark that makes the folder a partition. So the mark is deleted first, and then the
  * timeline is read: it has each write that saw the mark, and then the mark is put back.
  */
private[clean] final class EmptiedPartitions(table: Table) {

  private val storage: Storage = table.storage

  /** Removes the folders of these partitions as far as they hold nothing but the mark, and returns the partitions that
    * are gone.
    */
  def remove(partitions: Seq[String]): Set[String] = {
    val before = if (partitions.isEmpty) None else Some(table.store.load())
    before.toSeq.flatMap { timeline =>
      val listed = Partitions.list(storage, table.basePath, partitions.filter(_.nonEmpty)).toSeq
      // An earlier run of the cleaning may have ended between the two steps.
      listed.filter { case (_, files) => holdsData(files) && !files.exists(isMark) }.foreach(p => mark(p._1, timeline))
      if (timeline.pendingWrites.nonEmpty) Nil
      else unmarked(listed.collect { case (partition, files) if files.forall(isMark) => partition -> files }, timeline)
    }.toSet
  }

  private def unmarked(empty: Seq[(String, Seq[FileInfo])], before: Timeline): Seq[String] = {
    empty.flatMap(_._2).foreach(file => storage.delete(file.path))
    if (empty.nonEmpty && hasNewWrites(before)) {
      empty.foreach(p => mark(p._1, before))
      Nil
    } else empty.map(_._1).filter(isGone)
  }

  private def hasNewWrites(before: Timeline): Boolean = {
    val known = before.instants.map(_.time).toSet
    table.store.load().instants.exists(i => Action.Writes(i.comparableAction) && !known(i.time))
  }

  private def isGone(partition: String): Boolean = {
    val folder = Partitions.directory(table.basePath, partition)
    storage.deleteIfEmpty(folder)
    !storage.exists(folder)
  }

  private def mark(partition: String, timeline: Timeline): Unit = Partitions.createMetadata(storage, table.basePath,
    partition, timeline.writes.lastOption.map(_.time).getOrElse(""))

  private def isMark(file: FileInfo): Boolean = !file.isDirectory && FileNames.isPartitionMetadata(file.name)

  private def holdsData(files: Seq[FileInfo]): Boolean =
    files.exists(f => FileNames.parseBaseFile(f.name).isDefined || FileNames.parseLogFile(f.name).isDefined)
}

package io.hudilite.table

import io.hudilite.filegroup.{FileSlice, FolderContent, FolderSource, PartitionWalk, PathSelection}
import io.hudilite.storage.FileInfo

import java.util.concurrent.ConcurrentHashMap

/** The file slices of one state of a table, by partition: an index that is filled by what is asked of it and remembers
  * no more than that. Nothing is read twice, whichever way it was asked for. Safe for threads.
  *
  * @param folders
  *   what lies in the table's folders
  * @param view
  *   the newest slices of the state, from the files of some partitions
  * @param known
  *   slices by partition, as far as they are known
  */
final class TableFiles private[table] (
    folders: FolderSource, view: Map[String, Seq[FileInfo]] => Map[String, Seq[FileSlice]],
    known: ConcurrentHashMap[String, Seq[FileSlice]] = new ConcurrentHashMap[String, Seq[FileSlice]]()) {

  /** The newest slice of each file group of a partition; none when there is no such partition. */
  def slices(partition: String): Seq[FileSlice] = slices(Seq(partition)).getOrElse(partition, Nil)

  /** The same for each of these partitions. */
  def slices(partitions: Seq[String]): Map[String, Seq[FileSlice]] = {
    val unknown = partitions.filterNot(known.containsKey).distinct
    if (unknown.nonEmpty) folders.read(unknown).foreach { case (path, folder) => add(path, folder) }
    partitions.map(partition => partition -> known.get(partition)).toMap
  }

  /** The slices of the wanted partitions, by partition, each as it is reached: who stops early has read little. */
  def iterator(selection: PathSelection = PathSelection.All): Iterator[(String, Seq[FileSlice])] =
    PartitionWalk.of(folders, selection).map { case (path, folder) => path -> add(path, folder) }

  /** The slices of the wanted partitions. */
  def find(selection: PathSelection): Map[String, Seq[FileSlice]] = iterator(selection).toMap

  /** Paths of the wanted partitions, sorted; the unpartitioned table has the one empty path. */
  def partitions(selection: PathSelection = PathSelection.All): Seq[String] =
    PartitionWalk.of(folders, selection).map(_._1).toList.sorted

  // Two threads may come to the same, which does no harm.
  private def add(path: String, folder: FolderContent): Seq[FileSlice] = known.get(path) match {
    case null =>
      val slices = if (folder.isPartition) view(Map(path -> folder.files)).getOrElse(path, Nil) else Nil
      known.put(path, slices)
      slices
    case there => there
  }
}

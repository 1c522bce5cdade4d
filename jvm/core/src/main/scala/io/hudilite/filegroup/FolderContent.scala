package io.hudilite.filegroup

import io.hudilite.storage.{FileInfo, Storage}

import java.util.concurrent.ConcurrentHashMap

/** What a folder of a table holds.
  *
  * @param files
  *   of a partition its files, else nothing
  * @param folders
  *   paths of the folders in it that can be partitions or lead to some, sorted
  */
final case class FolderContent(isPartition: Boolean, files: Seq[FileInfo], folders: Seq[String])

/** Where it is known from what lies in the folders of a table. */
trait FolderSource {

  /** Each of these folders, by path below the table's base path; one that does not exist is empty. */
  def read(paths: Seq[String]): Map[String, FolderContent]
}

/** One listing a folder. */
final class ListedFolders(storage: Storage, basePath: String) extends FolderSource {
  override def read(paths: Seq[String]): Map[String, FolderContent] =
    Partitions.list(storage, basePath, paths).map { case (path, found) => path -> Partitions.folder(path, found) }
}

/** Folders read so far, each once; for threads that ask at the same time, too. */
final class KeptFolders(source: FolderSource, kept: ConcurrentHashMap[String, FolderContent]) extends FolderSource {

  override def read(paths: Seq[String]): Map[String, FolderContent] = {
    if (paths.exists(!kept.containsKey(_))) bring(paths)
    paths.map(path => path -> kept.get(path)).toMap
  }

  private def bring(paths: Seq[String]): Unit = kept.synchronized {
    val missing = paths.filterNot(kept.containsKey).distinct
    if (missing.nonEmpty) source.read(missing).foreach { case (path, folder) => kept.put(path, folder) }
  }
}

package io.hudilite.filegroup

import io.hudilite.storage.{FileInfo, Storage, TableStorage}

import java.util.concurrent.ConcurrentHashMap

/** Content of a folder of a table.
  *
  * @param files
  *   files of a partition; empty for other folders
  * @param folders
  *   paths of the folders in it that can be partitions or lead to some, sorted; a partition can have such, too
  * @param links
  *   the symbolic links in it that lead to folders
  * @param outside
  *   place of a partition behind a symbolic link
  */
final case class FolderContent(
    isPartition: Boolean, files: Seq[FileInfo], folders: Seq[String], links: Seq[FileInfo] = Nil,
    outside: Option[String] = None)

object FolderContent {
  private[filegroup] val Nothing: FolderContent = FolderContent(isPartition = false, Nil, Nil)
}

/** A source of the contents of a table's folders. */
trait FolderSource {

  def basePath: String

  /** Each of these folders, by path below the table's base path. One that does not exist is empty, and so is one that
    * no partition can be in.
    */
  def read(paths: Seq[String]): Map[String, FolderContent]

  /** Paths of all partitions, sorted, where they are known without a search through the folders. */
  def partitions: Option[Seq[String]] = None
}

/** One listing a folder. */
final class ListedFolders(all: Storage, override val basePath: String) extends FolderSource {

  private val storage = TableStorage.of(all, basePath)
  private lazy val base = storage.realFolder(basePath).map(_.stripSuffix("/") + "/")

  override def read(paths: Seq[String]): Map[String, FolderContent] = {
    val (possible, others) = paths.partition(Partitions.mayBe)
    val listed = Partitions.list(storage, basePath, possible).map { case (path, found) =>
      val folder = Partitions.folder(path, found)
      path -> (if (folder.isPartition) folder.copy(outside = outside(path)) else folder)
    }
    listed ++ others.map(_ -> FolderContent.Nothing)
  }

  private def outside(path: String): Option[String] = for {
    top <- base
    real <- storage.realFolder(Partitions.directory(basePath, path)) if !s"$real/".startsWith(top)
  } yield real
}

/** Folders read so far, each once, also for threads that ask at one time. */
final class KeptFolders(source: FolderSource, kept: ConcurrentHashMap[String, FolderContent]) extends FolderSource {

  override def basePath: String = source.basePath

  override def partitions: Option[Seq[String]] = source.partitions

  override def read(paths: Seq[String]): Map[String, FolderContent] = {
    if (paths.exists(!kept.containsKey(_))) bring(paths)
    paths.map(path => path -> kept.get(path)).toMap
  }

  private def bring(paths: Seq[String]): Unit = kept.synchronized {
    val missing = paths.filterNot(kept.containsKey).distinct
    if (missing.nonEmpty) source.read(missing).foreach { case (path, folder) => kept.put(path, folder) }
  }
}

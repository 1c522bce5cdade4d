package io.hudilite.filegroup

import io.hudilite.storage.{FileInfo, Storage}

import java.nio.charset.StandardCharsets

/** Finds and marks the partitions of a table (docs/format.md#partitions). */
object Partitions {

  private val TableFolder = ".hoodie"

  /** Every partition with the files of its directory; each directory is listed once.
    *
    * A directory is a partition when it holds the partition marker; nothing below a partition is looked at. The
    * unpartitioned table is the partition with the empty path.
    */
  def discover(storage: Storage, basePath: String): Map[String, Seq[FileInfo]] =
    PartitionWalk.of(new ListedFolders(storage, basePath), PathSelection.All)
      .map { case (path, folder) => path -> folder.files }.toMap

  /** What the listing of a directory says of it. */
  private[filegroup] def folder(path: String, found: Seq[FileInfo]): FolderContent =
    if (isPartition(found)) FolderContent(isPartition = true, found, Nil)
    else FolderContent(isPartition = false, Nil, subdirectories(path, found).sorted)

  /** The files of the given partitions, one listing each. */
  def list(storage: Storage, basePath: String, partitions: Seq[String]): Map[String, Seq[FileInfo]] = {
    val directories = partitions.distinct.map(p => p -> directory(basePath, p))
    val listed = storage.list(directories.map(_._2))
    directories.map { case (partition, path) => partition -> listed.getOrElse(path, Nil) }.toMap
  }

  /** Absolute path of a partition's directory. */
  def directory(basePath: String, partition: String): String =
    FileSlice.join(basePath.stripSuffix("/"), partition).stripSuffix("/")

  /** Marks a directory as a partition created by `instant`, unless it is marked already. */
  def createMetadata(storage: Storage, basePath: String, partition: String, instant: String): Unit = {
    val depth = if (partition.isEmpty) 0 else partition.count(_ == '/') + 1
    val text = s"#partition metadata\ncommitTime=$instant\npartitionDepth=$depth\n"
    val path = s"${directory(basePath, partition)}/${FileNames.PartitionMetadata}"
    storage.createNew(path, text.getBytes(StandardCharsets.ISO_8859_1))
    ()
  }

  private def isPartition(files: Seq[FileInfo]): Boolean =
    files.exists(f => !f.isDirectory && FileNames.isPartitionMetadata(f.name))

  private def subdirectories(path: String, children: Seq[FileInfo]): Seq[String] =
    children.filter(c => c.isDirectory && !c.name.startsWith(".") && c.name != TableFolder)
      .map(c => FileSlice.join(path, c.name))
}

package io.hudilite.filegroup

import io.hudilite.error.UnsupportedTable
import io.hudilite.storage.{FileInfo, Storage, TablePath, TableStorage}

import java.nio.charset.StandardCharsets

/** Finds and marks the partitions of a table (docs/format.md#partitions). */
object Partitions {

  private val TableFolder = ".hoodie"

  /** Every partition with the files of its directory; each directory is listed once.
    *
    * A directory is a partition when it holds the partition marker, wherever it lies: in the table's own folder, below
    * another partition, or below a name that begins with a dot. The unpartitioned table is the partition with the empty
    * path. Only the folder of table files is passed over.
    */
  def discover(storage: Storage, basePath: String): Map[String, Seq[FileInfo]] =
    PartitionWalk.of(new ListedFolders(storage, basePath), PathSelection.All)
      .map { case (path, folder) => path -> folder.files }.toMap

  /** The content of a directory, from its listing. */
  private[filegroup] def folder(path: String, found: Seq[FileInfo]): FolderContent = {
    val marked = isPartition(found)
    val links = found.filter(_.leadsTo.nonEmpty)
    FolderContent(marked, if (marked) found else Nil, subdirectories(path, found).sorted, links)
  }

  /** True when a folder of this path can be a partition or lead to one. */
  private[hudilite] def mayBe(path: String): Boolean =
    TablePath.isNormal(path) && path.takeWhile(_ != '/') != TableFolder

  /** True when the path leads through a folder named like that of table files. Only the folders above tell if it
    * counts.
    */
  private[filegroup] def isDoubtful(path: String): Boolean = path.split('/').contains(TableFolder)

  /** Each link leads out of the table. Two links that lead to common files raise `UnsupportedTable`. */
  private[filegroup] def checkLinks(basePath: String, links: Seq[FileInfo]): Unit = {
    val sorted = links.flatMap(link => link.leadsTo.map(target => s"$target/" -> link))
      .sortBy { case (target, link) => (target, link.path) }
    sorted.zip(sorted.drop(1)).foreach { case ((target, one), (next, other)) =>
      if (next.startsWith(target)) throw foundTwice(basePath, one.path, other.path)
    }
  }

  /** Does the check of [[checkLinks]] for partitions that were not reached from above. */
  private[filegroup] def checkPlaces(basePath: String, partitions: Map[String, FolderContent]): Unit =
    partitions.toSeq.flatMap { case (path, folder) => folder.outside.map(_ -> directory(basePath, path)) }
      .groupBy(_._1).values.map(_.map(_._2).sorted).find(_.size > 1)
      .foreach(same => throw foundTwice(basePath, same.head, same(1)))

  private def foundTwice(basePath: String, one: String, other: String): UnsupportedTable = UnsupportedTable(
    "UNSUPPORTED_LINK", "table" -> basePath, "path" -> other, "reason" -> s"it leads to files that $one leads to, too")

  /** The files of the given partitions, one listing each. */
  def list(storage: Storage, basePath: String, partitions: Seq[String]): Map[String, Seq[FileInfo]] = {
    val directories = partitions.distinct.map(p => p -> directory(basePath, p))
    val listed = TableStorage.of(storage, basePath).list(directories.map(_._2))
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

  // A table's folder below its root belongs to another table, unless the marker says that it is a partition.
  private def subdirectories(path: String, children: Seq[FileInfo]): Seq[String] =
    if (nameOf(path) == TableFolder && !isPartition(children)) Nil
    else children.filter(c => c.isDirectory && !(path.isEmpty && c.name == TableFolder))
      .map(c => FileSlice.join(path, c.name))

  private def nameOf(path: String): String = path.substring(path.lastIndexOf('/') + 1)
}

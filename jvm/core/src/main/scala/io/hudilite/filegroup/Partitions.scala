package io.hudilite.filegroup

import io.hudilite.storage.{FileInfo, Storage}

import java.nio.charset.StandardCharsets

/** Finds and marks the partitions of a table (docs/format.md#partitions). */
object Partitions {

  private val TableFolder = ".hoodie"

  /** Every partition with the files of its directory, from one breadth-first pass that lists each directory once.
    *
    * A directory is a partition when it holds the partition marker; nothing below a partition is looked at. The
    * unpartitioned table is the partition with the empty path.
    */
  def discover(storage: Storage, basePath: String): Map[String, Seq[FileInfo]] = {
    @annotation.tailrec
    def descend(level: Seq[String], found: Map[String, Seq[FileInfo]]): Map[String, Seq[FileInfo]] =
      if (level.isEmpty) found
      else {
        val (partitions, folders) = list(storage, basePath, level).partition { case (_, files) => isPartition(files) }
        val next = folders.toSeq.flatMap { case (path, children) => subdirectories(path, children) }
        descend(next, found ++ partitions)
      }
    descend(Seq(""), Map.empty)
  }

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

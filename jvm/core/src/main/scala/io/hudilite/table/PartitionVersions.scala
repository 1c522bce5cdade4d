package io.hudilite.table

import io.hudilite.filegroup.{FileNames, FileSlice, FileSystemView}
import io.hudilite.storage.FileInfo

/** All committed files of one partition, past versions included.
  *
  * @param groups
  *   the slices of each live file group, newest first
  * @param replaced
  *   instant at which a file group was replaced, and its slices
  * @param listing
  *   files in the partition's folder
  */
final case class PartitionVersions(partition: String, groups: Seq[Seq[FileSlice]],
    replaced: Seq[(String, Seq[FileSlice])], listing: Seq[FileInfo]) {

  /** True when the folder holds only its marker once these files are gone. Paths are below the table's base path. */
  def isLeftEmptyBy(gone: Seq[String]): Boolean = {
    val names = gone.map(path => path.substring(path.lastIndexOf('/') + 1)).toSet
    partition.nonEmpty && groups.isEmpty &&
    listing.forall(f => !f.isDirectory && (names(f.name) || FileNames.isPartitionMetadata(f.name)))
  }
}

object PartitionVersions {

  /** Reads the folders of these partitions. */
  def of(table: Table, partitions: Seq[String]): Seq[PartitionVersions] = {
    val listing = table.listing(partitions)
    val all = FileSystemView.groups(table.everything.copy(replaced = Set.empty), table.committedFiles(listing))
    partitions.map { partition =>
      val (gone, live) = all.getOrElse(partition, Nil).partition(_.headOption.exists(s =>
          table.replacedAt.contains(s.groupId)))
      PartitionVersions(partition, live, gone.map(slices => table.replacedAt(slices.head.groupId) -> slices),
        listing.getOrElse(partition, Nil))
    }
  }
}

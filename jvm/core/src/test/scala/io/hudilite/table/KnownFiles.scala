package io.hudilite.table

import scala.collection.JavaConverters._

/** Files of a table's snapshot that this process keeps.
  *
  * @param folders
  *   paths of the folders that were listed
  * @param files
  *   number of files in them
  * @param partitions
  *   number of partitions whose file slices are known
  */
final case class KnownFiles(folders: Set[String], files: Int, partitions: Int)

object KnownFiles {

  /** Counts the kept files of the snapshot, each time that it is asked. */
  def watch(table: Table): () => KnownFiles = {
    val memory = FileMemory.of(table.storage, table.basePath, table.config, table.timeline)
    () => {
      val folders = memory.folders.asScala.toMap
      KnownFiles(folders.keySet, folders.values.map(_.files.size).sum, folders.keys.count(memory.slices.has))
    }
  }
}

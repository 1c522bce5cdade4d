package io.hudilite.table

import scala.collection.JavaConverters._

/** What this process keeps of the files of a table's snapshot.
  *
  * @param folders
  *   paths of the folders that were listed
  * @param files
  *   how many files they hold
  * @param partitions
  *   how many of them file slices are known of
  */
final case class KnownFiles(folders: Set[String], files: Int, partitions: Int)

object KnownFiles {

  /** Tells what is kept of the snapshot, each time that it is asked. */
  def watch(table: Table): () => KnownFiles = {
    val memory = FileMemory.of(table)
    () => {
      val folders = memory.folders.asScala.toMap
      KnownFiles(folders.keySet, folders.values.map(_.files.size).sum, folders.keys.count(memory.slices.has))
    }
  }
}

package io.hudilite.transaction

import io.hudilite.storage.Storage

/** Folder of a new table as it was before the table was made. To be made and used under the table lock.
  *
  * @param locks
  *   names of the lock files, in the order in which they are removed
  * @param pathExisted
  *   true when there was a folder at the path
  */
private[transaction] final class NewTableFolder(storage: Storage, basePath: String, locks: Seq[String],
    pathExisted: Boolean) {

  private val folder = s"$basePath/.hoodie"
  private val before = storage.list(folder).map(_.name).toSet -- locks

  /** Removes the folders that a table without properties has added, as far as they are empty. The lock files and the
    * folder go last, and only together. A writer that waits for the lock may make a table as soon as they are gone, and
    * its files stay.
    */
  def clear(): Unit = {
    storage.list(folder).filter(f => f.isDirectory && !before(f.name)).foreach(f => removeEmpty(f.path))
    val left = storage.list(folder).map(_.name).toSet
    if ((left -- locks).isEmpty) {
      locks.filter(left).foreach(name => storage.delete(s"$folder/$name"))
      storage.deleteIfEmpty(folder)
    }
    if (!pathExisted) storage.deleteIfEmpty(basePath)
  }

  private def removeEmpty(directory: String): Unit = {
    storage.list(directory).filter(_.isDirectory).foreach(f => removeEmpty(f.path))
    storage.deleteIfEmpty(directory)
  }
}

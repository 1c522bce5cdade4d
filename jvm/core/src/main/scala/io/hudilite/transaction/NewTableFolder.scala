package io.hudilite.transaction

import io.hudilite.storage.Storage
import io.hudilite.transaction.lock.Lock

/** What lay at the path of a new table before it was made; made and asked under the table lock.
  *
  * @param pathExisted
  *   whether there was a folder at the path
  */
private[transaction] final class NewTableFolder(storage: Storage, basePath: String, pathExisted: Boolean) {

  private val folder = s"$basePath/.hoodie"
  private val before = storage.list(folder).map(_.name).toSet -- Lock.FileNames

  /** Removes the folders that a table without properties has added, as far as they are empty. The lock files and the folder
    * go last, and only with each other: who waits for the lock may make a table as soon as they are gone, and what that one
    * makes stays.
    */
  def clear(): Unit = {
    storage.list(folder).filter(f => f.isDirectory && !before(f.name)).foreach(f => removeEmpty(f.path))
    val left = storage.list(folder).map(_.name).toSet
    if ((left -- Lock.FileNames).isEmpty) {
      Lock.FileNames.filter(left).foreach(name => storage.delete(s"$folder/$name"))
      storage.deleteIfEmpty(folder)
    }
    if (!pathExisted) storage.deleteIfEmpty(basePath)
  }

  private def removeEmpty(directory: String): Unit = {
    storage.list(directory).filter(_.isDirectory).foreach(f => removeEmpty(f.path))
    storage.deleteIfEmpty(directory)
  }
}

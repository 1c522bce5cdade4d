package io.hudilite.transaction

import io.hudilite.storage.Storage
import io.hudilite.transaction.lock.Lock

/** What lay at the path of a new table before it was made; made and asked under the table lock.
  *
  * @param pathExisted
  *   whether there was a folder at the path
  */
private[transaction] final class NewTablePlace(storage: Storage, basePath: String, pathExisted: Boolean) {

  private val folder = s"$basePath/.hoodie"
  private val before = storage.list(folder).map(_.name).toSet - Lock.FileName

  /** Removes what a table without properties has added. The lock file and the folder go last: who waits for the lock may
    * make a table as soon as the file is gone, and what that one makes stays.
    */
  def clear(): Unit = {
    val (lock, others) = storage.list(folder).map(_.name).filterNot(before).partition(_ == Lock.FileName)
    (others ++ lock).foreach(name => storage.delete(s"$folder/$name"))
    storage.deleteIfEmpty(folder)
    if (!pathExisted) storage.deleteIfEmpty(basePath)
  }
}

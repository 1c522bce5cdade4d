package io.hudilite.transaction.rollback

import io.hudilite.storage.{Storage, Temporaries}
import io.hudilite.timeline.WriteFolders

/** The time of the storage: what a file that is written now is dated.
  *
  * The age of another writer's file is told by it, so that no machine's clock can make a writer that is alive look dead.
  */
private[rollback] object StorageTime {

  /** Epoch milliseconds. */
  def now(storage: Storage, basePath: String): Long = {
    val folder = WriteFolders.owners(basePath)
    val name = Temporaries.nameFor("now")
    storage.replace(s"$folder/$name", Array.emptyByteArray)
    try storage.list(folder).find(_.name == name).map(_.modifiedMs).getOrElse(
        throw new IllegalStateException(s"$folder/$name was written and is not listed"))
    finally storage.delete(s"$folder/$name")
  }
}

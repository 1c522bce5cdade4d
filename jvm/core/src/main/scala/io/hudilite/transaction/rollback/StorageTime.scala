package io.hudilite.transaction.rollback

import io.hudilite.storage.{Storage, Temporaries}
import io.hudilite.timeline.WriteFolders

/** Time of the storage, by the date of a file that is written now.
  *
  * Ages of other writers' files are computed from it, so that no machine's clock can make a live writer look dead.
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

package io.hudilite.storage

/** Time of the storage, by the date of a file that is written now.
  *
  * Ages of other writers' files are computed from it, so that no machine's clock can make a live writer look dead.
  */
private[hudilite] object StorageTime {

  /** Epoch milliseconds.
    *
    * @param folder
    *   takes a file for a moment
    */
  def now(storage: Storage, folder: String): Long = {
    val name = Temporaries.nameFor("now")
    storage.replace(s"$folder/$name", Array.emptyByteArray)
    try storage.list(folder).find(_.name == name).map(_.modifiedMs).getOrElse(
        throw new IllegalStateException(s"$folder/$name was written and is not listed"))
    finally storage.delete(s"$folder/$name")
  }
}

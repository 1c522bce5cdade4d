package io.hudilite.metadata.stored

import io.hudilite.filegroup.FileSlice
import io.hudilite.metadata.{MetadataInstants, MetadataRecord}
import io.hudilite.storage.Storage

/** Reads the merged records of file slices of a metadata table as it was opened; ships to tasks. */
final class StoredSlices private[stored] (folder: String, version: Int, instants: MetadataInstants)
    extends Serializable {

  /** The records come one after the other; what log files say of them is in memory. Whoever does not take all of them
    * closes the iterator, where it is a `Closeable`.
    */
  def of(storage: Storage, slice: FileSlice): Iterator[MetadataRecord] =
    new SliceRecords(storage, folder, new SliceBlocks(storage, folder, version, instants.counts).of).of(slice)
}

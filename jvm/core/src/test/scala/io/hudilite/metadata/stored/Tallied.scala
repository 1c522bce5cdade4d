package io.hudilite.metadata.stored

import io.hudilite.filegroup.FileSlice
import io.hudilite.storage.Storage

/** Records of slices of an index as they are counted. */
object Tallied {

  def records(storage: Storage, folder: String, version: Int, slices: Seq[FileSlice]): Long =
    new SliceRecords(storage, folder, new SliceBlocks(storage, folder, version, _ => true).of).tally(slices)
      .map(_.records).sum
}

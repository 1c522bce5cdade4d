package io.hudilite.metadata.stored

import io.hudilite.filegroup.FileSlice
import io.hudilite.metadata.{MetadataInstants, MetadataRecord}
import io.hudilite.metadata.MetadataPayload.Place
import io.hudilite.storage.Storage

/** Reads places of a record index in tasks. The slices are those of a metadata table that can be trusted.
  *
  * @param folder
  *   of the metadata table
  */
final class PlaceReader private[stored] (folder: String, version: Int, instants: MetadataInstants)
    extends Serializable {

  /** The places of those of the keys that the file group has. */
  def places(storage: Storage, slice: FileSlice, keys: Set[String]): Map[String, Place] = {
    val blocks = new SliceBlocks(storage, folder, version, instants.counts)
    new SliceRecords(storage, folder, blocks.of).of(slice, AskedKeys.These(keys)).collect {
      case MetadataRecord(key, place: Place) => key -> place
    }.toMap
  }
}

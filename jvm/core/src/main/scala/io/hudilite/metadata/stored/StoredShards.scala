package io.hudilite.metadata.stored

import io.hudilite.filegroup.{FileGroupId, FileSlice}
import io.hudilite.metadata.{MetadataInstants, MetadataKeys, MetadataPartition, MetadataRecord}
import io.hudilite.metadata.MetadataPayload.Place
import io.hudilite.record.KeyEncoding
import io.hudilite.storage.Storage

/** The file groups of a record index, each a shard of its keys, as they were when it was found to be whole. Tasks are sent
  * it and read from it what was there then.
  *
  * @param folder
  *   of the metadata table
  * @param version
  *   of the table
  * @param instants
  *   which records count
  * @param slices
  *   in the order of the shards
  * @param isPartitioned
  *   partitions of the table have shards of their own
  */
final case class StoredShards(folder: String, version: Int, instants: MetadataInstants,
    slices: IndexedSeq[FileSlice], isPartitioned: Boolean) {

  @transient private lazy val byPartition: Map[String, IndexedSeq[Int]] =
    slices.indices.groupBy(i => StoredShards.partitionOf(slices(i).fileId).getOrElse("")).map { case (path, own) =>
      path -> own.toIndexedSeq
    }

  // hot path: called for every key
  /** Number of the shard of a key; -1 where there is none, as of a partition that the index does not have.
    *
    * @param partition
    *   path of the partition in which the key is looked for; asked where partitions have shards of their own
    */
  def shardOf(key: String, partition: => String): Int =
    if (!isPartitioned) { if (slices.isEmpty) -1 else MetadataKeys.groupOf(key, slices.size) }
    else byPartition.get(partition).fold(-1)(own => own(MetadataKeys.groupOf(key, own.size)))

  /** Looks keys up in a shard. */
  def reader(storage: Storage, shard: Int): ShardReader = new ShardReader(storage, this, slices(shard))
}

object StoredShards {

  private val OfPartition = s"${MetadataPartition.RecordIndex.prefix}(.*)-\\d{4}-0".r

  /** The partition of the table that has this file group of a partitioned index; `None` for one of the whole table. */
  def partitionOf(fileId: String): Option[String] = fileId match {
    case OfPartition(escaped) => Some(KeyEncoding.unescape(escaped))
    case _ => None
  }
}

/** Looks keys up in one file group of a record index, some after the other. Its log files are read once; of its base file
  * each time only the blocks that may have one of the keys, those beside each other in one request.
  */
final class ShardReader private[stored] (storage: Storage, of: StoredShards, slice: FileSlice) {

  private lazy val blocks: Seq[SliceBlock] =
    new SliceBlocks(storage, of.folder, of.version, of.instants.counts).of(slice)

  private val records = new SliceRecords(storage, of.folder, _ => blocks)

  /** The file groups of those of the keys that the shard has, to be taken until there is none left. */
  def places(keys: Set[String]): Iterator[(String, FileGroupId)] =
    records.of(slice, AskedKeys.These(keys)).collect { case MetadataRecord(key, place: Place) =>
      key -> FileGroupId(place.partition, place.fileId)
    }
}

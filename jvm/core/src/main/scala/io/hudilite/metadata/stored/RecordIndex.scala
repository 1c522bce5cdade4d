package io.hudilite.metadata.stored

import io.hudilite.config.TableConfig
import io.hudilite.filegroup.{BaseFile, FileGroupId, FileSlice}
import io.hudilite.metadata.{MetadataInstants, MetadataKeys, MetadataPartition, MetadataRecord}
import io.hudilite.metadata.MetadataPayload.{Place, Statistics}
import io.hudilite.record.KeyEncoding
import io.hudilite.storage.Storage

/** The record index of a table's metadata table: the file group of each record key. Raises `CORRUPT_FILE` where it cannot
  * be trusted, as the metadata table does.
  *
  * It has one place for each key, or for each key of a partition: a table with rows that share one has others, too.
  *
  * @param hidesKeys
  *   base files hold keys without a place, whose rows log files delete
  */
final class RecordIndex(metadata: MetadataTable, val hidesKeys: Boolean = false) {

  import RecordIndex._

  /** The file groups of those of the keys that it has. Each is asked of the one file group of the index that may have it, or
    * of all where partitions of the table have file groups of their own.
    */
  def places(keys: Set[String]): Map[String, Set[FileGroupId]] =
    metadata.records(MetadataPartition.RecordIndex, keys).collect { case MetadataRecord(key, place: Place) =>
      key -> FileGroupId(place.partition, place.fileId)
    }.groupBy(_._1).map { case (key, found) => key -> found.map(_._2).toSet }

  /** All that a question for very many keys may read. */
  def bytes: Long = metadata.slices(MetadataPartition.RecordIndex).map(_.totalLength).sum

  /** Partitions of the table have file groups of their own in it, and a key has a place in each of them. */
  def isPartitioned: Boolean = metadata.hasPartitionedIndex

  /** Its file groups, which tasks are sent. */
  def shards: StoredShards = metadata.shards

  /** Number of its places, or the reason why that is not known. */
  lazy val entries: Either[String, Long] = new IndexEntries(metadata, MetadataPartition.RecordIndex).counted {
    (ids, keys) =>
      ids.indices.groupBy(n => StoredShards.partitionOf(ids(n))).valuesIterator.flatMap { own =>
        own.sorted.iterator.zipWithIndex.flatMap { case (n, number) =>
          keys(n).find(MetadataKeys.groupOf(_, own.size) != number)
            .map(key => s"of ${own.size} file groups ${ids(n)} is not that of its key $key")
        }
      }.toSeq.headOption
  }

  /** Rows of those of the base files of which column statistics count the values of this column, by relative path. */
  def rows(files: Seq[BaseFile], column: String): Map[String, Long] =
    if (!metadata.hasColumnStatistics || files.size > MostCounted) Map.empty
    else {
      val keys = files.map(f => MetadataKeys.ofColumn(column, f.partition, f.name) -> f.relativePath).toMap
      metadata.records(MetadataPartition.ColumnStats, keys.keySet).collect {
        case MetadataRecord(key, Statistics(of, false)) if !of.isDeleted => keys(key) -> of.values
      }.toMap
    }
}

object RecordIndex {

  /** A table with these properties has one, as far as they tell. */
  def isListed(config: TableConfig): Boolean = config.metadataPartitions.contains(MetadataPartition.RecordIndex.name)

  private val MostCounted = 10000
}

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

  private val OfPartition = s"(?s)${MetadataPartition.RecordIndex.prefix}(.*)-\\d{4}-0".r

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

  // Places of many keys are one object.
  private val groups = new java.util.IdentityHashMap[Place, FileGroupId]

  /** The file groups of those of the keys that the shard has, to be taken until there is none left. */
  def places(keys: Set[String]): Iterator[(String, FileGroupId)] = found(AskedKeys.These(keys))

  /** As the other one.
    *
    * @param keys
    *   in UTF-8, ascending by their bytes, each once
    */
  def places(keys: IndexedSeq[Array[Byte]]): Iterator[(String, FileGroupId)] = found(new AskedKeys.Sorted(keys))

  private def found(asked: AskedKeys): Iterator[(String, FileGroupId)] =
    records.of(slice, asked).collect { case MetadataRecord(key, place: Place) => key -> groupOf(place) }

  private def groupOf(place: Place): FileGroupId = {
    if (groups.size > ShardReader.MostGroups) groups.clear()
    groups.computeIfAbsent(place, of => FileGroupId(of.partition, of.fileId))
  }
}

private object ShardReader {
  private val MostGroups = 10000
}

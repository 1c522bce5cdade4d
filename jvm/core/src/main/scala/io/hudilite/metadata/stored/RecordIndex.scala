package io.hudilite.metadata.stored

import io.hudilite.config.TableConfig
import io.hudilite.filegroup.{BaseFile, FileGroupId}
import io.hudilite.metadata.{MetadataKeys, MetadataPartition, MetadataRecord}
import io.hudilite.metadata.MetadataPayload.{Place, Statistics}

/** The record index of a table's metadata table: the file group of each record key. Raises `CORRUPT_FILE` where it cannot
  * be trusted, as the metadata table does.
  *
  * It has one place for each key, or for each key of a partition: a table with rows that share one has others, too.
  */
final class RecordIndex(metadata: MetadataTable) {

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
  def entries: Either[String, Long] = {
    val groups = metadata.slices(MetadataPartition.RecordIndex)
    // Of what a load has left in a log file without a base file little is read, as of a base file.
    val bytesInLogs = groups.map(g => g.logs.map(_.length).sorted.dropRight(if (g.base.isEmpty) 1 else 0).sum).sum
    val untold = metadata.ahead.map(i => s"it has the ${i.action} ${i.time}, which has not completed in the table")
    if (untold.isDefined) Left(untold.get)
    else if (groups.size > MostGroups) Left(s"it has ${groups.size} file groups")
    else if (bytesInLogs > MostLogBytes) Left(s"its log files have $bytesInLogs bytes and are not compacted")
    else {
      val tallies = metadata.tally(MetadataPartition.RecordIndex)
      misplaced(groups.map(_.fileId), tallies.map(_.keys)).toLeft(tallies.map(_.records).sum)
    }
  }

  /** Keys of an index with one more file group, say, whose empty log file is gone, would not be found where they are. */
  private def misplaced(ids: Seq[String], keys: Seq[Set[String]]): Option[String] =
    keys.iterator.zipWithIndex.flatMap { case (found, n) =>
      val own = MetadataPartition.groupsOf(MetadataPartition.RecordIndex, ids, found).getOrElse(n, Set.empty[String])
      (found -- own).headOption.map(key => s"of ${ids.size} file groups ${ids(n)} is not that of its key $key")
    }.toSeq.headOption

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

  // A request or two for each.
  private val MostGroups = 1000

  // Some hundred thousand keys, which are in memory for a moment.
  private val MostLogBytes: Long = 8L << 20

  private val MostCounted = 10000
}

package io.hudilite.table

import io.hudilite.config.{IndexConf, IndexOptions, TableConfig, TableType, WriteConf, WriteOptions}
import io.hudilite.error.InvalidInput
import io.hudilite.filegroup.FileGroupId
import io.hudilite.metadata.stored.{RecordIndex, ShardReader, StoredShards}
import io.hudilite.storage.{HadoopStorage, Parallel, TableStorage, WeightedCache}

import org.apache.hadoop.conf.Configuration
import org.slf4j.LoggerFactory

/** How the options of a write and the record index of its table say together that keys are looked up
  * (docs/format.md#record-index).
  *
  * @param table
  *   as the write found it
  */
final class RecordIndexChoice(table: Table) {

  import RecordIndexChoice._

  private val isListed = RecordIndex.isListed(table.config)

  /** The index, which knows the place of every row, or the reason why nobody can go by it. */
  private def found(isAsked: Boolean): Either[String, RecordIndex] =
    if (!isListed) Left(s"there is none, which ${IndexOptions.Keys.name}=true makes")
    else table.readingMetadata(MetadataUse(isAsked)).recordIndex

  /** The index of a write. Where its options name none, the index of the table answers for the partitions of the rows, as
    * far as it knows every row: they are where Apache Hudi then looks, and where files answer else. Raises `InvalidInput`
    * where they name one of another scope than the table has, or buckets whose log files get new keys.
    *
    * @param conf
    *   of the write, with buckets where the table has such
    */
  def asked(conf: WriteConf): IndexConf = {
    val index = named(conf.index)
    refuseBuckets(table.config, conf, isListed)
    if (index.byRecords) {
      val made = if (isListed) table.readingMetadata(MetadataUse(isAsked = true)).hasPartitionedIndex else madeBy(conf)
      made.foreach(check(index.kind.get, _))
      index
    } else if (!isListed || table.config.generatesKeys || index.kind.isDefined) index
    else found(isAsked = false) match {
      case Right(_) => index.copy(kind = Some(WriteOptions.ByRecordsInPartitions), isTold = true)
      case Left(reason) =>
        warn(s"$reason: as ${WriteOptions.IndexType.name} is not set, the files of their partitions are asked for keys")
        index
    }
  }

  // Rows that are to move are looked for in the whole table.
  private def named(index: IndexConf): IndexConf =
    if (index.kind.isEmpty && index.recordMoves && isListed) index.copy(kind = Some(WriteOptions.ByRecords.last))
    else index

  /** The index that the keys of a write are looked up in; `None` where files answer instead, which is told by a warning. */
  def toLookUp(conf: WriteConf): Option[LookupShards] =
    if (!conf.index.byRecords || (!isListed && madeBy(conf).isDefined)) None // it is made before the next write
    else found(!conf.index.isTold) match {
      case Right(index) => Some(LookupShards(table.basePath, index.shards, index.hidesKeys))
      case Left(reason) =>
        warn(s"$reason: the files are asked for the keys of this write")
        None
    }

  /** The table as reads by key ask its index, where a write by such an index does; these find out if it is whole. */
  def keyed(conf: WriteConf): Option[Table] =
    if (conf.index.byRecords && isListed)
      Some(table.readingMetadata(MetadataUse(!conf.index.isTold)))
    else None

  // Once a snapshot: a write is planned in several steps.
  private def warn(reason: String): Unit = {
    val snapshot = (table.basePath, table.timeline.lastCompleted.fold("")(_.time), reason)
    if (told.get(snapshot).isEmpty) {
      told.put(snapshot, (), 1L)
      log.warn(s"The record index of ${table.basePath} is not used, since $reason.")
    }
  }
}

object RecordIndexChoice {

  /** Looks at the index that options name for a new table. Raises `InvalidInput` where they make one of another scope. */
  def ofNew(basePath: String, config: TableConfig, conf: WriteConf): Unit = {
    refuseBuckets(config, conf, isListed = false)
    if (conf.index.byRecords) madeBy(conf) match {
      case Some(isPartitioned) => check(conf.index.kind.get, isPartitioned)
      case None => log.warn(s"$basePath gets no record index, without which files are asked for keys: " +
          s"${IndexOptions.Keys.name}=true or ${IndexOptions.PartitionKeys.name}=true makes one.")
    }
  }

  /** A write makes an index with these options: true where partitions have keys of their own in it. */
  private def madeBy(conf: WriteConf): Option[Boolean] = {
    val indexes = conf.commit.indexes
    if (indexes.partitionKeys.isAsked) Some(true) else if (indexes.keys.isAsked) Some(false) else None
  }

  // Places are held against the rows of base files, and Apache Hudi's writers refuse such logs as well.
  private def refuseBuckets(config: TableConfig, conf: WriteConf, isListed: Boolean): Unit = {
    val asked = Seq(conf.commit.indexes.keys, conf.commit.indexes.partitionKeys)
    val stays = isListed && !asked.exists(_.isWanted.contains(false))
    if (conf.index.kind.contains(WriteOptions.ByBuckets) && config.tableType == TableType.MergeOnRead &&
      (stays || asked.exists(_.isAsked)))
      throw InvalidInput.option(WriteOptions.IndexType.name, WriteOptions.ByBuckets,
        "log files of a merge-on-read table get new keys with it, which a record index does not tell; remove that by " +
          s"${IndexOptions.Keys.name}=false")
  }

  private def check(named: String, isPartitioned: Boolean): Unit =
    if ((named == WriteOptions.ByRecordsInPartitions) != isPartitioned)
      throw InvalidInput.option(WriteOptions.IndexType.name, named,
        s"the record index of the table is one of ${if (isPartitioned) "each partition" else "the whole table"}, which is " +
          nameOf(isPartitioned))

  private def nameOf(isPartitioned: Boolean): String =
    if (isPartitioned) WriteOptions.ByRecordsInPartitions else WriteOptions.ByRecords.last

  private val MostTold = 1000L
  private val told = new WeightedCache[(String, String, String), Unit](MostTold)

  private val log = LoggerFactory.getLogger("io.hudilite.table.RecordIndexChoice")
}

/** A record index that has the place of every row of a snapshot, as tasks look keys up in it.
  *
  * @param basePath
  *   of the table
  * @param hidesKeys
  *   base files hold keys without a place, whose rows log files delete
  */
final case class LookupShards private[table] (basePath: String, shards: StoredShards, hidesKeys: Boolean) {

  /** Number of its file groups. */
  def count: Int = shards.slices.size

  /** A key has a place in each partition, and is looked for in those of its own. */
  def byPartition: Boolean = shards.isPartitioned

  // hot path: called for every key
  /** As [[StoredShards.shardOf]]. */
  def of(key: String, partition: => String): Int = shards.shardOf(key, partition)

  /** Looks keys up in a shard. */
  def reader(shard: Int, conf: Configuration): ShardReader =
    shards.reader(TableStorage.of(new HadoopStorage(conf), basePath), shard)

  /** Looks a few keys up, shards beside each other.
    *
    * @param keys
    *   by their shards
    */
  def places(keys: Map[Int, Set[String]], conf: Configuration): Seq[(String, FileGroupId)] =
    Parallel.map(keys.toSeq) { case (shard, some) => reader(shard, conf).places(some).toList }.flatten

  // Shown in plans.
  override def toString: String = s"record index of $count shards"
}

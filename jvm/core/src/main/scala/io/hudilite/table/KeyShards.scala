package io.hudilite.table

import io.hudilite.filegroup.FileGroupId
import io.hudilite.metadata.stored.{ShardReader, StoredShards}
import io.hudilite.storage.{HadoopStorage, Parallel, TableStorage}

import org.apache.hadoop.conf.Configuration

/** A record index that has the place of every row of a snapshot, as tasks look keys up in it.
  *
  * @param basePath
  *   of the table
  */
final case class KeyShards private[table] (basePath: String, shards: StoredShards) {

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

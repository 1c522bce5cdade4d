package io.hudilite.spark.service.cluster

import io.hudilite.config.{WriteConf, WriteOptions}
import io.hudilite.error.InvalidInput
import io.hudilite.index.{BucketIndex, Index}
import io.hudilite.service.cluster.ClusteringCall
import io.hudilite.spark.bucket.SampledKeys
import io.hudilite.table.{Buckets, Table}

/** Tables with a bucket index that get another number of buckets. */
private[cluster] object BucketMove {

  /** The index that a call moves the table to. Raises `InvalidInput` when the options name another one than the
    * table has, and where the call asks for less than the whole table or for more than the move.
    */
  def of(table: Table, conf: WriteConf, call: ClusteringCall, count: Int): BucketIndex = {
    val (buckets, keys) = (Buckets(table), new SampledKeys(table))
    val index = Index.of(table.config, buckets.asked(conf.index, keys))
    buckets.check(index)
    index.buckets match {
      case Some(present) if !present.rule.isEmpty =>
        throw InvalidInput("CLUSTERING_NOT_POSSIBLE", "path" -> table.basePath,
          "reason" ->
            s"its partitions have numbers of buckets of their own, by ${present.rule.text}")
      case Some(present) =>
        buckets.slots(table.allSlices().values.flatten.toArray, present, keys)
        if (count < 1 || count > WriteOptions.MostBuckets)
          throw refused(count, s"it must be between 1 and ${WriteOptions.MostBuckets}")
        if (count == present.count) throw refused(count, "the table has as many")
        if (call.partitions.nonEmpty || call.sortColumns.nonEmpty || call.targetBytes.nonEmpty)
          throw InvalidInput("CLUSTERING_NOT_POSSIBLE", "path" -> table.basePath,
            "reason" ->
              "a table is moved to other buckets as a whole, in the order of the record keys, one file for each bucket")
        present.copy(count = count)
      case None =>
        throw InvalidInput("CLUSTERING_NOT_POSSIBLE", "path" -> table.basePath,
          "reason" -> "its rows lie in no buckets, and only such that do are moved to others")
    }
  }

  private def refused(count: Int, reason: String): InvalidInput =
    InvalidInput.option(WriteOptions.Buckets.name, count.toString, reason)
}

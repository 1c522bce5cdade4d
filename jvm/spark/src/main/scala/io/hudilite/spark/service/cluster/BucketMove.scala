package io.hudilite.spark.service.cluster

import io.hudilite.config.{WriteConf, WriteOptions}
import io.hudilite.error.InvalidInput
import io.hudilite.index.{BucketIndex, Index}
import io.hudilite.service.cluster.ClusteringCall
import io.hudilite.spark.bucket.SampledKeys
import io.hudilite.table.{Buckets, Table}

/** Tables with a bucket index that get another number of buckets. */
private[cluster] object BucketMove {

  /** The index that a call moves the table to. Raises `InvalidInput` when the options do not name the one that the table
    * has, and where the call asks for less than the whole table or for more than the move.
    */
  def of(table: Table, conf: WriteConf, call: ClusteringCall, count: Int): BucketIndex = {
    val (buckets, index) = (Buckets(table), Index.of(table.config, Buckets(table).asked(conf.index)))
    index.buckets match {
      case Some(present) =>
        buckets.check(index)
        buckets.slots(table.allSlices().values.flatten.toArray, present, new SampledKeys(table))
        if (count < 1 || count > WriteOptions.MostBuckets)
          throw refused(count, s"it must be between 1 and ${WriteOptions.MostBuckets}")
        if (count == present.count) throw refused(count, "the table has this number already")
        if (call.partitions.nonEmpty || call.sortColumns.nonEmpty || call.targetBytes.nonEmpty)
          throw InvalidInput("CLUSTERING_NOT_POSSIBLE", "path" -> table.basePath,
            "reason" ->
              "a move to other buckets takes the whole table, by record keys, to one file a bucket; name nothing else")
        present.copy(count = count)
      case None =>
        val named = s"${WriteOptions.IndexType.name} is not ${WriteOptions.ByBuckets}"
        throw InvalidInput("CLUSTERING_NOT_POSSIBLE", "path" -> table.basePath,
          "reason" -> s"$named, and only tables with this index have buckets")
    }
  }

  private def refused(count: Int, reason: String): InvalidInput =
    InvalidInput.option(WriteOptions.Buckets.name, count.toString, reason)
}

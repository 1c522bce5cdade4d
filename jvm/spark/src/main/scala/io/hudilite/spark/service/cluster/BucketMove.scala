package io.hudilite.spark.service.cluster

import io.hudilite.config.{WriteConf, WriteOptions}
import io.hudilite.config.service.{ClusteredPartitionsConf, ClusteringOptions}
import io.hudilite.error.InvalidInput
import io.hudilite.index.{BucketIndex, Index}
import io.hudilite.service.cluster.{ClusteringCall, ClusteringRequest}
import io.hudilite.spark.bucket.SampledKeys
import io.hudilite.table.{Buckets, Table}

import org.apache.spark.sql.SparkSession

/** A table with a bucket index that gets another number of buckets, as a whole or in some partitions. */
private[cluster] final case class BucketMove(table: Table, conf: WriteConf, call: ClusteringCall,
    session: SparkSession) {

  /** The request for it. Raises `InvalidInput` when the options name another index than the table has, and where the call
    * asks for more than the move.
    */
  def of(request: ClusteringRequest, count: Int): ClusteringRequest = {
    val present = presentIndex
    if (count < 1 || count > WriteOptions.MostBuckets)
      throw refused(count, s"it must be between 1 and ${WriteOptions.MostBuckets}")
    if (call.sortColumns.nonEmpty || call.targetBytes.nonEmpty)
      throw impossible(
        "a move to other buckets deals rows by record keys to one file a bucket; name no order and no size")
    call.partitions match {
      case None => request.copy(buckets = Some(whole(present, count)))
      case Some(named) =>
        val moved = partitions(named, present, count)
        request.copy(conf = request.conf.copy(partitions = only(moved)),
          buckets = Some(present.copy(rule = present.rule.giving(moved, count))))
    }
  }

  private def presentIndex: BucketIndex = {
    val (buckets, keys) = (Buckets(table), SampledKeys(table, session))
    if (buckets.areConsistent)
      throw impossible("its partitions have hash rings, whose buckets are split and merged by Apache Hudi's clustering")
    val index = Index.of(table.config, buckets.asked(conf.index, keys))
    buckets.check(index)
    index.buckets match {
      case Some(present) =>
        buckets.slots(table.allSlices().values.flatten.toArray, present, keys)
        present
      case None =>
        throw impossible("its rows lie in no buckets; only a table with a bucket index has another number of them")
    }
  }

  private def whole(present: BucketIndex, count: Int): BucketIndex =
    if (!present.rule.isEmpty)
      throw impossible(
        s"its partitions have numbers of buckets of their own, by ${present.rule.text}; name the partitions")
    else if (count == present.count) throw refused(count, "the table has this number already")
    else present.copy(count = count)

  /** Those of the partitions that have another number. */
  private def partitions(named: Seq[String], present: BucketIndex, count: Int): Seq[String] = {
    if (table.config.partitionFields.isEmpty) throw impossible("it has no partitions; name none to move it as a whole")
    if (Buckets(table).areDeclared) throw impossible(
      "Apache Hudi has written the numbers of its partitions down in .hoodie/.bucket_index; change them by its procedure")
    val all = table.partitions()
    val paths = named.map(table.config.spelt(_)(all.contains))
    paths.find(!all.contains(_)).foreach(unknown =>
      throw InvalidInput.option(ClusteringOptions.Selected.name, unknown, "the table has no such partition"))
    val moved = paths.filter(present.in(_).count != count)
    if (moved.isEmpty) throw refused(count, "the partitions have this number already")
    moved
  }

  private def only(paths: Seq[String]): ClusteredPartitionsConf =
    ClusteredPartitionsConf(ClusteringOptions.NoFilter, 0, 0, None, None, Some(paths), None)

  private def impossible(reason: String): InvalidInput =
    InvalidInput("CLUSTERING_NOT_POSSIBLE", "path" -> table.basePath, "reason" -> reason)

  private def refused(count: Int, reason: String): InvalidInput =
    InvalidInput.option(WriteOptions.Buckets.name, count.toString, reason)
}

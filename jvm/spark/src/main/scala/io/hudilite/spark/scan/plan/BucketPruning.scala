package io.hudilite.spark.scan.plan

import io.hudilite.config.{BucketRule, PlannedBuckets}
import io.hudilite.filegroup.FileGroupId
import io.hudilite.index.{BucketIndex, ShownBuckets}
import io.hudilite.spark.basefile.read.ScanFilter
import io.hudilite.stats.FileStatistics

import scala.collection.mutable

/** Prunes file groups by their buckets, where all of them are sure to hold just the keys that belong there
  * (docs/format.md#indexes).
  *
  * @param told
  *   the buckets as the options of the read say it; a table that commits of hudilite know needs none
  * @param listed
  *   all slices that the filters may choose among
  * @param statistics
  *   of base files, asked where options alone tell of buckets
  */
private[scan] final class BucketPruning(
    state: TableState, keys: KeyFilter, told: Option[PlannedBuckets], listed: => StateSlices,
    statistics: => FileStatistics) {

  private lazy val stated: Option[BucketIndex] = state.buckets
  private lazy val index: Option[BucketIndex] = stated.orElse(state.bucketsAsTold(told))

  /** All slices are of buckets of their own, and what is known of their keys does not contradict the index. */
  lazy val areCertain: Boolean = index.exists(by =>
    by.fits(listed.groups) &&
      (stated.isDefined ||
        (listed.baseFiles.size <= KeyPruning.MaxFilesOnDriver &&
          ShownBuckets.allowed(listed.baseFiles, by, statistics))))

  /** The file groups that can hold rows that pass the filters; `None` when buckets do not tell. */
  def wanted(filters: Seq[ScanFilter]): Option[FileGroupId => Boolean] =
    if (filters.isEmpty) None
    else
      for (by <- index; plain <- keys.buckets(filters, by.copy(rule = BucketRule.None)) if areCertain) yield {
        val ofCounts = mutable.HashMap(by.count -> plain)
        def ofPartition(partition: String): Set[Int] = {
          val own = by.in(partition)
          ofCounts.getOrElseUpdate(own.count, keys.buckets(filters, own).get)
        }
        val ofPartitions = listed.groups.map(_.partition).toSet.map((p: String) => p -> ofPartition(p)).toMap
        (group: FileGroupId) => BucketIndex.bucketOfFile(group.fileId).forall(ofPartitions(group.partition))
      }

  /** The index and the one column that decides, where commits of hudilite vouch for all rows, and all partitions have as
    * many buckets.
    */
  def certainColumn: Option[(BucketIndex, BucketColumn)] =
    for (by <- stated if by.rule.isEmpty; column <- keys.bucketColumn(by) if areCertain) yield by -> column

  /** The one column that filters would have to fix, besides those that they do, for buckets to tell. */
  def missingColumn(filters: Seq[ScanFilter]): Option[Seq[String]] = index.flatMap(keys.missingForBuckets(filters, _))
}

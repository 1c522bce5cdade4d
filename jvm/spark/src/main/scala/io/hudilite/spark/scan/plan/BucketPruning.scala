package io.hudilite.spark.scan.plan

import io.hudilite.config.PlannedBuckets
import io.hudilite.error.HudiliteException
import io.hudilite.filegroup.FileGroupId
import io.hudilite.index.{BucketIndex, HashRings, ShownBuckets}
import io.hudilite.spark.basefile.read.ScanFilter
import io.hudilite.stats.FileStatistics
import io.hudilite.table.RingFiles

import java.io.IOException

import scala.collection.mutable

import org.slf4j.LoggerFactory

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
  private lazy val partitions: Set[String] = listed.groups.map(_.partition).toSet
  private lazy val dealing: Option[BucketIndex] =
    index.flatMap(by => if (by.isConsistent) withRings(by) else Some(by))

  /** The index with the hash rings of all partitions, where these are sure to be those of the state that is read, whole, and
    * not so many that to read them would take longer than the files.
    */
  private def withRings(by: BucketIndex): Option[BucketIndex] =
    if (!state.isNewest || partitions.size > BucketPruning.MostRings) None
    else try {
      val rings = RingFiles(state.table).of(partitions.toSeq)
      if (rings.size < partitions.size) None
      else Some(by.copy(rings = Some(HashRings(rings.map { case (p, r) => p -> r.ring }, othersAreNew = false))))
    } catch {
      case e @ (_: HudiliteException | _: IOException) =>
        BucketPruning.log.warn(s"The hash rings of ${state.table.basePath} are not used: ${e.getMessage}")
        None
    }

  /** All slices are of buckets of their own, and what is known of their keys does not contradict the index. */
  lazy val areCertain: Boolean = dealing.exists(by =>
    by.fits(listed.groups) &&
      (stated.isDefined ||
        (listed.baseFiles.size <= KeyPruning.MaxFilesOnDriver &&
          ShownBuckets.allowed(listed.baseFiles, by, statistics))))

  /** The file groups that can hold rows that pass the filters; `None` when buckets do not tell. */
  def wanted(filters: Seq[ScanFilter]): Option[FileGroupId => Boolean] =
    if (filters.isEmpty) None
    else
      for (by <- index; asked <- keys.dealt(filters, by); all <- dealing if areCertain) yield {
        val known = mutable.HashMap.empty[BucketIndex, Set[Int]]
        val ofPartitions = partitions.map { partition =>
          val own = all.in(partition)
          partition -> ((own, known.getOrElseUpdate(own, asked.map(own.bucketOf).toSet)))
        }.toMap
        (group: FileGroupId) => {
          val (own, wanted) = ofPartitions(group.partition)
          own.bucketOfFile(group.fileId).forall(wanted)
        }
      }

  /** How keys are dealt, where commits of hudilite vouch for all rows, and all partitions have as many buckets.
    *
    * @param fit
    *   asked before any file is
    */
  def certainKeys(fit: HashedKeys => Boolean): Option[HashedKeys] =
    for (by <- stated if !by.differs; hashed <- keys.hashedKeys(by) if fit(hashed) && areCertain) yield hashed

  /** The one column that filters would have to fix, besides those that they do, for buckets to tell. */
  def missingColumn(filters: Seq[ScanFilter]): Option[Seq[String]] = index.flatMap(keys.missingForBuckets(filters, _))
}

private object BucketPruning {

  /** Partitions whose rings a query reads, with two requests for each. */
  val MostRings = 64

  private val log = LoggerFactory.getLogger("io.hudilite.spark.scan.plan.BucketPruning")
}

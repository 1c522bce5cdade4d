package io.hudilite.table

import io.hudilite.index.BucketIndex
import io.hudilite.timeline.{CommitMetadata, Timeline, TimelineStore}

/** The bucket index that a table has by what its commits state in their extra metadata (docs/format.md#indexes): nothing
  * else in a table names the number of buckets. All of hudilite's commits state it, also those of services and those
  * without rows, so that the newest one tells. Commits of others in between leave it as it is.
  */
object StatedBuckets {

  val Count = "hudilite.bucket.index.num.buckets"
  val HashFields = "hudilite.bucket.index.hash.field"

  /** Commits looked at, newest first, where others than hudilite write to the table. */
  private val Commits = 20

  /** What the newest commit that states it says; `None` when none does, or when file groups were replaced since by somebody
    * who does not say by what.
    */
  def of(store: TimelineStore, timeline: Timeline): Option[BucketIndex] =
    timeline.writes.reverseIterator.take(Commits).map(store.readCommit)
      .find(commit => commit.extra.contains(Count) || isOther(commit)).flatMap(in)

  /** As entries of a commit's extra metadata. */
  def entries(index: BucketIndex): Map[String, String] =
    Map(Count -> index.count.toString, HashFields -> index.hashFields.mkString(","))

  private[table] def in(commit: CommitMetadata): Option[BucketIndex] = for {
    count <- commit.extra.get(Count).flatMap(text => scala.util.Try(text.toInt).toOption).filter(_ > 0)
    fields <- commit.extra.get(HashFields)
  } yield BucketIndex(count, fields.split(',').toSeq)

  /** The commit says nothing of buckets, and after it nothing older holds: it wrote to file groups that are of no bucket, or
    * put others in the place of those that there were.
    */
  private def isOther(commit: CommitMetadata): Boolean =
    commit.allStats.exists(stat => BucketIndex.bucketOfFile(stat.fileId).isEmpty) ||
      commit.replaced.values.exists(_.nonEmpty)
}

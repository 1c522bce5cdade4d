package io.hudilite.index

import io.hudilite.config.WriteOptions

/** Evidence of the number of buckets from keys and the buckets that they lie in, for tables in which no commit states
  * the number. A key whose hash is `h` lies in the bucket `h` modulo that number. So the number divides `h - bucket` of
  * each key, and is greater than any bucket.
  *
  * @param divisor
  *   a multiple of the number of buckets; 0 when nothing is known
  * @param greatest
  *   the greatest bucket that was seen, -1 for none
  */
final case class BucketEvidence(hashFields: Seq[String], divisor: Int = 0, greatest: Int = -1) {

  /** This evidence and a bucket that has files. */
  def withBucket(bucket: Int): BucketEvidence = copy(greatest = greatest.max(bucket))

  /** This evidence and a key that lies in a bucket. */
  def withKey(key: String, bucket: Int): BucketEvidence =
    withBucket(bucket).copy(divisor = BucketEvidence.common(divisor, BucketIndex.hashOf(key, hashFields) - bucket))

  /** Numbers of buckets that fit all that was seen, smallest first. Few keys leave more than one. */
  def counts: Iterator[Int] = (greatest + 1).max(1).to(WriteOptions.MostBuckets).iterator.filter(count =>
    divisor % count == 0)

  /** More than one number fits. */
  def areSeveral: Boolean = counts.take(2).size > 1

  /** The one number that fits. */
  def count: Option[Int] = counts.take(2).toList match {
    case List(only) => Some(only)
    case _ => None
  }
}

object BucketEvidence {

  @scala.annotation.tailrec
  private def common(a: Int, b: Int): Int = if (b == 0) math.abs(a) else common(b, a % b)
}

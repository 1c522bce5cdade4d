package io.hudilite.index

import io.hudilite.config.WriteOptions

/** What keys and the buckets that they lie in tell of the number of buckets, where no commit states it: a key of the hash
  * `h` lies in the bucket that `h` leaves, so that the number divides `h - bucket` of each of them, and it is greater than
  * any bucket.
  *
  * @param divisor
  *   what the number of buckets divides; 0 when nothing is known
  * @param greatest
  *   the greatest bucket there is, -1 for none
  */
final case class BucketEvidence(hashFields: Seq[String], divisor: Int = 0, greatest: Int = -1) {

  /** With a bucket that there is. */
  def withBucket(bucket: Int): BucketEvidence = copy(greatest = greatest.max(bucket))

  /** With a key that lies in a bucket. */
  def withKey(key: String, bucket: Int): BucketEvidence =
    withBucket(bucket).copy(divisor = BucketEvidence.common(divisor, BucketIndex.hashOf(key, hashFields) - bucket))

  /** The numbers of buckets that fit all that was seen, smallest first; more than one where few keys were. */
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

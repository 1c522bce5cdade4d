package io.hudilite.config

/** The buckets that a planned clustering deals the rows of its table to.
  *
  * @param hashFields
  *   none = all record key fields
  */
final case class PlannedBuckets(count: Int, hashFields: Seq[String])

object PlannedBuckets {

  /** What the parameters of a plan, by names of options, say of buckets. */
  def of(params: Map[String, String]): Option[PlannedBuckets] =
    if (!WriteOptions.Buckets.isSet(params)) None
    else Some(PlannedBuckets(WriteOptions.Buckets(params), WriteOptions.BucketHashFields.get(params).getOrElse(Nil)))
}

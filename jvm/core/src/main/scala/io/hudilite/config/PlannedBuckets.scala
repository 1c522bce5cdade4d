package io.hudilite.config

/** Buckets to which a planned clustering deals the rows of its table.
  *
  * @param hashFields
  *   record key fields that are hashed; none for all
  */
final case class PlannedBuckets(count: Int, hashFields: Seq[String])

object PlannedBuckets {

  /** Buckets from the parameters of a plan, by names of options. */
  def of(params: Map[String, String]): Option[PlannedBuckets] =
    if (!WriteOptions.Buckets.isSet(params)) None
    else Some(PlannedBuckets(WriteOptions.Buckets(params), WriteOptions.BucketHashFields.get(params).getOrElse(Nil)))
}

package io.hudilite.config

/** The buckets that a planned clustering deals the rows of its table to, or that a reader says they lie in.
  *
  * @param hashFields
  *   none = all record key fields
  */
final case class PlannedBuckets(count: Int, hashFields: Seq[String])

object PlannedBuckets {

  /** What the options of a read say, as Hudi's readers are told: the index, and the number of its buckets. */
  def ofRead(options: Map[String, String]): Option[PlannedBuckets] =
    if (WriteOptions.IndexType(options) == WriteOptions.ByBuckets) of(options) else None

  /** What the parameters of a plan, by names of options, say of buckets. */
  def of(params: Map[String, String]): Option[PlannedBuckets] =
    if (!WriteOptions.Buckets.isSet(params)) None
    else Some(PlannedBuckets(WriteOptions.Buckets(params), WriteOptions.BucketHashFields.get(params).getOrElse(Nil)))
}

package io.hudilite.config

/** Buckets to which a planned clustering deals the rows of its table, or in which they lie by the word of a reader.
  *
  * @param hashFields
  *   record key fields that are hashed; none for all
  */
final case class PlannedBuckets(count: Int, hashFields: Seq[String])

object PlannedBuckets {

  /** Buckets from the options of a read, which name the index and the number as Hudi's readers do. */
  def ofRead(options: Map[String, String]): Option[PlannedBuckets] =
    if (WriteOptions.IndexType(options) == WriteOptions.ByBuckets) of(options) else None

  /** Buckets from the parameters of a plan, by names of options. */
  def of(params: Map[String, String]): Option[PlannedBuckets] =
    if (!WriteOptions.Buckets.isSet(params)) None
    else Some(PlannedBuckets(WriteOptions.Buckets(params), WriteOptions.BucketHashFields.get(params).getOrElse(Nil)))
}

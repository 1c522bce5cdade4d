/** Versions of one Spark line; everything in it is provided by the cluster and never shipped. */
final case class Stack(scala: String, spark: String, hadoop: String, parquet: String, avro: String, jackson: String,
    roaring: String, codec: String)

package io.hudilite.spark.shim

import org.apache.spark.sql.connector.catalog.functions.{Reducer, ReducibleFunction}
import org.apache.spark.sql.types.{DataType, IntegerType}

/** Buckets of one table dealt as fewer: a bucket is a remainder by the number of buckets, so that by each divisor of two
  * numbers the buckets of two tables are the same. Spark asks both for it where they have unequal numbers.
  */
trait BucketReduction extends ReducibleFunction[Integer, Integer] {

  override def reducer(own: Int, other: ReducibleFunction[_, _], others: Int): Reducer[Integer, Integer] = {
    val common = BigInt(own).gcd(others).toInt
    if (other.isInstanceOf[BucketReduction] && common > 1 && common < own) FewerBuckets(common) else null
  }

  override def reducer(other: ReducibleFunction[_, _]): Reducer[Integer, Integer] = null
}

private[shim] final case class FewerBuckets(count: Int) extends Reducer[Integer, Integer] {

  override def reduce(bucket: Integer): Integer = bucket % count

  /** Part of the interface from a later 4 on. */
  def resultType(): DataType = IntegerType
}

package org.apache.spark.sql.hudilite

import org.apache.spark.rdd.RDD

import scala.reflect.ClassTag

/** Ways to make RDDs that Spark keeps to its own operators. */
object Rdds {

  /** As `mapPartitions`, but without Spark reading the bytecode of `f` for what it need not take along; `f` must refer to
    * nothing else than what it uses.
    */
  def mapPartitions[T, U: ClassTag](rdd: RDD[T])(f: Iterator[T] => Iterator[U]): RDD[U] = rdd.mapPartitionsInternal(f)
}

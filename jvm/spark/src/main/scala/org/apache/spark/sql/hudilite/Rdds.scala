package org.apache.spark.sql.hudilite

import org.apache.spark.rdd.RDD

import scala.reflect.ClassTag

/** Ways to make RDDs that Spark keeps to its own operators. */
object Rdds {

  /** Like `mapPartitions`, but Spark does not read the bytecode of `f` to leave out unused references. `f` must refer
    * to nothing that it does not use.
    */
  def mapPartitions[T, U: ClassTag](rdd: RDD[T])(f: Iterator[T] => Iterator[U]): RDD[U] = rdd.mapPartitionsInternal(f)
}

package org.apache.spark.sql.execution.hudilite

import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.catalyst.plans.physical.HashPartitioning
import org.apache.spark.sql.execution.{ShuffledRowRDD, UnsafeRowSerializer}
import org.apache.spark.sql.execution.metric.{SQLShuffleReadMetricsReporter, SQLShuffleWriteMetricsReporter}

/** Brings rows together by some of their columns inside of an operator. The need shows only at execution, and a plan
  * with an exchange for it would shuffle in any case. Rows are written once, however often they are read.
  */
object DealtRows {

  /** @param rows
    *   unsafe rows
    * @param count
    *   number of tasks that read them
    */
  def apply(rows: RDD[InternalRow], columns: Seq[Attribute], by: Seq[Attribute], count: Int): RDD[InternalRow] = {
    val context = rows.sparkContext
    val dependency = OwnShuffle.dependency(rows, columns, HashPartitioning(by, count),
      new UnsafeRowSerializer(columns.size), SQLShuffleWriteMetricsReporter.createShuffleWriteMetrics(context))
    new ShuffledRowRDD(dependency, SQLShuffleReadMetricsReporter.createShuffleReadMetrics(context))
  }
}

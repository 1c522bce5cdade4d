package io.hudilite.spark.lookup

import io.hudilite.stats.FactsAsked

import org.apache.spark.{Partition, SparkContext, TaskContext}
import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.execution.SparkPlan
import org.apache.spark.sql.execution.metric.{SQLMetric, SQLMetrics}
import org.apache.spark.unsafe.types.UTF8String

/** One task for each lot of file slices: the rows whose keys were asked for. A task is sent its own lot alone. */
private[lookup] final class ProbeRDD(
    sc: SparkContext, @transient private val lots: Array[Array[ProbedSlice]], keys: ProbeKeysOfBroadcast,
    probe: SliceProbe, metrics: ProbeMetrics, asked: AskedMetrics)
    extends RDD[InternalRow](sc, Nil) {

  override protected def getPartitions: Array[Partition] = lots.zipWithIndex.map { case (slices, i) =>
    new ProbeLot(i, slices)
  }

  override def compute(split: Partition, context: TaskContext): Iterator[InternalRow] = {
    val all = keys.get
    def of(partition: String): Array[UTF8String] = all.of(UTF8String.fromString(partition))
    split.asInstanceOf[ProbeLot].slices.grouped(probe.base.facts.atOnce).flatMap { slices =>
      asked += probe.bringFacts(slices.toSeq, of)
      slices.iterator.flatMap(probed => probe.rows(probed, of(probed.slice.partition), metrics, context))
    }
  }
}

private final class ProbeLot(override val index: Int, val slices: Array[ProbedSlice]) extends Partition

/** Counts of the facts on keys that a lookup has asked for, by where they were. */
private[lookup] final case class AskedMetrics(filters: SQLMetric, footers: SQLMetric) {
  def +=(asked: FactsAsked): Unit = {
    filters += asked.filters
    footers += asked.footers
  }
}

/** Counts of the keys, files and rows that the steps of a lookup let pass. */
private[lookup] final case class ProbeMetrics(
    filesInRange: SQLMetric, bloomHits: SQLMetric, falsePositives: SQLMetric, filesOpened: SQLMetric,
    rowsRead: SQLMetric,
    found: SQLMetric)

private[lookup] object ProbeMetrics {
  def of(exec: SparkPlan): ProbeMetrics = ProbeMetrics(exec.longMetric("filesInRange"),
    exec.longMetric("bloomHits"),
    exec.longMetric("falsePositives"), exec.longMetric("filesOpened"), exec.longMetric("rowsRead"),
    exec.longMetric("numOutputRows"))

  /** For what no node shows. */
  def registered(context: SparkContext): ProbeMetrics = {
    val metric = SQLMetrics.createMetric(context, "not shown")
    ProbeMetrics(metric, metric, metric, metric, metric, metric)
  }
}

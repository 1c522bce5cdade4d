package io.hudilite.spark.lookup

import io.hudilite.filegroup.BaseFile

import org.apache.spark.{Partition, SparkContext, TaskContext}
import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.execution.metric.SQLMetric
import org.apache.spark.unsafe.types.UTF8String

/** One task for each lot of files: the rows whose keys were asked for. */
private[lookup] final class ProbeRDD(
    sc: SparkContext, lots: Array[Array[BaseFile]], keys: ProbeKeysOfBroadcast, probe: KeyProbe, metrics: ProbeMetrics)
    extends RDD[InternalRow](sc, Nil) {

  override protected def getPartitions: Array[Partition] = lots.zipWithIndex.map { case (files, i) =>
    new Lot(i, files)
  }

  override def compute(split: Partition, context: TaskContext): Iterator[InternalRow] = {
    val all = keys.get
    split.asInstanceOf[Lot].files.iterator.flatMap { file =>
      probe.rows(file, all.of(UTF8String.fromString(file.partition)), metrics, context)
    }
  }

  private final class Lot(override val index: Int, val files: Array[BaseFile]) extends Partition
}

/** What the steps of a lookup let pass. */
private[lookup] final case class ProbeMetrics(
    filesInRange: SQLMetric, bloomHits: SQLMetric, falsePositives: SQLMetric, filesOpened: SQLMetric,
    rowsRead: SQLMetric,
    found: SQLMetric)

private[lookup] object ProbeMetrics {
  def of(exec: IndexProbeExec): ProbeMetrics = ProbeMetrics(exec.longMetric("filesInRange"),
    exec.longMetric("bloomHits"),
    exec.longMetric("falsePositives"), exec.longMetric("filesOpened"), exec.longMetric("rowsRead"),
    exec.longMetric("numOutputRows"))
}

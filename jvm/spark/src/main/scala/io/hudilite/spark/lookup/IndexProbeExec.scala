package io.hudilite.spark.lookup

import io.hudilite.filegroup.{FileGroupId, Lots}
import io.hudilite.spark.basefile.read.KeyBatches
import io.hudilite.spark.row.{SessionConf, SharedConf}

import org.apache.spark.broadcast.Broadcast
import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{Attribute, AttributeSet}
import org.apache.spark.sql.catalyst.plans.physical.{Partitioning, UnknownPartitioning}
import org.apache.spark.sql.execution.{SQLExecution, SparkPlan, UnaryExecNode}
import org.apache.spark.sql.execution.metric.{SQLMetric, SQLMetrics}
import org.apache.spark.sql.types.{StructField, StructType}

/** Looks the keys of its child up in the table's files: key range, bloom filter, then only the pages that can hold a key;
  * and in log files, where the rows asked for are those that a query sees.
  *
  * One row for each key found, with the columns asked for. The keys are sent to all tasks, but not by an exchange of
  * Spark's: adaptive execution would have it for a stage of its own, which no node of the logical plan stands for, and
  * plan it anew each time that it is finished.
  */
final case class IndexProbeExec(output: Seq[Attribute], @transient target: ProbeTarget, global: Boolean,
    child: SparkPlan)
    extends UnaryExecNode {

  override def producedAttributes: AttributeSet = AttributeSet(output)
  override def outputPartitioning: Partitioning = UnknownPartitioning(0)

  @transient private lazy val broadcast: Broadcast[Array[InternalRow]] = sparkContext.broadcast(child.executeCollect())

  override lazy val metrics: Map[String, SQLMetric] = Map(
    "candidateFiles" -> SQLMetrics.createMetric(sparkContext, "candidate files"),
    "filesInRange" -> SQLMetrics.createMetric(sparkContext, "files with keys in range"),
    "bloomHits" -> SQLMetrics.createMetric(sparkContext, "keys that bloom filters let pass"),
    "falsePositives" -> SQLMetrics.createMetric(sparkContext, "keys let pass and not found"),
    "filesOpened" -> SQLMetrics.createMetric(sparkContext, "files opened for keys"),
    "rowsRead" -> SQLMetrics.createMetric(sparkContext, "key rows read"),
    "numOutputRows" -> SQLMetrics.createMetric(sparkContext, "keys found"))

  override protected def doExecute(): RDD[InternalRow] = {
    val keys = ProbeKeysOfBroadcast(broadcast, global)
    val candidates = target.candidates(keys.get)
    longMetric("candidateFiles") += candidates.size
    SQLMetrics.postDriverMetricUpdates(sparkContext,
      sparkContext.getLocalProperty(SQLExecution.EXECUTION_ID_KEY), Seq(longMetric("candidateFiles")))
    val columns = StructType(output.map(a => StructField(a.name, a.dataType, a.nullable)))
    val batches = KeyBatches(target.basePath, SharedConf(SessionConf.parquet(Map.empty)),
      conf.sessionLocalTimeZone, conf.offHeapColumnVectorEnabled, conf.parquetVectorizedReaderBatchSize,
      target.evolved)
    val inBase = KeyProbe(columns, target.useBloom, target.pruneByRanges, batches)
    val byKey = target.byKey && columns.fieldNames.forall(KeyProbe.Identity)
    val probe = SliceProbe(inBase, target.logs(candidates), byKey)
    val added = if (byKey) target.addedInLogs(candidates) else Set.empty[FileGroupId]
    val places = candidates.map(slice => ProbedSlice(slice, added(slice.groupId)))
    new ProbeRDD(sparkContext, spread(places), keys, probe, ProbeMetrics.of(this))
  }

  private def spread(slices: Seq[ProbedSlice]): Array[Array[ProbedSlice]] =
    Lots.deal(slices, sparkContext.defaultParallelism * IndexProbeExec.LotsPerCore)(_.slice.totalLength).map(
      _.toArray).toArray

  override protected def withNewChildInternal(newChild: SparkPlan): IndexProbeExec = copy(child = newChild)
}

object IndexProbeExec {
  private val LotsPerCore = 2
}

/** The keys of a broadcast, gathered by partition once in each process that uses them. */
private[lookup] final case class ProbeKeysOfBroadcast(rows: Broadcast[Array[InternalRow]], global: Boolean) {
  def get: ProbeKeys = ProbeKeysOfBroadcast.gathered(rows, global)
}

private[lookup] object ProbeKeysOfBroadcast {
  private val cache = new java.util.concurrent.ConcurrentHashMap[Long, java.lang.ref.SoftReference[ProbeKeys]]

  private def gathered(rows: Broadcast[Array[InternalRow]], global: Boolean): ProbeKeys = {
    cache.values().removeIf(_.get == null)
    cache.compute(rows.id,
      (_, old) => {
        if (old != null && old.get != null) old else new java.lang.ref.SoftReference(ProbeKeys(rows.value, global))
      }).get match {
      case null => ProbeKeys(rows.value, global) // collected between the two calls
      case keys => keys
    }
  }
}

/** Reads every row of the table for an index probe with more keys than are worth a lookup. */
final case class FullKeyScanExec(child: SparkPlan, columns: Seq[Attribute]) extends UnaryExecNode {
  override def output: Seq[Attribute] = child.output
  override def outputPartitioning: Partitioning = child.outputPartitioning
  override protected def doExecute(): RDD[InternalRow] = child.execute()
  override protected def withNewChildInternal(newChild: SparkPlan): FullKeyScanExec = copy(child = newChild)
}

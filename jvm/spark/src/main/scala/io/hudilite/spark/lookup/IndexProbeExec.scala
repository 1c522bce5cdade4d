package io.hudilite.spark.lookup

import io.hudilite.filegroup.{FileGroupId, Lots}
import io.hudilite.spark.task.TaskJob
import io.hudilite.table.KeysInLogs

import java.lang.ref.SoftReference
import java.util.WeakHashMap

import org.apache.spark.broadcast.Broadcast
import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{Attribute, AttributeSet}
import org.apache.spark.sql.catalyst.plans.physical.{Partitioning, UnknownPartitioning}
import org.apache.spark.sql.execution.{SQLExecution, SparkPlan, UnaryExecNode}
import org.apache.spark.sql.execution.metric.{SQLMetric, SQLMetrics}

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
    "metadataFilters" -> SQLMetrics.createMetric(sparkContext, "bloom filters read from the metadata table"),
    "footersAsked" -> SQLMetrics.createMetric(sparkContext, "files whose footers are asked for facts on keys"),
    "filesInRange" -> SQLMetrics.createMetric(sparkContext, "files with keys in range"),
    "bloomHits" -> SQLMetrics.createMetric(sparkContext, "keys that bloom filters let pass"),
    "falsePositives" -> SQLMetrics.createMetric(sparkContext, "keys let pass and not found"),
    "filesOpened" -> SQLMetrics.createMetric(sparkContext, "files opened for keys"),
    "slicesAsked" -> SQLMetrics.createMetric(sparkContext, "file slices whose logs are asked for keys found twice"),
    "rowsRead" -> SQLMetrics.createMetric(sparkContext, "key rows read"),
    "numOutputRows" -> SQLMetrics.createMetric(sparkContext, "keys found"))

  override protected def doExecute(): RDD[InternalRow] = {
    val keys = ProbeKeysOfBroadcast(broadcast, global)
    val candidates = target.candidates(keys.get)
    longMetric("candidateFiles") += candidates.size
    post("candidateFiles")
    val probe = target.probeFirst(output, session, candidates)
    val bounds = target.bounds(candidates)
    val told = if (probe.byKey || probe.tellsGone) target.keysInLogs(candidates) else KeysInLogs.Groups.None
    val contested = ContestedSlices.among(candidates, told.deleted, global)
    val (together, apart) = candidates.map(slice =>
      ProbedSlice(slice,
        probe.byKey && told.added(slice.groupId), slice.base.flatMap(bounds.get)))
      .partition(probed => contested(probed.slice.groupId))
    def found(slices: Seq[ProbedSlice]): RDD[InternalRow] =
      new ProbeRDD(sparkContext, spread(slices), keys, probe, ProbeMetrics.of(this),
        AskedMetrics(longMetric("metadataFilters"), longMetric("footersAsked")))
    if (together.isEmpty) found(apart)
    else {
      val count = (broadcast.value.length / IndexProbeExec.KeysPerTask + 1).min(this.conf.numShufflePartitions)
      val rows = new FoundRows(found(together), output, global, count)
      val counting = if (probe.byKey) rows.without(dead(rows.twice(), together, probe)) else rows.once()
      if (apart.isEmpty) counting else sparkContext.union(counting, found(apart))
    }
  }

  /** The places of keys found twice that do not count: of those that log files delete all, or all but one where the key is
    * nowhere.
    */
  private def dead(twice: Seq[FoundPlace], slices: Seq[ProbedSlice], probe: SliceProbe): DeadPlaces = {
    val asked = twice.groupBy(p => FileGroupId(p.partition, p.fileId))
    val logged = slices.map(_.slice).filter(s => s.logs.nonEmpty && asked.contains(s.groupId))
      .map(s => AskedSlice(s, asked(s.groupId).map(_.key).distinct.toArray))
    longMetric("slicesAsked") += logged.size
    post("slicesAsked")
    val alive = if (logged.isEmpty) Set.empty[FoundPlace]
    else {
      val work = new AliveKeys(probe.asSeen, ProbeMetrics.registered(sparkContext))
      TaskJob.run(session, "keys that are in several files", work, logged).toSet
    }
    val deletable = logged.map(_.slice.groupId).toSet
    def counts(p: FoundPlace): Boolean = !deletable(FileGroupId(p.partition, p.fileId)) || alive(p)
    new DeadPlaces(twice.groupBy(p => (if (global) "" else p.partition, p.key)).values.flatMap { places =>
      val (living, gone) = places.partition(counts)
      if (living.isEmpty) gone.sortBy(p => (p.partition, p.fileId)).drop(1) else gone
    }.toSet)
  }

  private def post(metric: String): Unit = SQLMetrics.postDriverMetricUpdates(sparkContext,
    sparkContext.getLocalProperty(SQLExecution.EXECUTION_ID_KEY), Seq(longMetric(metric)))

  private def spread(slices: Seq[ProbedSlice]): Array[Array[ProbedSlice]] =
    Lots.deal(slices, sparkContext.defaultParallelism * IndexProbeExec.LotsPerCore)(_.slice.totalLength).map(
      _.toArray).toArray

  override protected def withNewChildInternal(newChild: SparkPlan): IndexProbeExec = copy(child = newChild)
}

object IndexProbeExec {
  private val LotsPerCore = 2

  /** Keys found that a task brings together. */
  private val KeysPerTask = 100000
}

/** The keys of a broadcast, gathered by partition once in each process that uses them. */
private[lookup] final case class ProbeKeysOfBroadcast(rows: Broadcast[Array[InternalRow]], global: Boolean) {
  def get: ProbeKeys = ProbeKeysOfBroadcast.gathered(rows, global)
}

private[lookup] object ProbeKeysOfBroadcast {

  // By the rows themselves, since a process counts its broadcasts anew with each Spark context.
  private val cache = new WeakHashMap[Array[InternalRow], SoftReference[ProbeKeys]]

  private def gathered(broadcast: Broadcast[Array[InternalRow]], global: Boolean): ProbeKeys = {
    val rows = broadcast.value
    cache.synchronized {
      Option(cache.get(rows)).flatMap(kept => Option(kept.get)).getOrElse {
        val keys = ProbeKeys(rows, global)
        cache.put(rows, new SoftReference(keys))
        keys
      }
    }
  }
}

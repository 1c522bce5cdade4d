package org.apache.spark.sql.execution.hudilite

import org.apache.spark.{MapOutputStatistics, ShuffleDependency}
import org.apache.spark.rdd.RDD
import org.apache.spark.serializer.Serializer
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.catalyst.plans.logical.Statistics
import org.apache.spark.sql.catalyst.plans.physical.Partitioning
import org.apache.spark.sql.execution.{SQLExecution, ShufflePartitionSpec, ShuffledRowRDD, UnsafeRowSerializer}
import org.apache.spark.sql.execution.exchange.{ShuffleExchangeExec, ShuffleExchangeLike}
import org.apache.spark.sql.execution.metric.{
  SQLMetric,
  SQLMetrics,
  SQLShuffleReadMetricsReporter,
  SQLShuffleWriteMetricsReporter
}
import org.apache.spark.util.ThreadUtils

import scala.concurrent.Future
import scala.concurrent.duration.Duration

/** A shuffle that Spark's planner treats as its own, with adaptive execution and without, but never leaves out or plans
  * twice. Its rows and their partitioning are asked for once, on the driver, when it begins.
  */
trait OwnShuffle extends ShuffleExchangeLike {

  /** The rows to shuffle. */
  protected def rows: RDD[InternalRow]

  /** Assigns each row to a task. */
  protected def dealing: Partitioning

  /** Called when the job that writes the rows has been started. Callers that have seen it end find it ended here, too.
    * There are no statistics when there are no tasks.
    */
  protected def begun(job: Future[MapOutputStatistics]): Unit

  private lazy val writeMetrics: Map[String, SQLMetric] =
    SQLShuffleWriteMetricsReporter.createShuffleWriteMetrics(sparkContext)
  private lazy val readMetrics: Map[String, SQLMetric] =
    SQLShuffleReadMetricsReporter.createShuffleReadMetrics(sparkContext)

  override lazy val metrics: Map[String, SQLMetric] = Map(
    "dataSize" -> SQLMetrics.createSizeMetric(sparkContext, "data size"),
    "numPartitions" -> SQLMetrics.createMetric(sparkContext, "number of partitions")) ++ readMetrics ++ writeMetrics

  @transient private lazy val dependency: ShuffleDependency[Int, InternalRow, InternalRow] = {
    val begun = OwnShuffle.dependency(rows, child.output, dealing,
      new UnsafeRowSerializer(child.output.size, longMetric("dataSize")), writeMetrics)
    longMetric("numPartitions").set(begun.partitioner.numPartitions.toLong)
    SQLMetrics.postDriverMetricUpdates(sparkContext, sparkContext.getLocalProperty(SQLExecution.EXECUTION_ID_KEY),
      Seq(longMetric("numPartitions")))
    begun
  }

  @transient override lazy val mapOutputStatisticsFuture: Future[MapOutputStatistics] = {
    val job =
      if (dependency.rdd.getNumPartitions == 0) Future.successful(null: MapOutputStatistics)
      else sparkContext.submitMapStage(dependency)
    begun(job)
    job
  }

  def shuffleId: Int = dependency.shuffleId

  override def numMappers: Int = dependency.rdd.getNumPartitions

  override def numPartitions: Int = dependency.partitioner.numPartitions

  override def advisoryPartitionSize: Option[Long] = None

  override def getShuffleRDD(specs: Array[ShufflePartitionSpec]): RDD[InternalRow] =
    new ShuffledRowRDD(dependency, readMetrics, specs)

  override def runtimeStatistics: Statistics = Statistics(BigInt(longMetric("dataSize").value),
    Some(BigInt(longMetric(SQLShuffleWriteMetricsReporter.SHUFFLE_RECORDS_WRITTEN).value)))

  /** Without adaptive execution, too, the rows are written by a job of its own before they are read. */
  override protected def doExecute(): RDD[InternalRow] = {
    awaitWritten()
    new ShuffledRowRDD(dependency, readMetrics)
  }

  def awaitWritten(): Unit = {
    ThreadUtils.awaitResult(mapOutputStatisticsFuture, Duration.Inf)
    ()
  }
}

private object OwnShuffle {

  private val Prepare = "prepareShuffleDependency"

  /** Spark 4.3 added a sixth parameter, with a default. */
  def dependency(rows: RDD[InternalRow], columns: Seq[Attribute], dealing: Partitioning, serializer: Serializer,
      metrics: Map[String, SQLMetric]): ShuffleDependency[Int, InternalRow, InternalRow] = {
    val known = Seq[AnyRef](rows, columns, dealing, serializer, metrics)
    val method = ShuffleExchangeExec.getClass.getMethods.filter(_.getName == Prepare) match {
      case Array(one) if one.getParameterCount == known.size || one.getParameterCount == known.size + 1 => one
      case _ => throw new IllegalStateException(s"this version of Spark has another $Prepare")
    }
    val defaults = (known.size until method.getParameterCount).map(i =>
      ShuffleExchangeExec.getClass.getMethod(s"$Prepare$$default$$${i + 1}").invoke(ShuffleExchangeExec))
    try
      method.invoke(ShuffleExchangeExec, known ++ defaults: _*)
        .asInstanceOf[ShuffleDependency[Int, InternalRow, InternalRow]]
    catch { case e: java.lang.reflect.InvocationTargetException => throw e.getCause }
  }
}

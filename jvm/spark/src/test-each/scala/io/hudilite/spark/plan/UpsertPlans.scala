package io.hudilite.spark.plan

import io.hudilite.Folders
import io.hudilite.spark.SharedSession
import io.hudilite.spark.lookup.IndexProbeExec
import io.hudilite.spark.read.PlanProbe
import io.hudilite.spark.scan.plan.HudiliteScan

import java.nio.file.{Files, Paths}
import java.util.concurrent.{LinkedBlockingQueue, TimeUnit}

import org.apache.spark.sql.{DataFrame, DataFrameWriter, Row, SaveMode}
import org.apache.spark.sql.execution.{QueryExecution, SparkPlan}
import org.apache.spark.sql.execution.datasources.v2.{BatchScanExec, WriteDeltaExec}
import org.apache.spark.sql.execution.exchange.{ReusedExchangeExec, ShuffleExchangeExec}
import org.apache.spark.sql.execution.hudilite.SharedRowsExec
import org.apache.spark.sql.hudilite.Listeners
import org.apache.spark.sql.util.QueryExecutionListener

import munit.FunSuite

import scala.collection.mutable
import scala.concurrent.duration.{Duration, DurationInt}

/** Upserts into a small table, and the plans that Spark ran for them. */
trait UpsertPlans extends FunSuite {

  override val munitTimeout: Duration = 10.minutes

  protected lazy val spark = SharedSession.spark

  protected val options = Map(
    "hoodie.datasource.write.recordkey.field" -> "id",
    "hoodie.datasource.write.partitionpath.field" -> "dt",
    "hoodie.datasource.write.precombine.field" -> "ts",
    "hoodie.parquet.small.file.limit" -> "0")

  /** 6000 rows in 3 partitions of 2 files each: keys grow with the ids, and so do partitions and files. */
  protected def rows(from: Long, until: Long, version: Int): DataFrame =
    spark.range(from, until).selectExpr("concat('k', lpad(id, 6, '0')) id", s"id + $version ts",
      "concat('d', int(id / 2000)) dt", s"$version version")

  protected def write(frame: DataFrame, path: String, operation: String): Unit =
    write(frame.write.format("hudilite"), path, operation)

  protected def write(writer: DataFrameWriter[Row], path: String, operation: String, index: String = "BLOOM"): Unit =
    writer.options(options).option("hoodie.datasource.write.operation", operation).option("hoodie.index.type", index)
      .mode(SaveMode.Append).save(path)

  // One of each type; the tests have copies.
  private val made = mutable.Map.empty[String, String]

  protected def table(tableType: String = "COPY_ON_WRITE"): String = copied(made.getOrElseUpdate(tableType, {
        val path = Files.createTempDirectory("hudilite-plan").resolve("t").toString
        (0 until 6).foreach(i =>
          write(rows(i * 1000L, i * 1000L + 1000, 0).coalesce(1)
              .write.format("hudilite").option("hoodie.datasource.write.table.type", tableType), path, "bulk_insert"))
        path
      }))

  /** A copy of a table, of which the process knows nothing. */
  protected def copied(path: String): String =
    Folders.copy(Paths.get(path), Files.createTempDirectory("hudilite-plan").resolve("copy")).toString

  /** The plan with such a node that ran during `action`. */
  protected def executed(action: => Unit, of: SparkPlan => Boolean = _.isInstanceOf[WriteDeltaExec]): Seq[SparkPlan] = {
    val seen = new LinkedBlockingQueue[QueryExecution]
    val listener = new QueryExecutionListener {
      override def onSuccess(name: String, run: QueryExecution, nanos: Long): Unit = seen.add(run)
      override def onFailure(name: String, run: QueryExecution, error: Exception): Unit = seen.add(run)
    }
    Listeners.settle(spark.sparkContext) // what is told of the commands before
    spark.listenerManager.register(listener)
    try {
      action
      // Events arrive late and in order: those of earlier commands come first.
      Iterator.continually(seen.poll(60, TimeUnit.SECONDS)).map { run =>
        assert(run != null, "no row-level write ran")
        PlanProbe.nodes(run.executedPlan)
      }.find(_.exists(of)).get
    } finally spark.listenerManager.unregister(listener)
  }

  protected def probe(nodes: Seq[SparkPlan]): IndexProbeExec = nodes.collectFirst { case p: IndexProbeExec => p }
    .getOrElse(fail(s"no index probe in\n${nodes.head}"))

  protected def metric(node: SparkPlan, name: String): Long = node.metrics(name).value

  protected def shuffles(nodes: Seq[SparkPlan]): Int =
    nodes.collect {
      case s: SharedRowsExec => s
      case s: ShuffleExchangeExec => s
      case r: ReusedExchangeExec if r.child.isInstanceOf[ShuffleExchangeExec] => r.child
    }.map(System.identityHashCode(_)).distinct.size

  protected def reads(nodes: Seq[SparkPlan]): Seq[BatchScanExec] =
    nodes.collect { case b: BatchScanExec if b.scan.isInstanceOf[HudiliteScan] => b }

  /** The rows without any statistics, as from a Python process or a database. */
  protected def unknownSize(frame: DataFrame): DataFrame = spark.createDataFrame(frame.rdd, frame.schema)
}

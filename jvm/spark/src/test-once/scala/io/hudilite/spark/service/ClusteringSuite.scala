package io.hudilite.spark.service

import io.hudilite.error.InvalidInput
import io.hudilite.filegroup.{FileSlice, FooterCache}
import io.hudilite.service.cluster.{ClusteringCall, PlannedClustering}
import io.hudilite.spark.{Interpreted, Raised, SharedSession}
import io.hudilite.spark.procedure.{ClusteringRun, ServiceCall}
import io.hudilite.spark.read.PlanProbe
import io.hudilite.spark.scan.task.ScanMetrics
import io.hudilite.spark.service.cluster.FinishedClustering
import io.hudilite.storage.HadoopStorage
import io.hudilite.table.Table
import io.hudilite.timeline.CommitMetadata

import java.nio.file.Files
import java.util.concurrent.{LinkedBlockingQueue, TimeUnit}

import scala.concurrent.{Await, ExecutionContext, Future}
import scala.concurrent.duration.Duration

import munit.FunSuite
import org.apache.hadoop.conf.Configuration
import org.apache.spark.sql.{DataFrame, SparkSession}
import org.apache.spark.sql.execution.{QueryExecution, SparkPlan}
import org.apache.spark.sql.execution.datasources.v2.AppendDataExec
import org.apache.spark.sql.execution.exchange.ShuffleExchangeExec
import org.apache.spark.sql.util.QueryExecutionListener

/** Clusterings that are called, and those that follow writes. */
class ClusteringSuite extends FunSuite with Interpreted {

  override def munitTimeout: scala.concurrent.duration.Duration = scala.concurrent.duration.Duration(5, "min")

  private val spark = SharedSession.spark
  private val Rows = 300L
  private val off = Map("hoodie.clean.automatic" -> "false", "hoodie.parquet.small.file.limit" -> "0",
    "hoodie.compact.inline" -> "false")

  private def newPath(): String = Files.createTempDirectory("hudilite-cluster").resolve("t").toString

  private def table(path: String): Table = Table.open(new HadoopStorage(new Configuration()), path)

  /** Rows `from` to `until` in two partitions, with a column `v` in no order of the keys. */
  private def write(path: String, from: Long, until: Long, value: Int, more: (String, String)*): Unit =
    spark.range(from, until).selectExpr("format_string('k%05d', id) id", "concat('p', id % 2) p",
      s"cast((id * 7919) % 1009 AS int) v", s"$value w", "array(id) list", "map('a', id) m")
      .write.format("hudilite").option("hoodie.datasource.write.recordkey.field", "id")
      .option("hoodie.datasource.write.partitionpath.field", "p").options(off ++ more).mode("append").save(path)

  /** Three writes of new keys and one that changes some. */
  private def made(more: (String, String)*): String = {
    val path = newPath()
    for (n <- 0L until 3L) write(path, n * Rows / 3, (n + 1) * Rows / 3, 1, more: _*)
    write(path, 50, 60, 2, more: _*)
    path
  }

  private val Meta = Seq("_hoodie_commit_time", "_hoodie_commit_seqno", "_hoodie_record_key",
    "_hoodie_partition_path")

  private def rows(read: DataFrame): Seq[String] =
    read.selectExpr(Meta ++ Seq("id", "p", "v", "w", "list", "m['a'] a"): _*).collect().map(_.toString).sorted.toSeq

  private def rows(path: String, options: (String, String)*): Seq[String] =
    rows(spark.read.format("hudilite").options(options.toMap).load(path))

  private def cluster(path: String, call: ClusteringCall, options: (String, String)*): Seq[FinishedClustering] =
    ClusteringRun(ServiceCall(spark, path, options.toMap), call).start().result()

  private def schedule(path: String, call: ClusteringCall): Option[PlannedClustering] =
    ClusteringRun(ServiceCall(spark, path), call).schedule()

  private def slices(path: String): Seq[FileSlice] = table(path).allSlices().values.flatten.toSeq

  /** The plan that wrote during `action`. */
  private def executed(action: => Any): Seq[SparkPlan] = {
    val seen = new LinkedBlockingQueue[QueryExecution]
    val listener = new QueryExecutionListener {
      override def onSuccess(name: String, run: QueryExecution, nanos: Long): Unit = { seen.add(run); () }
      override def onFailure(name: String, run: QueryExecution, error: Exception): Unit = { seen.add(run); () }
    }
    spark.listenerManager.register(listener)
    try {
      action
      Iterator.continually(seen.poll(60, TimeUnit.SECONDS)).map { run =>
        assert(run != null, "nothing was written")
        PlanProbe.nodes(run.executedPlan)
      }.find(_.exists(_.isInstanceOf[AppendDataExec])).get
    } finally spark.listenerManager.unregister(listener)
  }

  private val byV = ClusteringCall(sortColumns = Some(Seq("v")))

  for ((kind, options) <- Seq("copy-on-write" -> Nil,
      "merge-on-read" ->
        Seq("hoodie.datasource.write.table.type" -> "MERGE_ON_READ"))) {

    test(s"$kind: sorted, a table has the same rows with the same commit times, and its past stays") {
      val path = made(options: _*)
      val before = rows(path)
      val old = slices(path)
      assertEquals(old.exists(_.logs.nonEmpty), kind == "merge-on-read")
      val last = table(path).timeline.lastCompleted.get
      val finished = cluster(path, byV)
      assertEquals(finished.map(_.replaced.values.flatten.size), Seq(old.size))
      assertEquals(rows(path), before)
      val now = slices(path)
      assertEquals(now.map(s => (s.partition, s.logs.size)).sorted, Seq("p0" -> 0, "p1" -> 0))
      now.foreach { slice =>
        val file = s"$path/${slice.base.get.relativePath}"
        val values = spark.read.parquet(file).select("v").collect().map(_.getInt(0)).toSeq
        assertEquals(values, values.sorted)
        val names = spark.read.parquet(file).select("_hoodie_file_name").distinct().collect().map(_.getString(0))
        assertEquals(names.toSeq, Seq(slice.base.get.name))
        val footer = FooterCache.read(new Configuration(), file, slice.base.get.length, withBloom = true)
        assertEquals(footer.rows, Rows / 2)
        assert(footer.minKey.exists(_ <= "k00001") && footer.maxKey.exists(_ >= "k00298"), footer.toString)
      }
      assertEquals(rows(path, "as.of.instant" -> last.time), before)
      val since = Seq("hoodie.datasource.query.type" -> "incremental",
        "hoodie.datasource.read.begin.instanttime" ->
          last.completionTime.getOrElse(last.time))
      assertEquals(rows(path, since: _*), Nil)
      val commit = table(path).store.readCommit(table(path).timeline.lastCompleted.get)
      assertEquals((commit.operation, commit.allStats.map(_.prevCommit).distinct), (CommitMetadata.Cluster,
          List("null")))
      write(path, 100, 110, 3, options: _*)
      write(path, 400, 410, 3, options: _*)
      assertEquals(spark.read.format("hudilite").load(path).where("w = 3").count(), 20L)
      assertEquals(spark.read.format("hudilite").load(path).count(), Rows + 10)
    }
  }

  test("small files are put together, those with log files merged, and a second clustering finds nothing to do") {
    val path = made("hoodie.datasource.write.table.type" -> "MERGE_ON_READ")
    write(path, 1000, 1010, 1, "hoodie.datasource.write.operation" -> "bulk_insert")
    val before = rows(path)
    val size = slices(path).size
    val preview = ClusteringRun(ServiceCall(spark, path)).preview()
    assertEquals(preview.map(p => (p.instant, p.groups.map(_.slices.size).sum)), Seq((None, size)))
    assertEquals(cluster(path, ClusteringCall()).flatMap(_.stats).map(_.numWrites), Seq(Rows / 2 + 5, Rows / 2 + 5))
    assertEquals(rows(path), before)
    assertEquals(slices(path).map(_.logs.size), Seq(0, 0))
    assertEquals(cluster(path, ClusteringCall()), Nil)
  }

  test("small files without log files are copied, and curves lay rows out by several columns at once") {
    val path = made()
    val before = rows(path)
    val copied = cluster(path, ClusteringCall()).flatMap(_.stats)
    assertEquals(copied.map(_.numWrites), Seq(Rows / 2, Rows / 2))
    assertEquals(slices(path).map(_.fileId).sorted, copied.map(_.fileId).sorted)
    assertEquals(rows(path), before)
    assertEquals(cluster(path, ClusteringCall()), Nil)
    for (layout <- Seq("z-order", "hilbert")) {
      val done = cluster(path, ClusteringCall(sortColumns = Some(Seq("v", "id")), layout = Some(layout)))
      assertEquals(done.flatMap(_.stats).size, 2)
      assertEquals(rows(path), before)
    }
    write(path, 0, 3, 5)
    assertEquals(spark.read.format("hudilite").load(path).where("w = 5").count(), 3L)
    assertEquals(rows(path).size.toLong, Rows)
  }

  test("a partition of many files is cut where the order says, and each row is shuffled once") {
    val path = made()
    val before = rows(path)
    val bytes = slices(path).filter(_.partition == "p0").map(_.totalLength).sum
    val call = byV.copy(targetBytes = Some(bytes / 2), partitions = Some(Seq("p0")))
    val planned = schedule(path, call).get
    assertEquals(planned.groups.map(_.partition).distinct, Seq("p0"))
    val nodes = executed(cluster(path, ClusteringCall()))
    assertEquals(nodes.count(_.isInstanceOf[ShuffleExchangeExec]), 1)
    assertEquals(rows(path), before)
    val files = slices(path).filter(_.partition == "p0").map(s =>
      spark.read.parquet(s"$path/${s.base.get.relativePath}").selectExpr("min(v)", "max(v)").head())
    assert(files.size >= 2, files.toString)
    val ranges = files.map(r => (r.getInt(0), r.getInt(1))).sorted
    assert(ranges.zip(ranges.tail).forall { case (a, b) => a._2 <= b._1 }, ranges.toString)
    assert(slices(path).count(_.partition == "p1") > 2)
  }

  test("of 64 files along a curve a value of either column reads less than a fifth") {
    val path = newPath()
    val total = 12800
    spark.range(0, total.toLong, 1, 1).selectExpr("id", "pmod(hash(id), 100000) a", "pmod(hash(id, 7), 100000) b")
      .write.format("hudilite").option("hoodie.datasource.write.recordkey.field", "id")
      .options(off + ("hoodie.datasource.write.operation" -> "bulk_insert")).mode("append").save(path)
    def read: DataFrame = spark.read.format("hudilite").load(path)
    for (layout <- Seq("z-order", "hilbert")) {
      val bytes = slices(path).map(_.totalLength).sum
      val call = ClusteringCall(sortColumns = Some(Seq("a", "b")), layout = Some(layout),
        targetBytes = Some((bytes + 63) / 64))
      // The bytes of rows alone: each file has a filter of its own besides.
      val done = cluster(path, call, "hoodie.index.bloom.num_entries" -> "100",
        "hoodie.clustering.plan.strategy.small.file.limit" -> s"${bytes + 1}")
      assertEquals(done.flatMap(_.stats).size, 64)
      assertEquals(read.count(), total.toLong)
      for (column <- Seq("a", "b")) {
        val shares = Seq(7, 2345, 6789, 11111).map { id =>
          val value = read.where(s"id = $id").select(column).head().getInt(0)
          val rows = read.where(s"$column = $value")
          assert(rows.collect().exists(_.getAs[Long]("id") == id))
          PlanProbe.metric(rows, ScanMetrics.RowsRead).toDouble / total
        }
        assert(shares.sum / shares.size < 0.2, s"$layout, $column: $shares")
      }
    }
  }

  test("a write on what is about to be clustered is refused by name, new rows go elsewhere") {
    val path = made()
    val planned = schedule(path, ClusteringCall(partitions = Some(Seq("p0")))).get
    val error = Raised.by(write(path, 0, 1, 3))
    assertEquals(error.condition, "CLUSTERING_PENDING")
    assert(error.getMessage.contains(planned.instant.get), error.getMessage)
    assertEquals(table(path).timeline.pending.map(_.time), planned.instant.toSeq)
    val overwrite = Raised.by(
      write(path, 0, 1, 3, "hoodie.datasource.write.operation" -> "insert_overwrite_table"))
    assertEquals(overwrite.condition, "CLUSTERING_PENDING")
    write(path, 1, 2, 3)
    write(path, 400, 402, 3, "hoodie.parquet.small.file.limit" -> "100000000")
    val before = rows(path)
    assertEquals(cluster(path, ClusteringCall()).map(_.instant), planned.instant.toSeq)
    assertEquals(rows(path), before)
    write(path, 0, 1, 4)
    assertEquals(rows(path).size.toLong, Rows + 2)
  }

  test("writes wait for a clustering that another thread runs, as their options say, and then go on by what it left") {
    val path = made()
    val wait = "hudilite.clustering.wait_time_ms"
    def beside(write: => Unit): Unit = {
      val planned = schedule(path, byV).get.instant
      val writing = Future { SparkSession.setActiveSession(spark); write }(ExecutionContext.global)
      assertEquals(cluster(path, ClusteringCall()).map(_.instant), planned.toSeq)
      Await.result(writing, Duration(1, "min"))
    }
    val before = rows(path).size
    beside(write(path, 0, 2, 7, wait -> "60000"))
    spark.conf.set(s"spark.datasource.hudilite.$wait", "60000")
    try {
      beside {
        spark.sql(s"MERGE INTO hudilite.`$path` t USING (SELECT id, p FROM hudilite.`$path` WHERE w = 7) s " +
          "ON t.id = s.id AND t.p = s.p WHEN MATCHED THEN UPDATE SET w = t.w + 1")
        ()
      }
    } finally spark.conf.unset(s"spark.datasource.hudilite.$wait")
    assertEquals(spark.read.format("hudilite").load(path).where("w = 8").count(), 2L)
    assertEquals(rows(path).size, before)
    val planned = schedule(path, byV).get.instant.get
    val late = Raised.by(write(path, 0, 1, 3, wait -> "30"))
    assertEquals(late.condition, "CLUSTERING_PENDING")
    assert(late.getMessage.contains(planned), late.getMessage)
    write(path, 400, 402, 3, wait -> "30", "hoodie.datasource.write.operation" -> "insert")
  }

  test("a table clusters itself after so many commits, when it is told to") {
    val path = made()
    val inline = Seq("hoodie.clustering.inline" -> "true", "hoodie.clustering.inline.max.commits" -> "5")
    write(path, 0, 2, 3, inline: _*)
    assertEquals(slices(path).size, 2)
    write(path, 0, 2, 4, inline: _*)
    assertEquals(table(path).timeline.writes.size, 7)
    assertEquals(spark.read.format("hudilite").load(path).where("w = 4").count(), 2L)
    spark.sql(s"UPDATE hudilite.`$path` SET w = 0 WHERE false")
    val last = table(path).timeline.lastCompleted.get
    assertEquals(table(path).store.readCommit(last).allStats, Nil, "no rows are a commit, too, as with Apache Hudi")
    write(path, 0, 2, 5, inline.updated(1, "hoodie.clustering.inline.max.commits" -> "3"): _*)
    assertEquals((table(path).timeline.writes.size, slices(path).size), (9, 2))
  }

  test("what cannot be done right is refused before anything is planned") {
    val path = made()
    val before = table(path).timeline
    for (call <- Seq(ClusteringCall(sortColumns = Some(Seq("none"))), ClusteringCall(sortColumns = Some(Seq("m"))),
        ClusteringCall(partitions = Some(Seq("p9")))))
      intercept[InvalidInput](schedule(path, call))
    for (bad <- Seq("hoodie.clustering.updates.strategy" -> "mine.AllowAll",
        "hoodie.clustering.plan.strategy.class" -> "mine.Strategy",
        "hoodie.clustering.execution.strategy.class" -> "mine.Execution",
        "hoodie.clustering.plan.strategy.unheard.of" -> "1",
        "hoodie.clustering.plan.partition.filter.mode" -> "DAY_ROLLING"))
      intercept[InvalidInput](cluster(path, byV, bad))
    intercept[InvalidInput](write(path, 0, 1, 3, "hoodie.clustering.inline" -> "true",
        "hoodie.clustering.plan.strategy.sort.columns" -> "none"))
    assertEquals(table(path).timeline, before)
    val buckets = newPath()
    val index = Seq("hoodie.index.type" -> "BUCKET", "hoodie.bucket.index.num.buckets" -> "2")
    write(buckets, 0, 20, 1, index: _*)
    val refused = intercept[InvalidInput](cluster(buckets, ClusteringCall(), index: _*))
    assertEquals(refused.condition, "CLUSTERING_NOT_POSSIBLE")
    intercept[InvalidInput](cluster(buckets, ClusteringCall()))
  }
}

package io.hudilite.spark.plan

import io.hudilite.spark.lookup.IndexProbeExec
import io.hudilite.spark.plan.layout.{PrepareTasksExec, WriteLayout, WritePlace}

import java.nio.file.{Files, Paths}

import org.apache.spark.sql.{DataFrame, SaveMode}
import org.apache.spark.sql.execution.{ProjectExec, RangeExec, SortExec, SparkPlan, UnionExec}
import org.apache.spark.sql.execution.datasources.v2.{AppendDataExec, MergeRowsExec, WriteDeltaExec}
import org.apache.spark.sql.execution.exchange.ShuffleExchangeExec
import org.apache.spark.sql.execution.hudilite.SharedRowsExec

import scala.collection.JavaConverters._

/** Plans of upserts: nodes, exchanges, columns and files. */
final class UpsertPlanSuite extends UpsertPlans {

  test("an upsert is one plan whose exchanges carry the incoming rows and never the table's keys") {
    val path = table()
    val nodes = executed(write(rows(2500, 2510, 1), path, "upsert"))
    probe(nodes)
    assertEquals(reads(nodes), Nil)
    assertEquals(shuffles(nodes), 2, clue = s"one for the duplicates, one for the file groups:\n${nodes.head}")
    assertEquals(nodes.count(_.isInstanceOf[SortExec]), 2, clue = s"the keys alone are not sorted:\n${nodes.head}")
    assertEquals(spark.read.format("hudilite").load(path).where("version = 1").count(), 10L)
    assertEquals(spark.read.format("hudilite").load(path).count(), 6000L)
  }

  private def partitionsSent(nodes: Seq[SparkPlan]): Set[String] = nodes.flatMap(_.expressions)
    .flatMap(_.collect { case place: WritePlace => place.groups.groups.slices.map(_.partition) }.flatten).toSet

  test("an upsert tells its tasks of the file groups in the partitions of its rows, and with a global index of all") {
    val path = table()
    val batch = rows(2500, 2510, 1).union(rows(5990, 6010, 1))
    val upsert = executed(write(batch, path, "upsert"))
    assertEquals(partitionsSent(upsert), Set("d1", "d2"))
    assertEquals(upsert.count(_.isInstanceOf[PrepareTasksExec]), 1, clue = s"${upsert.head}")
    assertEquals(spark.read.format("hudilite").load(path).count(), 6010L)
    assertEquals(spark.read.format("hudilite").load(path).where("version = 1").count(), 30L)
    val everywhere = executed(write(rows(0, 3, 2).write.format("hudilite"), path, "upsert", "GLOBAL_BLOOM"))
    assertEquals(partitionsSent(everywhere), Set("d0", "d1", "d2", "d3"))
    assertEquals(spark.read.format("hudilite").load(path).where("version = 2").count(), 3L)
  }

  test(
    "with a bucket index an upsert brings its rows to their buckets by one exchange and one sort, and looks nothing up") {
    for (tableType <- Seq("COPY_ON_WRITE", "MERGE_ON_READ")) {
      val path = Files.createTempDirectory("hudilite-plan").resolve("buckets").toString
      def upsert(frame: DataFrame): Unit = write(
        frame.write.format("hudilite").options(Map(
            "hoodie.datasource.write.table.type" -> tableType, "hoodie.bucket.index.num.buckets" -> "3")), path,
        "upsert",
        "BUCKET")
      upsert(rows(0, 6000, 0))
      val batch = rows(2500, 2510, 1).union(rows(2500, 2510, 0)).union(rows(7000, 7010, 1))
      val nodes = executed(upsert(batch), _.isInstanceOf[UnionExec])
      assert(nodes.exists(_.isInstanceOf[AppendDataExec]), clue = s"${nodes.head}")
      assertEquals(nodes.collect { case p: IndexProbeExec => p }, Nil)
      assertEquals(reads(nodes), Nil)
      assertEquals((shuffles(nodes), nodes.count(_.isInstanceOf[SortExec])), (1, 1), clue = s"${nodes.head}")
      val read = spark.read.format("hudilite").load(path)
      assertEquals((read.where("version = 1").count(), read.count()), (20L, 6010L))
      assertEquals(read.select("_hudilite_file_id").distinct().count(), 12L)
    }
  }

  test("without adaptive execution, too, both sides of the lookup share one exchange") {
    val path = table()
    spark.conf.set("spark.sql.adaptive.enabled", "false")
    try {
      val nodes = executed(write(rows(2500, 2510, 1), path, "upsert"))
      probe(nodes)
      assertEquals(shuffles(nodes), 2, clue = s"${nodes.head}")
    } finally spark.conf.unset("spark.sql.adaptive.enabled")
    assertEquals(spark.read.format("hudilite").load(path).where("version = 1").count(), 10L)
  }

  test("the target side reads the record key, the partition path and the file id alone") {
    val path = table()
    val nodes = executed(write(rows(10, 20, 1), path, "upsert"))
    assertEquals(probe(nodes).output.map(_.name).sorted,
      Seq("_hoodie_partition_path", "_hoodie_record_key", "_hudilite_file_id"))
  }

  test("only files whose partition, key range and bloom filter can hold an incoming key are opened") {
    val path = table()
    val one = probe(executed(write(rows(5500, 5501, 1), path, "upsert")))
    assertEquals(metric(one, "candidateFiles"), 2L)
    assertEquals(metric(one, "filesInRange"), 1L)
    assertEquals(metric(one, "filesOpened"), 1L)
    assertEquals(metric(one, "numOutputRows"), 1L)
    // An absent key within the range of one file, and a present one in another: without the latter Spark drops the probe.
    val absent = spark.range(1).selectExpr("'k002500x' id", "1L ts", "'d1' dt", "1 version")
    val both = probe(executed(write(rows(5500, 5501, 2).union(absent), path, "upsert")))
    assertEquals(metric(both, "candidateFiles"), 4L)
    assertEquals(metric(both, "filesInRange"), 2L)
    assertEquals(metric(both, "bloomHits"), 1L)
    assertEquals(metric(both, "filesOpened"), 1L)
  }

  test("a delete of a DataFrame goes the same way as an upsert") {
    val path = table()
    val nodes = executed(write(rows(0, 5, 1).select("id", "dt"), path, "delete"))
    assertEquals(metric(probe(nodes), "numOutputRows"), 5L)
    assertEquals(spark.read.format("hudilite").load(path).count(), 5995L)
  }

  test("a MERGE statement that fixes the key is probed, any other one is joined by Spark") {
    val path = table()
    rows(1990, 2010, 2).createOrReplaceTempView("changes")
    def merge(on: String): Seq[SparkPlan] = executed(spark.sql(
        s"MERGE INTO hudilite.`$path` t USING changes s ON $on WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *"))
    val keyed = merge("t.id = s.id AND t.dt = s.dt")
    assertEquals(metric(probe(keyed), "numOutputRows"), 20L)
    assertEquals(reads(keyed), Nil)
    val other = merge("t.ts = s.ts AND t.version = s.version")
    assertEquals(other.collect { case p: IndexProbeExec => p }, Nil)
    assertEquals(reads(other).size, 1)
    assertEquals(spark.read.format("hudilite").load(path).where("version = 2").count(), 20L)
  }

  test("rows of unknown number are counted before the lookup is planned") {
    val path = table()
    val nodes = executed(write(unknownSize(rows(0, 30, 5)), path, "upsert"))
    assertEquals(metric(probe(nodes), "numOutputRows"), 30L)
    assertEquals(reads(nodes), Nil)
  }

  private def baseFiles(path: String): Set[String] = {
    val walk = Files.walk(Paths.get(path))
    try walk.iterator.asScala.map(_.getFileName.toString).filter(_.endsWith(".parquet")).toSet
    finally walk.close()
  }

  test("an upsert into a merge-on-read table reads keys alone and rewrites no base file, with and without logs") {
    val path = table("MERGE_ON_READ")
    val before = baseFiles(path)
    for (round <- 1 to 2) {
      val nodes = executed(write(rows(2500, 2510, round), path, "upsert"))
      assertEquals(reads(nodes), Nil)
      assertEquals(probe(nodes).output.map(_.name).sorted,
        Seq("_hoodie_partition_path", "_hoodie_record_key", "_hudilite_file_id", "_hudilite_row_position"))
      assertEquals(metric(probe(nodes), "filesOpened"), 1L)
      assertEquals(baseFiles(path), before)
    }
    assertEquals(spark.read.format("hudilite").load(path).where("version = 2").count(), 10L)
    assertEquals(spark.read.format("hudilite").load(path).count(), 6000L)
  }

  test("a statement with a condition opens one file of a slice with logs, and reads it once") {
    val path = table("MERGE_ON_READ")
    write(rows(2500, 2510, 1), path, "upsert")
    rows(2505, 2515, 2).createOrReplaceTempView("later")
    val lookup = probe(executed(spark.sql(
          s"MERGE INTO hudilite.`$path` t USING later s ON t.id = s.id AND t.dt = s.dt " +
            "WHEN MATCHED AND t.version < 2 THEN UPDATE SET ts = s.ts + 9, version = t.version + 2")))
    // Five rows come out of the base file, and out of the log five that are found in the base file, too.
    assertEquals(Seq("candidateFiles", "filesInRange", "bloomHits", "filesOpened", "rowsRead", "falsePositives",
        "numOutputRows").map(metric(lookup, _)), Seq(2L, 1L, 0L, 1L, 1000L, 0L, 15L))
    assertEquals(
      spark.read.format("hudilite").load(path).groupBy("version").count().collect()
        .map(row => row.getInt(0) -> row.getLong(1)).toMap, Map(0 -> 5985L, 1 -> 5L, 2 -> 5L, 3 -> 5L))
  }

  test("the exchange of the incoming rows feeds the lookup, too") {
    val path = table()
    val nodes = executed(write(rows(0, 50, 4), path, "upsert"))
    assertEquals(nodes.collect { case s: SharedRowsExec => s }.size, 1, clue = s"${nodes.head}")
    assertEquals(nodes.collect { case r: RangeExec => r }.size, 1, clue = s"${nodes.head}")
  }

  test(
    "changes go to their file groups without their key made anew where it is a column, and from the sort to the writer") {
    val path = table()
    val nodes = executed(write(rows(2500, 2510, 1), path, "upsert"))
    assert(!layoutColumns(nodes).contains(WriteLayout.KeyColumn), clue = layoutColumns(nodes))
    val aboveSort = nodes.dropWhile(!_.isInstanceOf[WriteDeltaExec]).takeWhile(!_.isInstanceOf[SortExec])
    assertEquals(aboveSort.collect { case p: ProjectExec => p }, Nil, clue = s"${nodes.head}")
    assertEquals(spark.read.format("hudilite").load(path).where("version = 1").count(), 10L)
    assertEquals(spark.read.format("hudilite").load(path).count(), 6000L)
  }

  test("a key of several columns is made once for each change, not for each comparison") {
    val path = Files.createTempDirectory("hudilite-plan").resolve("composite").toString
    def upsert(frame: DataFrame): Unit = frame.write.format("hudilite")
      .options(options + ("hoodie.datasource.write.recordkey.field" -> "id,dt")).mode(SaveMode.Append).save(path)
    upsert(rows(0, 3000, 0))
    val nodes = executed(upsert(rows(2990, 3010, 1)))
    assert(layoutColumns(nodes).contains(WriteLayout.KeyColumn), clue = layoutColumns(nodes))
    val read = spark.read.format("hudilite").load(path)
    assertEquals((read.where("version = 1").count(), read.count()), (20L, 3010L))
    assertEquals(read.select("_hoodie_record_key").distinct().count(), 3010L)
  }

  private def isChecked(nodes: Seq[SparkPlan]): Boolean =
    nodes.collectFirst { case rows: MergeRowsExec => rows.checkCardinality }.getOrElse(fail(s"${nodes.head}"))

  test("that no row of the table meets several of the source is checked where the source may have several of a key") {
    val path = table()
    for (index <- Seq("BLOOM", "GLOBAL_BLOOM"))
      assert(!isChecked(executed(write(rows(10, 20, 1).write.format("hudilite"), path, "upsert", index))), index)
    def twice = rows(30, 40, 3).union(rows(30, 40, 2))
    val all = twice.write.format("hudilite").option("hoodie.combine.before.upsert", "false")
    val error = intercept[Exception](write(all, path, "upsert"))
    assert(Iterator.iterate[Throwable](error)(_.getCause).takeWhile(_ != null).exists(
        _.getMessage.contains("MERGE_CARDINALITY_VIOLATION")), clue = error)
    rows(50, 60, 4).createOrReplaceTempView("once")
    def merge(condition: String) = executed(spark.sql(s"MERGE INTO hudilite.`$path` t USING once s ON $condition " +
        "WHEN MATCHED THEN UPDATE SET *"))
    assert(!isChecked(merge("t.id = s.id AND t.dt = s.dt"))) // the newest of each key
    assert(isChecked(merge("t.id >= s.id AND t.dt = s.dt AND t.id < 'a'")))
    write(twice, path, "upsert")
    val read = spark.read.format("hudilite").load(path)
    assertEquals((read.where("version = 3").count(), read.where("version = 4").count(), read.count()),
      (10L, 10L, 6000L))
  }

  private def layoutColumns(nodes: Seq[SparkPlan]): Seq[String] =
    nodes.collect { case s: ShuffleExchangeExec => s.output.map(_.name) }.flatten
}

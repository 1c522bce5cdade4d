package io.hudilite.spark.plan

import io.hudilite.spark.Compiled
import io.hudilite.spark.lookup.{FullKeyScanExec, IndexProbeExec}

import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.execution.SparkPlan
import org.apache.spark.sql.functions.{col, concat, lit, when}

/** How the keys of a write find their rows when they are many. */
final class ManyKeysSuite extends UpsertPlans with Compiled {

  test("bloom filters are asked about each key unless a sample passes so often that every page is read anyway") {
    val path = table()
    // One page, which some five keys are enough to read for sure; every second key is in the sample.
    def upsert(first: Int, present: Int*): IndexProbeExec = {
      val id = when(col("ts").isin(present.map(first + _): _*), col("id")).otherwise(concat(col("id"), lit("x")))
      val keys = rows(first, first + 512, 0).withColumn("id", id).withColumn("version", lit(1))
      probe(executed(write(keys, path, "upsert")))
    }
    def letPass(first: Int, present: Int*): Seq[Long] = {
      val lookup = upsert(first, present: _*)
      Seq(metric(lookup, "filesInRange"), metric(lookup, "bloomHits"), metric(lookup, "numOutputRows"))
    }
    assertEquals(letPass(2000, 0), Seq(1L, 1L, 1L))
    assertEquals(letPass(3000, 0, 2), Seq(1L, 2L, 2L), "four are expected to pass")
    assertEquals(letPass(4000, 0, 2, 4), Seq(1L, 512L, 3L), "six are expected to pass")
    val read = spark.read.format("hudilite").load(path)
    assertEquals((read.count(), read.where("version = 1").count()), (7530L, 1536L))
  }

  test("more keys than a broadcast should hold are joined with a scan of the table's keys") {
    val path = table()
    spark.conf.set("spark.hudilite.lookup.maxBroadcastKeys", "10")
    try {
      val nodes = executed(write(unknownSize(rows(0, 3000, 3)), path, "upsert"))
      assert(scansKeys(nodes))
      assertEquals(reads(nodes).head.scan.readSchema().fieldNames.toSeq.sorted,
        Seq("_hoodie_partition_path", "_hoodie_record_key", "_hudilite_file_id"))
    } finally spark.conf.unset("spark.hudilite.lookup.maxBroadcastKeys")
    assertEquals(spark.read.format("hudilite").load(path).where(col("version") === 3).count(), 3000L)
    assertEquals(spark.read.format("hudilite").load(path).count(), 6000L)
  }

  /** True when keys were joined with a scan of the table's keys, false when they were looked up. */
  private def scansKeys(nodes: Seq[SparkPlan]): Boolean = {
    val lookups = nodes.collect { case p: IndexProbeExec => p }.size
    val scans = nodes.collect { case p: FullKeyScanExec => p }.size
    assertEquals(lookups + scans, 1, clue = s"${nodes.head}")
    scans == 1
  }

  private def dealt(from: Long, until: Long, version: Int): DataFrame =
    rows(from, until, version).withColumn("dt", lit("d0"))

  /** A table of one partition with two files of so many rows each. */
  private def twoFiles(name: String, fileRows: Int, tableType: String = "COPY_ON_WRITE"): String = {
    val path = java.nio.file.Files.createTempDirectory("hudilite-keys").resolve(name).toString
    for (from <- Seq(0, fileRows))
      write(dealt(from, from + fileRows, 0).coalesce(1).write.format("hudilite")
          .option("hoodie.datasource.write.table.type", tableType), path, "bulk_insert")
    path
  }

  private def assertScans(path: String, version: Int, keys: Int, scans: Boolean): Unit = {
    val nodes = executed(write(dealt(0, keys, version), path, "upsert"))
    assertEquals(scansKeys(nodes), scans, clue = s"$keys keys:\n${nodes.head}")
    assertEquals(spark.read.format("hudilite").load(path).where(s"version = $version").count(), keys.toLong)
  }

  test("keys of a fourth as many as the table has rows are joined with a scan of its keys, fewer are looked up") {
    // 202000 rows and 2000 for the two files
    val path = twoFiles("share", 101000)
    assertScans(path, 1, keys = 50999, scans = false)
    assertScans(path, 2, keys = 51000, scans = true)
    assertScans(path, 3, keys = 51001, scans = true)
    assertEquals(spark.read.format("hudilite").load(path).count(), 202000L)
  }

  test("keys that are few are looked up however small the table is, and those of a log by the numbers of their rows") {
    val path = twoFiles("few", 25000)
    assertScans(path, 1, keys = 49999, scans = false)
    assertScans(path, 2, keys = 50000, scans = true)
    assertEquals(spark.read.format("hudilite").load(path).count(), 50000L)
    assertScans(twoFiles("mor", 25000, "MERGE_ON_READ"), 1, keys = 50000, scans = false)
  }

  test("without adaptive execution, too, many keys are joined with a scan, if they are estimated to be so") {
    val path = twoFiles("static", 25000)
    spark.conf.set("spark.sql.adaptive.enabled", "false")
    try {
      assertScans(path, 1, keys = 50000, scans = false)
      assertScans(path, 2, keys = 150000, scans = true)
    } finally spark.conf.unset("spark.sql.adaptive.enabled")
    assertEquals(spark.read.format("hudilite").load(path).count(), 150000L)
  }

  test("keys that are twice among many and twice in the table are updated where they are, and those deleted go") {
    val path = twoFiles("twice", 25000)
    write(dealt(0, 10, 0).coalesce(1), path, "bulk_insert")
    val batch = dealt(0, 50000, 1).union(dealt(0, 5, 2)).union(dealt(60000, 60010, 3))
    assert(scansKeys(executed(write(batch, path, "upsert"))))
    def read: DataFrame = spark.read.format("hudilite").load(path)
    assertEquals(read.groupBy("version").count().collect().map(r => r.getInt(0) -> r.getLong(1)).toMap,
      Map(1 -> 50000L, 2 -> 10L, 3 -> 10L))
    assert(scansKeys(executed(write(dealt(0, 50001, 4).select("id", "dt"), path, "delete"))))
    assertEquals(read.count(), 10L)
  }
}

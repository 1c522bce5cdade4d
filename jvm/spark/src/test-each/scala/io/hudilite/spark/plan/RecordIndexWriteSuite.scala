package io.hudilite.spark.plan

import io.hudilite.metadata.GoldenKeys
import io.hudilite.spark.{NewestSpark, Raised}
import io.hudilite.spark.lookup.{IndexProbeExec, RowsAtPlacesExec, ShardLookupExec}
import io.hudilite.storage.HadoopStorage

import org.apache.spark.sql.{DataFrame, SaveMode}
import org.apache.spark.sql.execution.SparkPlan
import org.apache.spark.sql.execution.datasources.v2.{AppendDataExec, WriteDeltaExec}

/** Writes of tables whose record index Apache Hudi made: it answers for the files, with the same rows in the end. */
final class RecordIndexWriteSuite extends UpsertPlans {

  private def after(table: String, step: String): String = GoldenKeys.after(table, step)

  // Its index goes with the write.
  private val unkept = Map("hoodie.metadata.strict" -> "false")

  private def changed(ids: Seq[Int], ts: Int, dt: String): DataFrame = {
    val session = spark
    import session.implicits._
    ids.map(id => (f"k$id%03d", ts.toLong, dt, id * 10)).toDF("id", "ts", "dt", "i")
  }

  private def upsert(frame: DataFrame, path: String, more: Map[String, String], operation: String = "upsert"): Unit =
    frame.write.format("hudilite").options(unkept ++ more)
      .option("hoodie.datasource.write.operation", operation).mode(SaveMode.Append).save(path)

  private def content(path: String): Seq[String] = spark.read.format("hudilite").load(path)
    .select("id", "ts", "dt", "i", "_hoodie_partition_path").collect().map(_.toString).toSeq.sorted

  private def lookups(nodes: Seq[SparkPlan]): Seq[ShardLookupExec] = nodes.collect { case s: ShardLookupExec => s }
  private def probes(nodes: Seq[SparkPlan]): Seq[SparkPlan] = nodes.collect { case p: IndexProbeExec => p }

  private def opens(nodes: Seq[SparkPlan]): Seq[SparkPlan] = nodes.collect { case r: RowsAtPlacesExec => r }

  private val moving = Map("hoodie.record.index.update.partition.path" -> "true")
  private val byRecords = Map("hoodie.index.type" -> "RECORD_INDEX")
  private val inPartitions = Map("hoodie.index.type" -> "SIMPLE")
  private val inFiles =
    Map("hoodie.index.type" -> "GLOBAL_SIMPLE", "hoodie.simple.index.update.partition.path" -> "false")
  private val movingInFiles = Map("hoodie.index.type" -> "GLOBAL_SIMPLE")

  for (((table, step), t) <-
      Seq("keyed-v6" -> "upsert-again", "keyed-v8" -> "insert-and-cluster", "keyed-v9" -> "upsert-again",
        "keyed-mor-v9" -> "upsert-on-compacted").zipWithIndex;
    ((named, files), n) <-
      Seq(Map.empty[String, String] -> inPartitions, byRecords -> inFiles, moving -> movingInFiles).zipWithIndex)
    test(NewestSpark.unless(t % 3 == n)(
        s"$table after $step: an upsert has the rows of one that looks into files, $named")) {
      for (ids <- Seq(Seq(3, 21, 5, 77, 78), 0 until 1500)) {
        val (path, other) = (after(table, step), after(table, step))
        val frame = changed(ids, 50, "p1")
        val nodes = executed(upsert(frame, path, named))
        upsert(frame, other, files)
        assertEquals(content(path), content(other), ids.size)
        assertEquals((lookups(nodes).size, probes(nodes).size), (1, 0), nodes.head)
        assertEquals(lookups(nodes).head.areFew, ids.size < 1000)
        assertEquals(reads(nodes), Nil)
        // A row that may move is compared with the one that it would move; one that stays is found by its place.
        assertEquals(opens(nodes).nonEmpty, named == moving, nodes.head)
      }
    }

  private def statement(text: String, path: String): Seq[SparkPlan] = {
    val table = s"hudilite.`$path`"
    executed {
      spark.conf.set("hoodie.metadata.strict", "false")
      try spark.sql(text.replace("{t}", table))
      finally spark.conf.unset("hoodie.metadata.strict")
    }
  }

  private val merges = Seq(
    "MERGE INTO {t} t USING src s ON t.id = s.id WHEN MATCHED THEN DELETE",
    "MERGE INTO {t} t USING src s ON t.id = s.id WHEN MATCHED THEN UPDATE SET i = t.i + s.i, ts = s.ts",
    "MERGE INTO {t} t USING src s ON t.id = s.id AND t.dt = s.dt WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *",
    "DELETE FROM {t} t WHERE EXISTS (SELECT 1 FROM src s WHERE s.id = t.id)",
    "UPDATE {t} SET i = 77, ts = 90 WHERE id IN (SELECT id FROM src)",
    "UPDATE {t} SET i = 77, ts = 90 WHERE id = 'k003'",
    "DELETE FROM {t} WHERE id = 'k003'")

  for (((table, step), t) <- Seq("keyed-v9" -> "upsert-again", "keyed-mor-v9" -> "upsert-on-compacted",
      "keyed-in-partitions-v9" -> "delete").zipWithIndex;
    (text, n) <- merges.zipWithIndex)
    test(NewestSpark.unless(t == n % 3)(s"$table: $text")) {
      for (ids <- Seq(Seq(3, 21, 77), 0 until 1500)) {
        val (path, other) = (after(table, step), after(table, step))
        changed(ids, 50, "p1").createOrReplaceTempView("src")
        val nodes = statement(text, path)
        spark.conf.set("hoodie.index.type", "SIMPLE")
        try statement(text, other)
        finally spark.conf.unset("hoodie.index.type")
        assertEquals(content(path), content(other), ids.size)
        if (text.startsWith("MERGE") && !table.contains("partitions")) {
          assertEquals((lookups(nodes).size, probes(nodes).size, reads(nodes)), (1, 0, Nil), nodes.head)
          val opened = opens(nodes).map(metric(_, "filesOpened"))
          assert(opened.nonEmpty == text.contains("t.i +") && opened.forall(_ <= 4), opened)
        }
      }
    }

  test("a key of two partitions is found in its own alone by an index of partitions") {
    for (ids <- Seq(Seq(2, 4, 5, 77), 0 until 1500)) {
      val (path, other) = (after("keyed-in-partitions-v9", "delete"), after("keyed-in-partitions-v9", "delete"))
      val frame = changed(ids, 50, "p-3_x").union(changed(ids, 51, "new"))
      val nodes = executed(upsert(frame, path, Map.empty))
      upsert(frame, other, Map("hoodie.index.type" -> "SIMPLE"))
      assertEquals(content(path), content(other), ids.size)
      assertEquals((lookups(nodes).size, probes(nodes).size), (1, 0), nodes.head)
    }
  }

  for ((table, step) <- Seq("keyed-v9" -> "twice", "keyed-mor-v9" -> "delete", "keyed-mor-v9" -> "late-delete"))
    test(s"$table after $step: files answer, and every row of a key is changed") {
      val (path, other) = (after(table, step), after(table, step))
      val nodes = executed(upsert(changed(Seq(3, 4, 1), 50, "p1"), path, byRecords))
      upsert(changed(Seq(3, 4, 1), 50, "p1"), other, inFiles)
      assertEquals(content(path), content(other))
      assertEquals((lookups(nodes).size, probes(nodes).size), (0, 1), nodes.head)
    }

  test("a row is changed by its key in the one file group that the index says") {
    for (text <- Seq("UPDATE {t} SET i = 77, ts = 90 WHERE id = 'k003'", "DELETE FROM {t} WHERE id = 'k003'")) {
      val nodes = statement(text, after("keyed-v9", "insert-and-cluster"))
      assertEquals(reads(nodes).map(metric(_, "filesPrunedByRecordIndex")), Seq(2L), text)
    }
  }

  test("many keys are brought to their shards by one exchange of their own, and few by none; no data file is opened") {
    for ((ids, exchanges) <- Seq(Seq(2, 6) -> 2, (0 until 1500) -> 3)) {
      val nodes = executed(upsert(changed(ids, 50, "p1"), after("keyed-in-partitions-v9", "delete"), Map.empty))
      assertEquals(shuffles(nodes), exchanges, nodes.head)
      assertEquals(opens(nodes), Nil)
      val lookup = lookups(nodes).head
      assertEquals(metric(lookup, "keysAsked"), ids.size.toLong)
      assert(metric(lookup, "shardsAsked") <= 3L && metric(lookup, "numOutputRows") >= 2L, lookup.metrics)
    }
  }

  test("keys that are null or come twice find what they find in files, and so do all without adaptive execution") {
    val text = "MERGE INTO {t} t USING src s ON t.id = s.id WHEN MATCHED THEN UPDATE SET i = -1, ts = 90"
    for (adaptive <- Seq("true", "false")) {
      val (path, other) = (after("keyed-v9", "upsert-again"), after("keyed-v9", "upsert-again"))
      spark.conf.set("spark.sql.adaptive.enabled", adaptive)
      try {
        changed(Seq(3, 21), 50, "p1").selectExpr("IF(id = 'k003', id, NULL) id", "dt")
          .union(changed(Seq(5, 88), 50, "p1").selectExpr("id", "dt")).createOrReplaceTempView("src")
        assertEquals(lookups(statement(text, path)).size, 1)
        upsert(changed(Seq(5, 5, 6, 6, 90, 90), 60, "p0"), path, byRecords)
        spark.conf.set("hoodie.index.type", "SIMPLE")
        statement(text, other)
      } finally {
        spark.conf.unset("hoodie.index.type")
        spark.conf.unset("spark.sql.adaptive.enabled")
      }
      upsert(changed(Seq(5, 5, 6, 6, 90, 90), 60, "p0"), other, inFiles)
      assertEquals(content(path), content(other), adaptive)
    }
  }

  test("a row whose path does not tell its partition for sure keeps the values that its file has") {
    val (path, other) = (after("keyed-v9", "upsert-again"), after("keyed-v9", "upsert-again"))
    val found = Seq(path -> byRecords, other -> inFiles).map { case (of, index) =>
      upsert(changed(Seq(90, 91), 50, null), of, inPartitions)
      opens(executed(upsert(changed(Seq(3, 90, 91), 60, "p1"), of, index))).size
    }
    assertEquals(found, Seq(1, 0))
    assertEquals(content(path), content(other))
    assertEquals(spark.read.format("hudilite").load(path).where("id IN ('k090', 'k091') AND dt IS NULL").count(), 2L)
  }

  for (partitions <- Seq("dt", "id,dt"))
    test(s"columns of the path, $partitions, that are parts of the record key are told by the path") {
      val own = options ++ Map("hoodie.datasource.write.recordkey.field" -> "id,dt",
        "hoodie.datasource.write.partitionpath.field" -> partitions)
      val changes = changed(0 until 12, 90, "p0").union(changed(8 until 14, 90, "p1"))
      val contents = Seq("true" -> byRecords, "false" -> inPartitions).map { case (index, by) =>
        val path = java.nio.file.Files.createTempDirectory("hudilite-plan").resolve("own").toString
        changed(0 until 10, 1, "p0").union(changed(5 until 12, 1, "p1")).coalesce(1).write.format("hudilite")
          .options(own + ("hoodie.metadata.record.index.enable" -> index)).mode(SaveMode.Append).save(path)
        changes.createOrReplaceTempView("src")
        statement(
          "MERGE INTO {t} t USING src s ON t.id = s.id AND t.dt = s.dt " +
            "WHEN MATCHED THEN UPDATE SET i = t.i + 1, ts = s.ts WHEN NOT MATCHED THEN INSERT *", path)
        upsert(changed(3 until 16, 99, "p1"), path, by)
        content(path)
      }
      assertEquals(contents.head, contents.last)
      assertEquals(contents.head.size, 12 + 13)
    }

  test("a place without its row is refused where the row is asked for") {
    val path = java.nio.file.Files.createTempDirectory("hudilite-plan").resolve("own").toString
    val made = options ++ Map("hoodie.metadata.record.index.enable" -> "true")
    Seq(0, 10).foreach(from =>
      rows(from, from + 10, 0).write.format("hudilite").options(made)
        .options(Map("hoodie.datasource.write.operation" -> "insert", "hoodie.parquet.small.file.limit" -> "0"))
        .mode(SaveMode.Append).save(path))
    val storage = new HadoopStorage(spark.sparkContext.hadoopConfiguration)
    val files = storage.list(s"$path/d0").map(_.path).filter(_.endsWith(".parquet")).sorted
    assertEquals(files.size, 2)
    files.zip(files.reverse.map(storage.read(_).get)).foreach { case (name, bytes) => storage.replace(name, bytes) }
    rows(0, 5, 0).createOrReplaceTempView("src")
    val error = Raised.by(statement(
        "MERGE INTO {t} t USING src s ON t.id = s.id WHEN MATCHED THEN UPDATE SET version = t.version + 1", path))
    assert(error.getMessage.contains("which does not have it"), error)
  }

  test("buckets of a merge-on-read table and a record index are refused beside each other") {
    val path = java.nio.file.Files.createTempDirectory("hudilite-plan").resolve("own").toString
    val buckets = options ++ Map("hoodie.datasource.write.table.type" -> "MERGE_ON_READ",
      "hoodie.index.type" -> "BUCKET", "hoodie.bucket.index.num.buckets" -> "2")
    val indexed = buckets + ("hoodie.metadata.record.index.enable" -> "true")
    def write(more: Map[String, String]): Unit =
      rows(0, 10, 0).write.format("hudilite").options(more).mode(SaveMode.Append).save(path)
    def refused(): Unit = assert(intercept[io.hudilite.error.InvalidInput](write(indexed)).getMessage
        .contains("hoodie.metadata.global.record.level.index.enable=false"))
    refused()
    write(buckets)
    refused()
    assertEquals(spark.read.format("hudilite").load(path).count(), 10L)
  }

  test("a named index that the table does not have in this way is refused before anything is written") {
    val path = after("keyed-in-partitions-v9", "delete")
    val before = content(path)
    val refused = intercept[io.hudilite.error.InvalidInput](
      upsert(changed(Seq(3), 50, "p1"), path, Map("hoodie.index.type" -> "record_index")))
    assert(refused.getMessage.contains("RECORD_LEVEL_INDEX"), refused.getMessage)
    assertEquals(content(path), before)
  }

  private def life(kind: String, tableType: String): Unit = {
    val path = java.nio.file.Files.createTempDirectory("hudilite-plan").resolve("own").toString
    val made = options ++ Map("hoodie.datasource.write.table.type" -> tableType,
      s"hoodie.metadata.$kind.enable" -> "true",
      "hoodie.metadata.record.index.min.filegroup.count" -> "2",
      "hoodie.metadata.record.index.max.filegroup.count" -> "2",
      "hoodie.parquet.max.file.size" -> "60000")
    def written(frame: DataFrame, operation: String): Seq[ShardLookupExec] =
      lookups(executed(frame.write.format("hudilite").options(made).option("hoodie.datasource.write.operation",
            operation)
            .mode(SaveMode.Append).save(path),
          node => node.isInstanceOf[WriteDeltaExec] || node.isInstanceOf[AppendDataExec]))
    def now: Map[String, Long] = {
      val found = spark.read.format("hudilite").load(path).select("id", "version").collect()
      assertEquals(found.map(_.getString(0)).distinct.length, found.length)
      found.map(row => row.getString(0) -> row.getAs[Number](1).longValue).toMap
    }
    def keyed(ids: Seq[Long], version: Int): Map[String, Long] = ids.map(i => f"k$i%06d" -> version.toLong).toMap
    written(rows(0, 6000, 0), "bulk_insert")
    var model = keyed(0L until 6000L, 0)
    for ((from, until, version) <- Seq((100, 130, 1), (5990, 6020, 2), (1000, 3000, 3), (6010, 6015, 4))) {
      val found = written(rows(from, until, version), "upsert")
      model = model ++ keyed(from.toLong until until.toLong, version)
      assertEquals(found.size, 1, s"$version")
      assertEquals(now, model)
    }
    assertEquals(written(rows(100, 110, 9), "delete").size, 1)
    assertEquals(now, model -- keyed(100L until 110L, 0).keys)
    // Base files may hold keys that logs have deleted, which are put back where they were.
    assertEquals(written(rows(105, 120, 10), "upsert").size, if (tableType == "COPY_ON_WRITE") 1 else 0)
    assertEquals(now, model -- keyed(100L until 105L, 0).keys ++ keyed(105L until 120L, 10))
  }

  for (kind <- Seq("record.index", "record.level.index"); tableType <- Seq("COPY_ON_WRITE", "MERGE_ON_READ"))
    test(NewestSpark.unless((kind == "record.index") == (tableType == "MERGE_ON_READ"))(
        s"$kind of a $tableType table that hudilite makes answers write after write"))(life(kind, tableType))
}

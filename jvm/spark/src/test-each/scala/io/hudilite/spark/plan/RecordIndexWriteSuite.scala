package io.hudilite.spark.plan

import io.hudilite.metadata.GoldenKeys
import io.hudilite.spark.lookup.{IndexProbeExec, ShardLookupExec}

import org.apache.spark.sql.{DataFrame, SaveMode}
import org.apache.spark.sql.execution.SparkPlan

/** Writes of tables whose record index Apache Hudi made: it answers for the files, with the same rows in the end. */
final class RecordIndexWriteSuite extends UpsertPlans {

  private def after(table: String, step: String): String =
    GoldenKeys.onDisk(GoldenKeys.steps(table).find(_.name == step).get.after)

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

  private val moving = Map("hoodie.record.index.update.partition.path" -> "true")
  private val inFiles = Map("hoodie.index.type" -> "GLOBAL_SIMPLE", "hoodie.simple.index.update.partition.path" -> "false")
  private val movingInFiles = Map("hoodie.index.type" -> "GLOBAL_SIMPLE")

  for ((table, step) <- Seq("keyed-v6" -> "upsert-again", "keyed-v8" -> "insert-and-cluster", "keyed-v9" -> "upsert-again",
      "keyed-mor-v9" -> "upsert-on-compacted"); (named, files) <- Seq(Map.empty[String, String] -> inFiles, moving -> movingInFiles))
    test(s"$table after $step: an upsert without an index named has the rows of one that looks into files, $named") {
      for (ids <- Seq(Seq(3, 21, 5, 77, 78), 0 until 1500)) {
        val (path, other) = (after(table, step), after(table, step))
        val frame = changed(ids, 50, "p1")
        val nodes = executed(upsert(frame, path, named))
        upsert(frame, other, files)
        assertEquals(content(path), content(other), ids.size)
        assertEquals((lookups(nodes).size, probes(nodes).size), (1, 0), nodes.head)
        assertEquals(lookups(nodes).head.areFew, ids.size < 1000)
        assertEquals(reads(nodes), Nil)
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

  for ((table, step) <- Seq("keyed-v9" -> "upsert-again", "keyed-mor-v9" -> "upsert-on-compacted",
      "keyed-in-partitions-v9" -> "delete"); text <- merges)
    test(s"$table: $text") {
      for (ids <- Seq(Seq(3, 21, 77), 0 until 1500)) {
        val (path, other) = (after(table, step), after(table, step))
        changed(ids, 50, "p1").createOrReplaceTempView("src")
        val nodes = statement(text, path)
        spark.conf.set("hoodie.index.type", "SIMPLE")
        try statement(text, other)
        finally spark.conf.unset("hoodie.index.type")
        assertEquals(content(path), content(other), ids.size)
        println(s"XX $table $text ${ids.size}\n${nodes.head}")
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
      val nodes = executed(upsert(changed(Seq(3, 4, 1), 50, "p1"), path, Map("hoodie.index.type" -> "RECORD_INDEX")))
      upsert(changed(Seq(3, 4, 1), 50, "p1"), other, inFiles)
      assertEquals(content(path), content(other))
      assertEquals((lookups(nodes).size, probes(nodes).size), (0, 1), nodes.head)
    }
}

package io.hudilite.spark.plan

import io.hudilite.error.InvalidInput
import io.hudilite.spark.{NewestSpark, SharedSession}
import io.hudilite.spark.shim.NewerCapabilities

import java.nio.file.Files

import org.apache.spark.sql.{DataFrame, SaveMode}

import munit.FunSuite

import scala.concurrent.duration.{Duration, DurationInt}

/** MERGE statements that Spark alone would plan otherwise. */
class MergeStatementSuite extends FunSuite {

  override val munitTimeout: Duration = 10.minutes

  private val spark = SharedSession.spark

  private val options = Map(
    "hoodie.datasource.write.recordkey.field" -> "id",
    "hoodie.datasource.write.partitionpath.field" -> "p",
    "hoodie.datasource.write.precombine.field" -> "ts")

  private def rows(values: (String, String, Long, String)*): DataFrame =
    spark.createDataFrame(values).toDF("id", "p", "ts", "v")

  private def table(tableType: String): String = {
    val path = Files.createTempDirectory("hudilite-merge").resolve("t").toString
    rows(("a", "x", 1, "old"), ("b", "x", 1, "old"), ("c", "y", 1, "old")).write.format("hudilite").options(options)
      .option("hoodie.datasource.write.table.type", tableType).mode(SaveMode.Append).save(path)
    path
  }

  private def shown(path: String): Seq[(String, String)] =
    spark.read.format("hudilite").load(path).select("id", "v").collect()
      .map(r => r.getString(0) -> r.getString(1)).sorted.toSeq

  private def merge(path: String, source: DataFrame, clauses: String): Unit = {
    source.createOrReplaceTempView("src")
    spark.sql(s"MERGE INTO hudilite.`$path` t USING src s ON $clauses")
    ()
  }

  private val old = Seq("a" -> "old", "b" -> "old", "c" -> "old")
  private val insert = "WHEN NOT MATCHED THEN INSERT *"

  for (tableType <- Seq("COPY_ON_WRITE", "MERGE_ON_READ")) {

    for (on <- Seq("t.id = s.id AND t.p = s.p", "t.id = s.id", "t.v = s.v AND t.id = s.id",
        "t.ts + 1 = s.ts AND t.id <=> s.id"))
      test(s"a MERGE that only inserts leaves the rows that it finds alone, $tableType, ON $on") {
        val path = table(tableType)
        merge(path, rows(("a", "x", 2, "old"), ("d", "x", 2, "new"), ("e", "z", 2, "new")), s"$on $insert")
        assertEquals(shown(path), old ++ Seq("d" -> "new", "e" -> "new"))
      }

    test(s"a MERGE with several insert clauses takes the first that applies, and minds no key twice, $tableType") {
      val path = table(tableType)
      merge(path,
        rows(("a", "x", 2, "1"), ("a", "x", 2, "2"), ("d", "x", 2, "3"), ("e", "y", 3, "4"), ("f", "y", 4, "5")),
        "t.id = s.id WHEN NOT MATCHED AND s.ts = 2 THEN INSERT (id, p, ts, v) VALUES (s.id, s.p, s.ts, 'two') " +
          "WHEN NOT MATCHED AND s.ts = 3 THEN INSERT (id, p, ts, v) VALUES (s.id, s.p, s.ts, 'three')")
      assertEquals(shown(path), old ++ Seq("d" -> "two", "e" -> "three"))
    }

    test(s"a MERGE that only deletes minds no key twice, $tableType") {
      val path = table(tableType)
      merge(path,
        rows(("a", "x", 2, "1"), ("a", "x", 3, "2"), ("a", "x", 4, "3"), ("c", "y", 2, "4"), ("d", "y", 2, "5")),
        "t.id = s.id AND t.p = s.p WHEN MATCHED THEN DELETE")
      assertEquals(shown(path), Seq("b" -> "old"))
    }

    test(s"a key that is null matters only in a row that is inserted, $tableType") {
      val path = table(tableType)
      val source = rows((null, "x", 2, "null"), ("", "x", 2, "empty"), ("a", "x", 2, "new"))
      merge(path, source, "t.id = s.id AND t.p = s.p WHEN MATCHED THEN UPDATE SET v = s.v")
      val updated = old.updated(0, "a" -> "new")
      assertEquals(shown(path), updated)
      merge(path, source.union(rows(("d", "x", 2, "new"))),
        s"t.id = s.id WHEN NOT MATCHED AND length(s.id) > 0 THEN INSERT *")
      assertEquals(shown(path), updated :+ ("d" -> "new"))
      val failure = intercept[InvalidInput](merge(path, source, s"t.id = s.id $insert"))
      assertEquals(failure.condition, "NULL_RECORD_KEY")
      assertEquals(failure.getMessage.linesIterator.size, 1)
      assertEquals(shown(path), updated :+ ("d" -> "new"))
    }

    test(s"the record key's meta column says in which rows a MERGE is interested, $tableType") {
      val path = table(tableType)
      merge(path, rows(("a", "x", 2, "new"), ("d", "x", 2, "new")),
        s"t._hoodie_record_key = s.id WHEN MATCHED THEN UPDATE SET * $insert")
      assertEquals(shown(path), old.updated(0, "a" -> "new") :+ ("d" -> "new"))
      merge(path, rows(("b", "x", 2, "gone")), "s.id = t._hoodie_record_key WHEN MATCHED THEN DELETE")
      assertEquals(shown(path), Seq("a" -> "new", "c" -> "old", "d" -> "new"))
    }

    test(
      s"meta columns are told of rows that a MERGE deletes, and of updated ones as far as Spark reads them, $tableType") {
      val path = table(tableType)
      merge(path, rows(("a", "x", 2, "1"), ("b", "x", 2, "2")),
        "t.id = s.id AND t._hoodie_partition_path = 'x' WHEN MATCHED AND t._hoodie_record_key = 'a' THEN DELETE")
      assertEquals(shown(path), Seq("b" -> "old", "c" -> "old"))
      for ((how, expected) <- Seq(
          "t.id = s.id WHEN MATCHED AND t._hoodie_partition_path = 'x' THEN UPDATE SET v = s.v" -> "new",
          "t.id = s.id WHEN MATCHED THEN UPDATE SET v = t._hoodie_partition_path" -> "x"))
        if (NewerCapabilities.schemaEvolution.isEmpty) {
          merge(path, rows(("b", "x", 2, "new")), how)
          assertEquals(shown(path), Seq("b" -> expected, "c" -> "old"))
        } else {
          val refused = intercept[InvalidInput](merge(path, rows(("b", "x", 2, "new")), how))
          assertEquals(refused.condition, "STATEMENT_NOT_SUPPORTED")
          assert(!refused.getMessage.contains("\n") && refused.getMessage.contains("_hoodie_partition_path"), refused)
          assertEquals(shown(path), Seq("b" -> "old", "c" -> "old"))
        }
    }
  }

  private val manyKeys = rows(("d", "x", 3, "newest"), ("d", "x", 1, "older"), ("d", "x", 2, "middle"),
    ("e", "x", 5, "e"), ("d", "z", 1, "other"), ("f", "y", 1, "f"), ("f", "y", 1, "f"))

  for {
    tableType <- Seq("COPY_ON_WRITE", "MERGE_ON_READ")
    index <- Seq("SIMPLE", "BLOOM", "GLOBAL_SIMPLE", "BUCKET")
    matched <- Seq("", "WHEN MATCHED THEN UPDATE SET *")
  } test(NewestSpark.unless((tableType == "MERGE_ON_READ") == matched.isEmpty)(
      s"of the new rows of a key in a partition a MERGE writes the newest, $tableType, $index, $matched")) {
    val path = Files.createTempDirectory("hudilite-merge").resolve("t").toString
    val all = options ++ Map("hoodie.datasource.write.table.type" -> tableType, "hoodie.index.type" -> index) ++
      (if (index == "BUCKET") Map("hoodie.bucket.index.num.buckets" -> "2") else Nil)
    rows(("a", "x", 1, "old"), ("c", "y", 1, "old")).write.format("hudilite").options(all).mode(SaveMode.Append)
      .save(path)
    def merged(settings: (String, String)*): Unit =
      SharedSession.withConf((all -- options.keys - "hoodie.datasource.write.table.type").toSeq.map {
        case (key, value) => s"spark.datasource.hudilite.$key" -> value
      } ++ settings: _*)(merge(path, manyKeys.union(rows(("a", "x", 2, "new"))),
          s"t.id = s.id AND t.p = s.p $matched $insert"))
    merged()
    val a = "a" -> (if (matched.isEmpty) "old" else "new")
    val elsewhere = if (index.startsWith("GLOBAL")) Nil else Seq("d" -> "other")
    assertEquals(shown(path), Seq(a, "c" -> "old", "d" -> "newest") ++ elsewhere ++ Seq("e" -> "e", "f" -> "f"))
    val files = spark.read.format("hudilite").option("hoodie.datasource.read.meta.columns", "true").load(path)
    assertEquals(files.where("id = 'd' AND p = 'x'").count(), 1L)
  }

  // `f` has one version in each of two partitions, none of which is newer.
  private val newKeys = rows(("d", "x", 1, "older"), ("d", "z", 3, "newest"), ("d", "y", 2, "middle"),
    ("e", "x", 5, "e"), ("f", "x", 1, "f"), ("f", "y", 1, "f"))

  for {
    tableType <- Seq("COPY_ON_WRITE", "MERGE_ON_READ")
    (index, moves) <- Seq("GLOBAL_SIMPLE" -> "simple", "GLOBAL_BLOOM" -> "bloom")
    follows <- Seq(true, false)
    on <- Seq("t.id = s.id", "concat(t.id, 'x') = concat(s.id, 'x')")
    matched <- Seq("", "WHEN MATCHED THEN UPDATE SET *")
  } test(NewestSpark.unless(
      // Each pair of two of the values comes.
      ((tableType == "MERGE_ON_READ") == follows) == (index == "GLOBAL_BLOOM") &&
        ((on == "t.id = s.id") == follows) == matched.isEmpty)(
      s"a new key comes once into a table with a global index, $tableType, $index, $follows, ON $on $matched")) {
    val all = Map("hoodie.index.type" -> index, s"hoodie.$moves.index.update.partition.path" -> follows.toString)
    val settings = all.toSeq.map { case (key, value) => s"spark.datasource.hudilite.$key" -> value }
    val path = table(tableType)
    val source = newKeys.union(rows(("a", if (follows) "z" else "x", 2, "new"), ("c", "y", 2, "new")))
    SharedSession.withConf(settings: _*)(merge(path, source, s"$on $matched $insert"))
    val version = if (matched.isEmpty) "old" else "new"
    assertEquals(shown(path),
      Seq("a" -> version, "b" -> "old", "c" -> version, "d" -> "newest", "e" -> "e", "f" -> "f"))
    val upserted = table(tableType)
    newKeys.write.format("hudilite").options(options ++ all).mode(SaveMode.Append).save(upserted)
    assertEquals(shown(upserted), old ++ Seq("d" -> "newest", "e" -> "e", "f" -> "f"))
  }

  test("rows of one key that a MERGE moves all stay, and so does a new row beside them") {
    val path = table("COPY_ON_WRITE")
    rows(("a", "y", 1, "twin")).write.format("hudilite").options(options)
      .option("hoodie.datasource.write.operation", "insert").mode(SaveMode.Append).save(path)
    SharedSession.withConf("spark.datasource.hudilite.hoodie.index.type" -> "GLOBAL_SIMPLE")(
      merge(path, rows(("a", "x", 2, "1"), ("a", "y", 2, "2"), ("a", "w", 2, "3")),
        "t.id = s.id AND t.p = s.p WHEN MATCHED THEN UPDATE SET p = concat(s.p, s.p), v = s.v " + insert))
    assertEquals(shown(path), Seq("a" -> "1", "a" -> "2", "a" -> "3", "b" -> "old", "c" -> "old"))
  }

  test("a MERGE without combining writes all new rows of a key") {
    val path = table("COPY_ON_WRITE")
    SharedSession.withConf("spark.datasource.hudilite.hoodie.combine.before.upsert" -> "false")(
      merge(path, rows(("d", "x", 3, "1"), ("d", "x", 1, "2")), s"t.id = s.id AND t.p = s.p $insert"))
    assertEquals(shown(path), old ++ Seq("d" -> "1", "d" -> "2"))
  }

  test("an insert-only MERGE is probed where it fixes the key") {
    val path = table("COPY_ON_WRITE")
    rows(("a", "x", 2, "v")).createOrReplaceTempView("src")
    val plan =
      spark.sql(s"EXPLAIN MERGE INTO hudilite.`$path` t USING src s ON t.id = s.id $insert").head().getString(0)
    assert(plan.contains("IndexProbe"), plan)
    val byMeta = spark.sql(
      s"EXPLAIN MERGE INTO hudilite.`$path` t USING src s ON t._hoodie_record_key = s.id $insert").head().getString(0)
    assert(byMeta.contains("IndexProbe"), byMeta)
  }
}

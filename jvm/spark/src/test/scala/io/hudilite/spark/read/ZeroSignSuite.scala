package io.hudilite.spark.read

import io.hudilite.spark.SharedSession

import java.nio.file.Files

import org.apache.spark.sql.DataFrame

import munit.FunSuite

import scala.concurrent.duration.{Duration, DurationInt}

/** `-0.0` and `0.0` are one number to Spark, whichever of the two a file, a statistic or a filter has. */
class ZeroSignSuite extends FunSuite {

  override def munitTimeout: Duration = 5.minutes

  private val spark = SharedSession.spark

  private val types = Seq("DOUBLE", "FLOAT")

  // Groups of values that make statistics, dictionaries and pages of every kind: each is one file.
  private val files: Seq[Seq[String]] = Seq(Seq("-0.0"), Seq("0.0"), Seq("-0.0", "0.0"), Seq("-0.0", "5.0"),
    Seq("0.0", "5.0"), Seq("-5.0", "-0.0"), Seq("-5.0", "0.0"), Seq("-5.0", "5.0"), Seq("NULL", "-0.0"),
    Seq("CAST('NaN' AS DOUBLE)", "0.0"))

  private def frame(dataType: String, values: Seq[(Int, String)]): DataFrame =
    spark.sql(values.map { case (id, v) => s"SELECT concat('k', $id) id, CAST($v AS $dataType) x" }
      .mkString(" UNION ALL "))

  // Values come often enough for a dictionary to be worth its place in the file.
  private def numbered: Seq[Seq[(Int, String)]] = files.zipWithIndex.map { case (values, file) =>
    Seq.fill(Times)(values).flatten.zipWithIndex.map { case (v, i) => (file * 100 + i, v) }
  }

  private val Times = 20

  private def write(rows: DataFrame, path: String, operation: String, more: Map[String, String] = Map.empty): Unit =
    rows.coalesce(1).write.format("hudilite").option("hoodie.datasource.write.recordkey.field", "id")
      .option("hoodie.datasource.write.operation", operation).options(more).mode("append").save(path)

  private def newPath(): String = Files.createTempDirectory("hudilite-zeros").resolve("t").toString

  // A filter on a float is pushed down as it is only with a float beside it.
  private def filters(
      dataType: String): Seq[String] = Seq("0.0", "-0.0").map(z => s"CAST($z AS $dataType)").flatMap(z =>
    Seq("=", "<", "<=", ">", ">=", "<>", "<=>").map(op => s"x $op $z") ++
      Seq(s"x IN ($z, CAST(5.0 AS $dataType))", s"NOT (x = $z OR x > $z)", s"x = $z OR x = CAST(-5.0 AS $dataType)"))

  private def answers(rows: DataFrame, filter: String): Seq[String] =
    rows.where(filter).select("id").collect().map(_.getString(0)).sorted.toSeq

  private val expected = scala.collection.mutable.Map.empty[(String, String), Seq[String]]

  private def compare(dataType: String, table: DataFrame, clue: String): Unit = {
    val plain = frame(dataType, numbered.flatten).localCheckpoint()
    filters(dataType).foreach(f =>
      assertEquals(answers(table, f), expected.getOrElseUpdate(dataType -> f, answers(plain, f)),
        s"$clue $dataType: $f"))
    val aggregates = Seq("min(x)", "max(x)", "count(x)", "count(DISTINCT x)", "sum(x)")
    assertEquals(table.selectExpr(aggregates: _*).collect().map(_.toString).toSeq.map(_.replace("-0.0", "0.0")),
      plain.selectExpr(aggregates: _*).collect().map(_.toString).toSeq.map(_.replace("-0.0", "0.0")))
  }

  for (dataType <- types)
    test(s"filters on zeros find both in files of every kind of $dataType") {
      val path = newPath()
      // As many files as there are groups: bulk inserts pack nothing.
      numbered.foreach(group => write(frame(dataType, group), path, "bulk_insert"))
      val table = spark.read.format("hudilite").load(path)
      assertEquals(table.select("_hoodie_file_name").distinct().count(), files.size.toLong)
      compare(dataType, table, "files")
      if (dataType == "DOUBLE") SharedSession.withConf("spark.sql.parquet.enableVectorizedReader" -> "false") {
        compare(dataType, spark.read.format("hudilite").load(path), "rows")
      }
    }

  test("filters on zeros find both in merged slices") {
    val path = newPath()
    val options = Map("hoodie.datasource.write.table.type" -> "MERGE_ON_READ")
    val before = numbered.map(_.map { case (id, _) => (id, "7.0") })
    before.foreach(group => write(frame("DOUBLE", group), path, "bulk_insert", options))
    numbered.foreach(group => write(frame("DOUBLE", group), path, "upsert", options))
    compare("DOUBLE", spark.read.format("hudilite").load(path), "logs")
  }

  test("a partition column of fractions is found by either zero") {
    val path = newPath()
    Seq("-0.0", "0.0", "5.0").zipWithIndex.foreach { case (v, i) =>
      write(spark.sql(s"SELECT 'k$i' id, CAST($v AS DOUBLE) x"), path, "insert",
        Map("hoodie.datasource.write.partitionpath.field" -> "x"))
    }
    val table = spark.read.format("hudilite").load(path)
    for (filter <-
        Seq("x = 0.0D", "x = -0.0D", "x IN (0.0D)", "x IN (-0.0D, 7.0D)", "x <= -0.0D", "x BETWEEN 0.0D AND 0.0D"))
      assertEquals(answers(table, filter), Seq("k0", "k1"), filter)
    assertEquals(answers(table, "x < 0.0D"), Nil)
    assertEquals(answers(table, "x > -0.0D"), Seq("k2"))
  }

  test("a key column of fractions is matched by either zero in a statement") {
    for (stored <- Seq("-0.0", "0.0"); asked <- Seq("-0.0", "0.0"); dataType <- types) {
      val path = newPath()
      spark.sql(s"SELECT CAST($stored AS $dataType) id, 'old' v").write.format("hudilite")
        .option("hoodie.datasource.write.recordkey.field", "id").mode("append").save(path)
      val table = spark.read.format("hudilite").load(path)
      assertEquals(table.where(s"id = CAST($asked AS $dataType)").count(), 1L)
      val source = spark.sql(s"SELECT CAST($asked AS $dataType) id")
      assertEquals(table.join(source, "id").count(), 1L)
      spark.sql(s"MERGE INTO hudilite.`$path` t USING (SELECT CAST($asked AS $dataType) id) s ON t.id = s.id " +
        "WHEN MATCHED THEN UPDATE SET v = 'new'")
      assertEquals(spark.read.format("hudilite").load(path).select("v").collect().map(_.getString(0)).toSeq, Seq("new"),
        s"$stored $asked")
    }
  }
}

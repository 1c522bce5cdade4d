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

  // Values that make statistics, dictionaries and pages of every kind: each group is one file.
  private val files: Seq[Seq[String]] = Seq(Seq("-0.0"), Seq("0.0"), Seq("-0.0", "0.0"), Seq("-0.0", "5.0"),
    Seq("0.0", "5.0"), Seq("-5.0", "-0.0"), Seq("-5.0", "0.0"), Seq("-5.0", "5.0"), Seq("", "-0.0"),
    Seq("NaN", "0.0"))

  // Often enough for a dictionary to be worth its place in the file.
  private val Times = 20

  private val numbered: Seq[Seq[(Int, String)]] = files.zipWithIndex.map { case (values, file) =>
    Seq.fill(Times)(values).flatten.zipWithIndex.map { case (v, i) => (file * 100 + i, v) }
  }

  // Of a text: the literal `-0.0` is a decimal, which has but one zero.
  private def number(text: String, dataType: String): String = s"CAST('$text' AS $dataType)"

  /** Rows of an id and a number; an empty text is null. */
  private def frame(dataType: String, values: Seq[(Int, String)]): DataFrame =
    spark.sql(s"SELECT concat('k', n) id, CAST(nullif(v, '') AS $dataType) x FROM VALUES " +
      values.map { case (n, v) => s"($n, '$v')" }.mkString(", ") + " t(n, v)")

  private def write(rows: DataFrame, path: String, operation: String, more: Map[String, String] = Map.empty): Unit =
    rows.coalesce(1).write.format("hudilite").option("hoodie.datasource.write.recordkey.field", "id")
      .option("hoodie.datasource.write.operation", operation).options(more).mode("append").save(path)

  private def newPath(): String = Files.createTempDirectory("hudilite-zeros").resolve("t").toString

  // A filter on a float is pushed down as it is only with a float beside it.
  private def filters(dataType: String): Seq[String] =
    Seq("0.0", "-0.0").map(number(_, dataType)).flatMap(z =>
      Seq("=", "<", "<=", ">", ">=", "<>", "<=>").map(op => s"x $op $z") ++
        Seq(s"x IN ($z, ${number("5.0", dataType)})", s"NOT (x = $z OR x > $z)",
          s"x = $z OR x = ${number("-5.0", dataType)}"))

  private def answers(rows: DataFrame, filter: String): Seq[String] =
    rows.where(filter).select("id").collect().map(_.getString(0)).sorted.toSeq

  /** Compares with plain Spark, which computes the filters as columns. */
  private def compare(dataType: String, table: DataFrame, asked: Seq[String]): Unit = {
    val plain = frame(dataType, numbered.flatten)
    val rows = plain.selectExpr("id" +: asked: _*).collect()
    asked.zipWithIndex.foreach { case (filter, i) =>
      val expected = rows.filter(r => !r.isNullAt(i + 1) && r.getBoolean(i + 1)).map(_.getString(0)).sorted.toSeq
      assertEquals(answers(table, filter), expected, s"$dataType: $filter")
    }
    val aggregates = Seq("min(x)", "max(x)", "count(x)", "count(DISTINCT x)", "sum(x)")
    def summary(of: DataFrame): String =
      of.selectExpr(aggregates: _*).collect().head.toString.replace("-0.0", "0.0")
    assertEquals(summary(table), summary(plain))
  }

  test("the rows of these tests have both zeros") {
    types.foreach(t => assertEquals(answers(frame(t, numbered.flatten), "CAST(x AS STRING) = '-0.0'").size, 100))
  }

  for (dataType <- types)
    test(s"filters on zeros find both in files of every kind of $dataType") {
      val path = newPath()
      // As many files as there are groups: bulk inserts pack nothing.
      numbered.foreach(group => write(frame(dataType, group), path, "bulk_insert"))
      val table = spark.read.format("hudilite").load(path)
      assertEquals(table.select("_hoodie_file_name").distinct().count(), files.size.toLong)
      compare(dataType, table, filters(dataType))
    }

  test("filters on zeros find both in merged slices") {
    val path = newPath()
    val options = Map("hoodie.datasource.write.table.type" -> "MERGE_ON_READ")
    val (kept, changed) = numbered.flatten.partition { case (n, _) => n % 3 == 0 }
    write(frame("DOUBLE", kept ++ changed.map { case (n, _) => (n, "7.0") }), path, "bulk_insert", options)
    write(frame("DOUBLE", changed), path, "upsert", options)
    compare("DOUBLE", spark.read.format("hudilite").load(path), filters("DOUBLE").filterNot(_.contains("<")))
  }

  test("a partition column of fractions is found by either zero") {
    val path = newPath()
    Seq("-0.0", "0.0", "5.0").zipWithIndex.foreach { case (v, i) =>
      write(spark.sql(s"SELECT 'k$i' id, ${number(v, "DOUBLE")} x"), path, "insert",
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
      spark.sql(s"SELECT ${number(stored, dataType)} id, 'old' v").write.format("hudilite")
        .option("hoodie.datasource.write.recordkey.field", "id").mode("append").save(path)
      val table = spark.read.format("hudilite").load(path)
      assertEquals(table.where(s"id = ${number(asked, dataType)}").count(), 1L)
      val source = spark.sql(s"SELECT ${number(asked, dataType)} id")
      assertEquals(table.join(source, "id").count(), 1L)
      spark.sql(s"MERGE INTO hudilite.`$path` t USING (SELECT ${number(asked, dataType)} id) s ON t.id = s.id " +
        "WHEN MATCHED THEN UPDATE SET v = 'new'")
      assertEquals(spark.read.format("hudilite").load(path).select("v").collect().map(_.getString(0)).toSeq, Seq("new"),
        s"$stored $asked")
    }
  }
}

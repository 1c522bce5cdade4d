package io.hudilite.spark.service.cluster.layout

import io.hudilite.config.service.ClusteringOptions.{Hilbert, Linear, ZOrder}
import io.hudilite.error.InvalidInput
import io.hudilite.spark.SharedSession
import io.hudilite.spark.write.WriteFixture

import org.apache.spark.sql.{Column, DataFrame}
import org.apache.spark.sql.functions.{col, monotonically_increasing_id}

import munit.FunSuite

class SortLayoutSuite extends FunSuite {

  private val spark = SharedSession.spark

  private lazy val everyType = spark.sql(WriteFixture.everyType).cache()

  private def keys(layout: String, columns: Seq[String], rows: DataFrame): Seq[Column] =
    ClusteringOrder(columns, layout).of(rows).keys

  private def places(layout: String, columns: Seq[String], rows: DataFrame): DataFrame = {
    val found = keys(layout, columns, rows)
    assertEquals(found.size, 1)
    rows.withColumn("place", found.head)
  }

  private def refusal(layout: String, columns: String*): InvalidInput =
    intercept[InvalidInput](keys(layout, columns, everyType))

  test("the linear layout is the columns themselves, and so is a curve through one column or twice the same") {
    val rows = spark.sql("SELECT * FROM VALUES (2, 'a'), (1, 'b'), (1, 'a'), (null, 'c') AS t(n, s)")
    assertEquals(rows.orderBy(keys(Linear, Seq("n", "s"), rows): _*).collect().map(_.toString).toSeq,
      Seq("[null,c]", "[1,a]", "[1,b]", "[2,a]"))
    for (columns <- Seq(Seq("s"), Seq("s", "S")))
      assertEquals(keys(Hilbert, columns, rows).map(_.toString), Seq(col("s").toString))
  }

  test("the place on a curve follows each column's own order, whatever its type, compiled and interpreted") {
    val types = Seq("b", "t", "s", "i", "l", "f", "d", "d5", "d18", "d38", "bin", "day", "ts", "ntz", "id", "nested.x")
    // Beside a column of one value the curve goes along the other one.
    val found = types.zipWithIndex.map { case (name, i) =>
      val layout = if (i % 2 == 0) ZOrder else Hilbert
      keys(layout, Seq(name, "nothing"), everyType).head.as(s"place$i")
    }
    val values = types.map(name => (if (name == "bin") col(name).cast("string") else col(name)).as(name))
    for (mode <- Seq("CODEGEN_ONLY", "NO_CODEGEN"))
      SharedSession.withConf("spark.sql.codegen.factoryMode" -> mode,
        "spark.sql.codegen.wholeStage" -> (mode == "CODEGEN_ONLY").toString) {
        val rows = everyType.select(values ++ found: _*).collect()
        types.zipWithIndex.foreach { case (name, i) =>
          val pairs = rows.map(row => (row.get(i), row.getLong(types.size + i)))
          val (nulls, others) = pairs.partition(_._1 == null)
          val inOrder = others.sortWith { case ((a, _), (b, _)) => a.asInstanceOf[Comparable[Any]].compareTo(b) < 0 }
          val places = (nulls ++ inOrder).map(_._2).toSeq
          assertEquals(places, places.sorted, s"$mode, $name")
          assert(places.distinct.size > (if (name == "b") 1 else 90), s"$mode, $name: ${places.distinct.size}")
        }
      }
  }

  test("nulls come first, NaN last, and zeros of both signs lie together") {
    val rows =
      spark.sql("SELECT * FROM VALUES (double('NaN')), (double('Infinity')), (1e300), (-0.0D), (0.0D), (-1e300), " +
        "(double('-Infinity')), (null) AS t(v)").selectExpr("v", "0 AS w")
    val inOrder = places(ZOrder, Seq("v", "w"), rows).orderBy("place", "v").select("v", "place").collect()
    assertEquals(
      inOrder.map(row => String.valueOf(row.get(0))).toSeq.map(_.replace("-0.0", "0.0")),
      Seq("null", "-Infinity", "-1.0E300", "0.0", "0.0", "1.0E300", "Infinity", "NaN"))
    assertEquals(inOrder(3).getLong(1), inOrder(4).getLong(1))
    assertEquals(inOrder.map(_.getLong(1)).distinct.length, 7)
  }

  test("a table without rows, a column of nulls and rows beyond the sample have a place") {
    val rows = spark.range(0, 20000, 1, 2).selectExpr("id", "cast(null AS int) AS nothing", "id % 7 AS week")
    assertEquals(places(Hilbert, Seq("id", "nothing", "week"), rows.limit(0)).count(), 0L)
    val found = places(Hilbert, Seq("id", "week"), rows)
    assertEquals(found.where("place IS NULL OR place < 0").count(), 0L)
    assert(found.select("place").distinct().count() > 4000)
  }

  test("files cut along a curve are skipped on skewed, long and rare values alike") {
    val rows = spark.range(0, 32000, 1, 2).selectExpr(
      "concat(repeat('x', 100), format_string('%06d', (id * 7919) % 32000)) AS name",
      "pow(2, id * 48271 % 32000 / 1000) AS skewed")
    for (layout <- Seq(ZOrder, Hilbert)) {
      val files = places(layout, Seq("name", "skewed"), rows).orderBy("place").coalesce(1)
        .withColumn("file", (monotonically_increasing_id() / 250).cast("int"))
        .groupBy("file").agg("name" -> "min", "name" -> "max", "skewed" -> "min", "skewed" -> "max").cache()
      assertEquals(files.count(), 128L)
      val median = rows.selectExpr("percentile(skewed, 0.4)").head().getDouble(0)
      val name = "x" * 100 + "012345"
      assert(files.where(s"`min(skewed)` <= $median AND `max(skewed)` >= $median").count() < 26, layout)
      assert(files.where(s"`min(name)` <= '$name' AND `max(name)` >= '$name'").count() < 26, layout)
    }
  }

  test("names with dots and in other case are found, and fields of structs by dots") {
    val rows = spark.sql("SELECT 1 AS `a.b`, named_struct('b', 2, 'C d', 3) AS a, 4 AS `q``u`")
    assertEquals(Seq("a.b", "a.c D", "q`u").map(LayoutColumn.find(_, rows).parts),
      Seq(Seq("a.b"), Seq("a", "C d"), Seq("q`u")))
    assertEquals(places(ZOrder, Seq("a.b", "a.c D", "q`u"), rows).count(), 1L)
    assertEquals(rows.orderBy(keys(Linear, Seq("a.b", "q`u"), rows): _*).count(), 1L)
  }

  test("columns that cannot be ordered, are missing or too many are refused by name") {
    for (layout <- Seq(Linear, ZOrder, Hilbert); name <- Seq("list", "dict", "nested"))
      assertEquals(refusal(layout, "id", name).condition, "UNSUPPORTED_SORT_COLUMN", s"$layout, $name")
    assertEquals(refusal(ZOrder, "id", "dict").parameters("column"), "dict")
    assertEquals(refusal(Linear, "id", "nested.q").condition, "MISSING_COLUMN")
    assertEquals(refusal(Linear, "").condition, "MISSING_COLUMN")
    val wide = spark.range(1).select((0 until 64).map(i => col("id").as(s"c$i")): _*)
    assertEquals(intercept[InvalidInput](keys(ZOrder, wide.columns.toSeq, wide)).condition,
      "INVALID_OPTION_VALUE")
    assertEquals(keys(ZOrder, wide.columns.toSeq.tail, wide).size, 1)
  }
}

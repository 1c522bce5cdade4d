package io.hudilite.spark.read

import io.hudilite.config.TableDefinition
import io.hudilite.spark.SharedSession

import munit.FunSuite
import org.apache.spark.sql.types._

/** Files that were written before the table's schema changed. */
class EvolvedReadSuite extends FunSuite {

  private val spark = SharedSession.spark

  private val now =
    StructType.fromDDL("id STRING, a BIGINT, f DOUBLE, i DOUBLE, d DECIMAL(12,3), n DECIMAL(20,2), t STRING, " +
      "s STRUCT<x: BIGINT, y: STRING>, l ARRAY<BIGINT>, m MAP<STRING, DOUBLE>, e ARRAY<STRUCT<p: BIGINT, q: STRING>>, late STRING")

  private val before = spark.sql("""SELECT 'k1' AS id, 1 AS a, CAST(1.5 AS FLOAT) AS f, 3 AS i, CAST(1.25 AS DECIMAL(6,2)) AS d,
    7 AS n, DATE'2020-01-02' AS t, named_struct('x', 5) AS s, array(1, null, 2) AS l, map('u', CAST(0.5 AS FLOAT)) AS m,
    array(named_struct('p', 9), null) AS e UNION ALL SELECT 'k2', null, null, null, null, null, null, null, null, null, null""")

  private val after =
    spark.sql("""SELECT 'k3' AS id, 10000000000L AS a, 2.5D AS f, 4.5D AS i, CAST(1.125 AS DECIMAL(12,3)) AS d,
    CAST(8.25 AS DECIMAL(20,2)) AS n, 'text' AS t, named_struct('x', 6L, 'y', 'new') AS s, array(3L) AS l,
    map('v', 1.5D) AS m, array(named_struct('p', 10L, 'q', 'z')) AS e, 'here' AS late""")

  private lazy val table: HandmadeTable = {
    val made = new HandmadeTable(TableDefinition("evolved", Seq("id")), now)
    made.commit("" -> before)
    made.commit("" -> after)
    made
  }

  private val expected = Seq(
    "[k1,1,1.5,3.0,1.250,7.00,2020-01-02,[5,null],[1,null,2],{u -> 0.5},[[9,null],null],null]",
    "[k2,null,null,null,null,null,null,null,null,null,null,null]",
    "[k3,10000000000,2.5,4.5,1.125,8.25,text,[6,new],[3],{v -> 1.5},[[10,z]],here]")

  private def shown(value: Any): String = value match {
    case row: org.apache.spark.sql.Row => row.toSeq.map(shown).mkString("[", ",", "]")
    case map: scala.collection.Map[_, _] => map.map { case (k, v) => s"$k -> ${shown(v)}" }.mkString("{", ",", "}")
    case seq: scala.collection.Seq[_] => seq.map(shown).mkString("[", ",", "]")
    case other => String.valueOf(other)
  }

  for (vectorized <- Seq("true", "false"))
    test(s"narrower types are widened and new columns are null, vectorized=$vectorized") {
      spark.conf.set("spark.sql.parquet.enableVectorizedReader", vectorized)
      try assertEquals(table.read().collect().map(shown).sorted.toSeq, expected)
      finally spark.conf.unset("spark.sql.parquet.enableVectorizedReader")
    }

  test("filters on widened and new columns find rows of old and new files") {
    def ids(filter: String): Seq[String] = table.read().where(filter).collect().map(_.getString(0)).sorted.toSeq
    assertEquals(ids("a = 1"), Seq("k1"))
    assertEquals(ids("a > 5"), Seq("k3"))
    assertEquals(ids("late is null"), Seq("k1", "k2"))
    assertEquals(ids("not (late <=> 'here')"), Seq("k1", "k2"))
    assertEquals(ids("t = '2020-01-02'"), Seq("k1"))
    assertEquals(ids("d = 1.25"), Seq("k1"))
    assertEquals(ids("s.y is null and s.x = 5"), Seq("k1"))
    assertEquals(ids("f <> 2.5"), Seq("k1"))
  }

  test("nested fields that an old file lacks are null when read alone") {
    val rows = table.read().selectExpr("id", "s.y", "e[0].q").collect().map(_.toString).sorted.toSeq
    assertEquals(rows, Seq("[k1,null,null]", "[k2,null,null]", "[k3,new,z]"))
  }

  test("counts of a new column leave out the rows of old files") {
    assertEquals(table.read().selectExpr("count(late)", "count(a)", "max(a)").collect().head.toString,
      "[1,2,10000000000]")
  }

  test("columns are matched by name without regard to case, unless the session says otherwise") {
    val made =
      new HandmadeTable(TableDefinition("cased", Seq("id")), StructType.fromDDL("id STRING, Big INT, other INT"))
    made.commit("" -> spark.sql("SELECT 2 AS other, 'k1' AS id, 1 AS BIG"))
    assertEquals(made.read().collect().map(_.toString).toSeq, Seq("[k1,1,2]"))
    assertEquals(made.read().selectExpr("count(Big)", "max(Big)").collect().head.toString, "[1,1]")
    spark.conf.set("spark.sql.caseSensitive", "true")
    try assertEquals(made.read().collect().map(_.toString).toSeq, Seq("[k1,null,2]"))
    finally spark.conf.unset("spark.sql.caseSensitive")
  }
}

package io.hudilite.spark.plan

import io.hudilite.spark.{Interpreted, SharedSession}
import io.hudilite.spark.read.PlanProbe
import io.hudilite.spark.scan.plan.HudiliteScan
import io.hudilite.spark.shim.NewerCapabilities

import java.nio.file.Files

import munit.FunSuite
import org.apache.spark.sql.{DataFrame, Row}
import org.apache.spark.sql.execution.{ReusedSubqueryExec, SparkPlan}
import org.apache.spark.sql.execution.datasources.v2.BatchScanExec
import org.apache.spark.sql.execution.exchange.ReusedExchangeExec

import scala.concurrent.duration.{Duration, DurationInt}

/** Scalar subqueries over the same rows are one, as they are over files of Spark's own. */
class SubqueryScansSuite extends FunSuite with Interpreted {

  override val munitTimeout: Duration = 10.minutes

  private lazy val spark = SharedSession.spark

  override def beforeAll(): Unit = {
    super.beforeAll()
    for (kind <- Seq("COPY_ON_WRITE", "MERGE_ON_READ")) {
      val path = Files.createTempDirectory("hudilite-subqueries").resolve("t").toString
      for (_ <- 1 to 2) // the second time to logs
        spark.range(40).selectExpr("id", "id % 4 AS a", "cast(id AS decimal(7, 2)) AS b", "id * 2 AS c").write
          .format("hudilite").option("hoodie.table.name", "t").option("hoodie.datasource.write.recordkey.field", "id")
          .option("hoodie.datasource.write.table.type", kind).mode("append").save(path)
      spark.read.format("hudilite").load(path).createOrReplaceTempView(kind.toLowerCase)
    }
  }

  private def scans(plan: SparkPlan): Seq[BatchScanExec] = plan match {
    case _: ReusedSubqueryExec => Nil
    case _ => PlanProbe.nodes(plan).flatMap { node =>
        Seq(node).collect { case b: BatchScanExec if b.scan.isInstanceOf[HudiliteScan] => b } ++
          node.subqueries.flatMap(scans)
      }
  }

  private def columns(frame: DataFrame): Seq[Seq[String]] =
    scans(frame.queryExecution.executedPlan).map(_.scan.readSchema().fieldNames.toSeq).sortBy(_.mkString)

  private def of(table: String, where: String, aggregates: String*): String =
    aggregates.map(a => s"(SELECT $a FROM $table WHERE $where)").mkString(", ")

  for (table <- Seq("copy_on_write", "merge_on_read")) {

    test(s"subqueries of the same rows read them once, $table") {
      val frame = spark.sql(s"SELECT ${of(table, "a BETWEEN 1 AND 2", "count(*)", "avg(b)", "max(c)", "sum(c) + 1")}")
      assertEquals(frame.collect().toSeq.map(_.toString), Seq("[20,19.500000,76,781]"))
      assertEquals(columns(frame), Seq(Seq("a", "b", "c")))
    }

    test(s"subqueries of other rows are read by themselves, with no columns more, $table") {
      assume(NewerCapabilities.scanMerging.isEmpty, "this Spark puts other rows together as well")
      val frame =
        spark.sql(s"SELECT ${of(table, "a = 1", "avg(b)", "max(b)")}, ${of(table, "a = 2", "max(c)", "min(c)")}")
      assertEquals(frame.collect().toSeq.map(_.toString), Seq("[19.000000,37.00,76,4]"))
      assertEquals(columns(frame), Seq(Seq("a", "b"), Seq("a", "c")))
    }
  }

  test("a subquery in a condition and another in the columns are one") {
    val frame = spark.sql("SELECT id, (SELECT max(b) FROM copy_on_write WHERE a = 1) FROM copy_on_write " +
      "WHERE c > (SELECT avg(id) + 55 FROM copy_on_write WHERE a = 1) ORDER BY id")
    assertEquals(frame.collect().toSeq.map(_.getLong(0)), Seq(38L, 39L))
    assertEquals(columns(frame).size, 2)
  }

  test("two parts of a query share what they read, though Spark has learned more of it for one than for the other") {
    val frame = spark.sql("WITH sums AS (SELECT d.a AS a, sum(f.c) AS s FROM copy_on_write f JOIN " +
      "(SELECT id, a FROM copy_on_write WHERE b > 3) d ON f.id = d.id GROUP BY d.a, f.id) " +
      "SELECT count(*) FROM sums o WHERE s > (SELECT avg(s) FROM sums i WHERE o.a = i.a)")
    assertEquals(frame.collect().toSeq, Seq(Row(16L)))
    assertEquals(PlanProbe.nodes(frame.queryExecution.executedPlan).count(_.isInstanceOf[ReusedExchangeExec]), 1)
  }

  test("an aggregate of few rows and one of all rows count their own") {
    val path = Files.createTempDirectory("hudilite-subqueries").resolve("t").toString
    spark.range(40).selectExpr("cast(id AS string) AS id", "concat('p', id % 4) AS part").write.format("hudilite")
      .option("hoodie.datasource.write.recordkey.field", "id")
      .option("hoodie.datasource.write.partitionpath.field", "part")
      .option("hoodie.datasource.write.table.type", "MERGE_ON_READ").save(path)
    spark.read.format("hudilite").load(path).createOrReplaceTempView("parted")
    val few = "SELECT id FROM parted WHERE id = (SELECT max(id) FROM parted WHERE part NOT IN ('p1') AND part > 'p9')"
    val all = "SELECT count(*) AS n, count(id) AS m, max(part) AS most FROM parted"
    val both = spark.sql(s"SELECT 1 AS q, to_json(struct(*)) AS j FROM ($few) UNION ALL " +
      s"SELECT 2 AS q, to_json(struct(*)) AS j FROM ($all)")
    assertEquals(both.collect().toSeq, Seq(Row(2, "{\"n\":40,\"m\":40,\"most\":\"p3\"}")))
  }

  test("texts and distinct values are aggregated as they were") {
    val frame =
      spark.sql(s"SELECT ${of("copy_on_write", "a = 1", "max(cast(b AS string))", "count(DISTINCT c)", "sum(c)")}")
    assertEquals(frame.collect().toSeq, Seq(Row("9.00", 10L, 380L)))
  }
}

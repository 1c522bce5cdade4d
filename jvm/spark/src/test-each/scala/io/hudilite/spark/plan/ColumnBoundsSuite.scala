package io.hudilite.spark.plan

import io.hudilite.spark.{Interpreted, SharedSession}
import io.hudilite.storage.CountingFileSystem

import java.nio.file.Files

import munit.FunSuite
import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.catalyst.plans.logical.{ColumnStat, Join, LogicalPlan}
import org.apache.spark.sql.functions.col

import scala.concurrent.duration.{Duration, DurationInt}

/** Bounds of columns from the metadata table, as the optimizer uses them without ANALYZE TABLE. */
class ColumnBoundsSuite extends FunSuite with Interpreted {

  override val munitTimeout: Duration = 10.minutes

  private lazy val spark = SharedSession.spark

  private def rows: DataFrame = spark.range(600).selectExpr("cast(id AS string) AS id", "cast(id AS int) AS n",
    "cast(id % 10 AS int) AS m", "if(id < 150, NULL, id) AS some", "date_add(date'2026-01-01', cast(id AS int)) AS day",
    "cast(id AS decimal(10,2)) AS price", "id / 2.0D AS half", "1L AS ts")

  private def withTimes: DataFrame =
    rows.selectExpr("*", "timestamp_seconds(n) AS at", "cast(day AS timestamp_ntz) AS seen")

  private def table(kind: String = "COPY_ON_WRITE", of: DataFrame = rows): String = {
    val path = CountingFileSystem.path(Files.createTempDirectory("hudilite-bounds").resolve("t").toString)
    CountingFileSystem.configure(spark.sparkContext.hadoopConfiguration)
    write(of.repartitionByRange(3, col("n")), path,
      Map("hoodie.table.name" -> "t",
        "hoodie.datasource.write.recordkey.field" -> "id", "hoodie.datasource.write.precombine.field" -> "ts",
        "hoodie.datasource.write.table.type" -> kind, "hoodie.datasource.write.operation" -> "bulk_insert",
        "hoodie.metadata.enable" -> "true", "hoodie.metadata.index.column.stats.enable" -> "true"))
    path
  }

  private def write(frame: DataFrame, path: String, options: Map[String, String] = Map.empty): Unit =
    frame.write.format("hudilite").options(options).option("hoodie.compact.inline", "false").mode("append").save(path)

  private lazy val indexed = table()

  private def read(path: String): DataFrame = spark.read.format("hudilite").load(path)

  private def costBased[T](body: => T): T = SharedSession.withConf("spark.sql.cbo.enabled" -> "true",
    "spark.sql.cbo.joinReorder.enabled" -> "true")(body)

  private def columns(frame: => DataFrame): Map[String, ColumnStat] = costBased(frame.queryExecution.optimizedPlan.stats
      .attributeStats.map { case (column, found) => column.name -> found }.toMap)

  test("a filter on a column of any type is planned, and answers right, with statistics") {
    val literals = Seq("n" -> "100", "some" -> "200", "day" -> "date'2026-03-01'", "price" -> "100.00",
      "half" -> "50.0D",
      "at" -> "timestamp_seconds(100)", "seen" -> "timestamp_ntz'2026-03-01 00:00:00'", "id" -> "'100'")
    val path = table(of = withTimes)
    for ((column, literal) <- literals; sign <- Seq("=", "<", ">=", "<=>", "!=")) {
      val filter = s"$column $sign $literal"
      assertEquals(costBased(read(path).where(filter).collect().length.toLong), withTimes.where(filter).count(), filter)
    }
  }

  test("plans know bounds, nulls and different values of columns that the metadata table has statistics of") {
    val found = columns(read(indexed))
    assertEquals((found("n").min, found("n").max, found("n").distinctCount, found("n").nullCount),
      (Some(0), Some(599), Some(BigInt(600)), Some(BigInt(0))): (Option[Any], Option[Any], Option[BigInt],
          Option[BigInt]))
    assertEquals(found("m").distinctCount.map(_.toInt), Some(10))
    assertEquals((found("some").nullCount.map(_.toInt), found("some").distinctCount.map(_.toInt)),
      (Some(150), Some(450)))
    assertEquals((found("day").max, found("day").distinctCount.map(_.toInt)),
      (Some(20454 + 599), Some(600)): (Option[Any], Option[Int]))
    assertEquals(found("price").max.map(_.toString), Some("599.00"))
    assert(!found.contains("id"), found)
  }

  test("a filter is weighed once, by bounds, also where statistics leave out files") {
    def rows(filter: String): Int =
      costBased(read(indexed).where(filter).queryExecution.optimizedPlan.stats.rowCount.get.toInt)
    for ((filter, expected) <- Seq("n < 60" -> 60, "n >= 300" -> 300, "m = 3" -> 60, "n = 17" -> 1))
      assert(math.abs(rows(filter) - expected) <= 1 + expected / 10, s"$filter: ${rows(filter)}")
  }

  test("values of log files are within the bounds") {
    val path = table("MERGE_ON_READ")
    write(rows.where("n = 5").selectExpr("id", "9000 AS n", "m", "some", "day", "price", "half", "2L AS ts"), path)
    assertEquals(columns(read(path))("n").max, Some(9000): Option[Any])
  }

  private def tables(plan: LogicalPlan): Set[String] = plan.output.map(_.name.take(1)).toSet

  test("joins come in an order in which few rows meet first") {
    def named(name: String): DataFrame = read(indexed).selectExpr("n", "m").toDF(s"${name}_n", s"${name}_m")
    // As it is written the two large sides meet first, in ten values.
    def frame: DataFrame = named("a").join(named("b"), col("a_m") === col("b_m"))
      .join(named("c").where("c_n < 5"), col("a_n") === col("c_n"))
    def first(plan: LogicalPlan): Set[String] = tables(plan.collect { case j: Join => j }.last)
    assertEquals(first(frame.queryExecution.optimizedPlan), Set("a", "b"))
    assertEquals(costBased(first(frame.queryExecution.optimizedPlan)), Set("a", "c"))
    assertEquals(costBased(frame.count()), 300L)
  }

  test("statistics are read for the cost-based optimizer alone") {
    val path = table()
    def asked(frame: DataFrame): Int = {
      val (_, calls) = CountingFileSystem.during(frame.queryExecution.optimizedPlan.stats)
      calls.all.count(_.path.contains("/column_stats/"))
    }
    assertEquals(asked(read(path).select("n")), 0)
    assert(costBased(asked(read(path).select("n"))) > 0)
  }
}

package io.hudilite.spark.plan

import io.hudilite.spark.{Interpreted, SharedSession}
import io.hudilite.spark.read.PlanProbe
import io.hudilite.spark.scan.plan.HudiliteScan
import io.hudilite.storage.CountingFileSystem

import java.nio.file.Files

import munit.FunSuite
import org.apache.spark.sql.{DataFrame, Row}
import org.apache.spark.sql.catalyst.expressions.DynamicPruningSubquery
import org.apache.spark.sql.functions.{broadcast, col, udf}

import scala.concurrent.duration.{Duration, DurationInt}

/** Joins by columns that are neither keys nor partition columns, and the files that they open by statistics of these. */
class FilteredColumnsSuite extends FunSuite with Interpreted {

  override val munitTimeout: Duration = 10.minutes

  private lazy val spark = SharedSession.spark

  private val Groups = 6

  /** Rows whose `n` is sorted by file, and `m` is not; keys are in an order of their own. */
  private def rows: DataFrame = spark.range(600).selectExpr("concat('k', reverse(lpad(id, 3, '0'))) AS id",
    "cast(id AS int) AS n", "concat('c', lpad(id, 3, '0')) AS code", "cast(id % 10 AS int) AS m", "1L AS ts",
    "repeat(uuid(), 20) AS text")

  private def table(more: (String, String)*): String = {
    val path = Files.createTempDirectory("hudilite-columns").resolve("t").toString
    rows.repartitionByRange(Groups, col("n")).write.format("hudilite").options(more.toMap)
      .option("hoodie.table.name", "t").option("hoodie.datasource.write.recordkey.field", "id")
      .option("hoodie.datasource.write.precombine.field", "ts")
      .option("hoodie.datasource.write.operation", "bulk_insert").option("hoodie.bulkinsert.sort.mode", "NONE")
      .option("hoodie.compact.inline", "false").mode("append").save(path)
    path
  }

  private val withStatistics =
    Seq("hoodie.metadata.enable" -> "true", "hoodie.metadata.index.column.stats.enable" -> "true")

  private lazy val plain = table()
  private lazy val indexed = table(withStatistics: _*)

  private def read(path: String): DataFrame = spark.read.format("hudilite").load(path)

  private def filters(frame: DataFrame): Int = frame.queryExecution.optimizedPlan.collectWithSubqueries { case node =>
    node.expressions.flatMap(_.collect { case f: DynamicPruningSubquery => f })
  }.flatten.size

  private def opened(frame: DataFrame): Long = PlanProbe.scans(frame).map(_.metrics("filesOpened").value).sum

  override def beforeAll(): Unit = {
    super.beforeAll()
    read(plain).createOrReplaceTempView("plain")
    read(indexed).createOrReplaceTempView("indexed")
    spark.range(1, 6).selectExpr("cast(id * 100 - 50 AS int) AS n", "format_string('c%03d', id * 100 - 50) AS code",
      "id AS v").createOrReplaceTempView("small")
  }

  for (big <- Seq("plain", "indexed"))
    test(s"$big: a join by any column opens the files whose bounds can hold a value of the other side") {
      def check(query: String, rows: Int, files: Int): Unit = {
        val frame = spark.sql(query)
        assertEquals(frame.collect().length, rows, query)
        assertEquals(opened(frame), files.toLong, query)
        assertEquals(filters(frame), 1, query)
      }
      check(s"SELECT b.id FROM $big b JOIN small s ON b.n = s.n WHERE s.v = 2", 1, 1)
      check(s"SELECT b.id FROM $big b JOIN small s ON b.code = s.code WHERE s.v > 3", 2, 2)
      check(s"SELECT b.id FROM $big b WHERE b.n IN (SELECT n FROM small WHERE v < 3)", 2, 2)
      check(s"SELECT b.id FROM $big b WHERE EXISTS (SELECT 1 FROM small s WHERE s.code = b.code AND s.v = 5)", 1, 1)
    }

  test("a small side needs no condition, and a long list is none for tasks") {
    val keys = spark.range(120, 180).selectExpr("cast(id AS int) AS n")
    for (joined <- Seq(read(plain).join(keys, "n"), read(plain).join(broadcast(keys), "n"),
        read(indexed).join(keys, Seq("n"), "left_semi"))) {
      val frame = joined.select("id")
      assertEquals(frame.collect().length, 60)
      assertEquals(opened(frame), 1L)
      assertEquals(filters(frame), 1)
      assert(!frame.queryExecution.optimizedPlan.toString.contains("small side"))
    }
  }

  test("the side that filters is evaluated once") {
    val seen = spark.sparkContext.longAccumulator
    val counted = udf((n: Int) => { seen.add(1); n })
    val keys = spark.range(3).select(counted((col("id") + 210).cast("int")).as("n"))
    val frame = read(indexed).join(broadcast(keys), "n").select("id")
    assertEquals(frame.collect().length, 3)
    assertEquals((opened(frame), seen.sum), (1L, 3L))
  }

  private def offered(frame: DataFrame): Seq[String] = {
    frame.queryExecution.optimizedPlan // plans
    PlanProbe.scan(frame).scan.asInstanceOf[HudiliteScan].filterAttributes().map(_.fieldNames.mkString(".")).toSeq
  }

  test("columns whose bounds meet in all files are not offered, once these are known") {
    def joined(path: String): DataFrame = read(path).drop("id")
      .join(spark.table("small").where("v = 3").selectExpr("cast(v AS int) AS m"), "m")
    assertEquals(offered(joined(indexed)), Nil)
    read(plain).where("m = 11").collect() // reads the footers
    assertEquals(offered(joined(plain)), Nil)
    assertEquals(offered(read(plain).drop("id").join(spark.table("small"), "n")), Seq("n"))
    // Of a side that is not broadcast Spark makes no filter.
    SharedSession.withConf("spark.sql.autoBroadcastJoinThreshold" -> "-1")(
      assertEquals(offered(read(plain).drop("id").join(spark.table("small"), "n")), Nil))
  }

  test("no file is opened to find out if a column is worth a filter") {
    CountingFileSystem.configure(spark.sparkContext.hadoopConfiguration)
    val path = CountingFileSystem.path(table())
    val frame = spark.read.format("hudilite").load(path).join(spark.table("small").where("v = 3"), "n").select("id")
    val (_, planned) = CountingFileSystem.during(frame.queryExecution.executedPlan)
    assert(!planned.details.contains(".parquet"), planned.details)
    assertEquals(frame.collect().toSeq, Seq(Row("k052")))
    assertEquals(opened(frame), 1L)
  }

  test("statistics of log files count, and a slice with a log of which nothing is known stays") {
    for ((more, files) <- Seq(withStatistics -> 2L, Nil -> 2L)) {
      val path = table(more :+ ("hoodie.datasource.write.table.type" -> "MERGE_ON_READ"): _*)
      // The row moves to where another file's values are.
      rows.where("n = 20").selectExpr("id", "250 AS n", "code", "m", "2L AS ts", "text").write.format("hudilite")
        .option("hoodie.compact.inline", "false").mode("append").save(path)
      val frame = read(path).as("b").join(spark.table("small").where("v = 3"), "n").select("b.code")
      assertEquals(frame.collect().map(_.getString(0)).toSet, Set("c020", "c250"))
      assertEquals(opened(frame), files)
      val other = read(path).join(spark.table("small").where("v = 5"), "n").select("id")
      assertEquals(other.collect().length, 1)
      assertEquals(opened(other), if (more.isEmpty) 2L else 1L)
    }
  }

  test("a MERGE by a column that is no key opens only the files that its source can change") {
    val path = table()
    read(plain) // the other table stays as it is
    spark.sql(s"MERGE INTO hudilite.`$path` t USING (SELECT n, v FROM small WHERE v = 4) s ON t.n = s.n " +
      "WHEN MATCHED THEN UPDATE SET m = 99")
    assertEquals(read(path).where("m = 99").select("n").collect().toSeq, Seq(Row(350)))
    assertEquals(read(path).count(), 600L)
  }
}

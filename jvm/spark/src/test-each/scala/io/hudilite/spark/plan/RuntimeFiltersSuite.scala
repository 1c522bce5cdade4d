package io.hudilite.spark.plan

import io.hudilite.spark.{Interpreted, SharedSession}
import io.hudilite.spark.read.PlanProbe
import io.hudilite.spark.scan.plan.HudiliteScan

import java.nio.file.Files

import munit.FunSuite
import org.apache.spark.sql.{DataFrame, Row}
import org.apache.spark.sql.catalyst.expressions.{DynamicPruningExpression, DynamicPruningSubquery, SubqueryExpression}
import org.apache.spark.sql.catalyst.plans.logical.{Join, LogicalPlan}
import org.apache.spark.sql.catalyst.trees.TreePattern.DYNAMIC_PRUNING_SUBQUERY
import org.apache.spark.sql.execution.{FileSourceScanExec, InSubqueryExec, SparkPlan, SubqueryBroadcastExec}

import scala.concurrent.duration.{Duration, DurationInt}

/** Which runtime filters a query has, and that there are not more of them than joins. */
class RuntimeFiltersSuite extends FunSuite with Interpreted {

  override val munitTimeout: Duration = 10.minutes

  private lazy val spark = SharedSession.spark

  private def rows(until: Long): DataFrame = spark.range(until)
    .selectExpr("cast(id AS int) AS id", "cast(id % 10 AS int) AS n", s"cast((id + 1) % $until AS int) AS next")

  private def written(rows: DataFrame, files: Int, more: (String, String)*): String = {
    val path = Files.createTempDirectory("hudilite-filters").resolve("t").toString
    rows.repartitionByRange(files, rows("id")).write.format("hudilite").options(more.toMap)
      .option("hoodie.table.name", "t").option("hoodie.datasource.write.recordkey.field", "id")
      .option("hoodie.datasource.write.operation", "bulk_insert").option("hoodie.bulkinsert.sort.mode", "NONE")
      .mode("append").save(path)
    path
  }

  private lazy val manyFiles = written(rows(400), 4)
  private lazy val oneFile = written(rows(20), 1)

  private def read(path: String): DataFrame = spark.read.format("hudilite").load(path)

  override def beforeAll(): Unit = {
    super.beforeAll()
    read(manyFiles).createOrReplaceTempView("d")
    read(oneFile).createOrReplaceTempView("one")
    val keys = (1 to Joins).map(i => s"cast((id * $i) % 400 AS int) AS k$i")
    spark.range(40).selectExpr("cast(id AS int) AS v" +: keys: _*).createOrReplaceTempView("f")
  }

  private val Joins = 16

  /** Subqueries of a plan with those in them: as many as there are, up to some that are too many. */
  private def subqueries(plan: LogicalPlan): Iterator[SubqueryExpression] = {
    val own = plan.collect { case node =>
      node.expressions.flatMap(_.collect { case s: SubqueryExpression => s })
    }.flatten
    own.iterator.flatMap(s => Iterator(s) ++ subqueries(s.plan)).take(10000)
  }

  private def filters(frame: DataFrame): Seq[DynamicPruningSubquery] =
    subqueries(frame.queryExecution.optimizedPlan).collect { case f: DynamicPruningSubquery => f }.toList

  /** Subqueries of the plan that is run, with those within them. */
  private def planned(plan: SparkPlan): Iterator[SparkPlan] =
    PlanProbe.nodes(plan).iterator.flatMap(_.subqueries).flatMap(s => Iterator(s) ++ planned(s)).take(10000)

  private def joins(plan: LogicalPlan): Int = plan.collectWithSubqueries { case j: Join => j }.size

  /** Plans the query and holds its filters against its joins. */
  private def checked(query: String): DataFrame = {
    val frame = spark.sql(query)
    val found = filters(frame)
    assert(found.forall(!_.plan.containsPattern(DYNAMIC_PRUNING_SUBQUERY)), "a filter within another")
    val count = joins(frame.queryExecution.optimizedPlan)
    assert(found.size <= count, s"${found.size} filters of $count joins")
    val run = planned(frame.queryExecution.executedPlan).size
    assert(run <= 2 * count, s"$run planned subqueries of $count joins")
    frame
  }

  private def star(n: Int): String =
    "SELECT count(*), sum(f.v) FROM f" + (1 to n).map(i => s" JOIN d d$i ON f.k$i = d$i.id AND d$i.n < 9").mkString +
      " WHERE f.v < 30"

  private def chain(n: Int): String =
    "SELECT count(*), sum(f.v) FROM f JOIN d d1 ON f.k1 = d1.id AND d1.n < 9" +
      (2 to n).map(i => s" JOIN d d$i ON d${i - 1}.next = d$i.id AND d$i.n <= 9").mkString + " WHERE f.v < 30"

  private def result(query: String): Seq[Row] =
    SharedSession.withConf("spark.sql.optimizer.dynamicPartitionPruning.enabled" -> "false")(
      spark.sql(query).collect().toSeq)

  test("a star of 16 dimensions has a filter a join at most, and none within another") {
    assert(filters(checked(star(Joins))).nonEmpty)
    assertEquals(checked(star(5)).collect().toSeq, result(star(5)))
  }

  test("a chain of 16 dimensions has a filter a join at most, and none within another") {
    assert(filters(checked(chain(Joins))).nonEmpty)
    assertEquals(checked(chain(5)).collect().toSeq, result(chain(5)))
  }

  test("bushy joins have a filter a join at most, and none within another") {
    def half(name: String, keys: Range) = s"(SELECT f.v FROM f" +
      keys.map(i => s" JOIN d d$i ON f.k$i = d$i.id AND d$i.n < 9").mkString + s" WHERE f.v < 30) $name"
    checked(s"SELECT count(*) FROM ${half("a", 1 to 8)} JOIN ${half("b", 9 to 16)} ON a.v = b.v")
  }

  test("snowflakes have a filter a join at most, and none within another") {
    val flakes = (1 to 8).map(i =>
      s" JOIN (SELECT d.id FROM d JOIN d outer$i ON d.next = outer$i.id WHERE outer$i.n = $i) d$i ON f.k$i = d$i.id")
    checked(s"SELECT count(*) FROM f${flakes.mkString} WHERE f.v < 30")
  }

  test("self joins have a filter a join at most, and none within another") {
    val joined = (2 to Joins).map(i => s" JOIN d d$i ON d${i - 1}.next = d$i.id").mkString
    checked(s"SELECT count(*) FROM d d1$joined WHERE d1.n = 3")
  }

  test("subqueries have a filter a join at most, and none within another") {
    def in(depth: Int): String = if (depth == 0) "SELECT id FROM d WHERE n = 3"
    else s"SELECT a.id FROM d a JOIN d b ON a.next = b.id WHERE b.n < 9 AND a.id IN (${in(depth - 1)})"
    val scalar = "(SELECT max(a.n) FROM d a JOIN d b ON a.next = b.id WHERE b.n < 9)"
    val query =
      s"SELECT count(*) FROM f JOIN d ON f.k1 = d.id AND d.n < $scalar WHERE f.v < 30 AND f.k2 IN (${in(5)})"
    assertEquals(checked(query).collect().toSeq, result(query))
  }

  private def opened(frame: DataFrame): Seq[Long] = {
    frame.collect()
    PlanProbe.scans(frame).map(_.metrics("filesOpened").value)
  }

  test("a small side leaves out files of the large one, also behind other joins") {
    val one = "(SELECT /*+ BROADCAST(f) */ d.id, d.next FROM f JOIN d ON f.k1 = d.id WHERE f.v = 7)"
    assertEquals(opened(spark.sql(s"SELECT * FROM $one")), Seq(1L))
    val two = checked(s"SELECT a.id, e.n FROM $one a JOIN d e ON a.next = e.id")
    assertEquals(two.collect().toSeq, Seq(Row(7, 8)))
    assert(opened(two).contains(1L), opened(two).toString)
  }

  test("a filter that costs nothing stays in the place of smaller ones within it") {
    val large = written(rows(400).selectExpr("*", "repeat(uuid(), 100) AS text"), 4)
    read(large).createOrReplaceTempView("large")
    val two = written(rows(40), 2)
    // Statistics would leave out the file that the filter is to choose.
    spark.read.format("hudilite").option("hoodie.enable.data.skipping", "false").load(two)
      .createOrReplaceTempView("two")
    val frame = checked(
      "SELECT /*+ BROADCAST(x) */ large.text FROM large JOIN (SELECT two.next FROM two JOIN one ON two.id = one.id" +
        " WHERE one.n = 3 AND one.id < 9) x ON large.id = x.next")
    assertEquals(frame.collect().length, 1)
    assertEquals(PlanProbe.scans(frame).map(_.metrics("filesOpened").value).sorted, Seq(1L, 1L, 2L))
    assertEquals(filters(frame).size, 1)
  }

  private def offered(frame: DataFrame): Seq[String] = {
    frame.queryExecution.optimizedPlan // plans
    PlanProbe.scan(frame).scan.asInstanceOf[HudiliteScan].filterAttributes().map(_.fieldNames.mkString(".")).toSeq
  }

  test("columns are offered for filters only where one could leave out some of the files") {
    assertEquals(offered(read(manyFiles)), Seq("id"))
    assertEquals(offered(read(manyFiles).select("n")), Nil)
    assertEquals(offered(read(oneFile)), Nil)
    assertEquals(offered(read(manyFiles).where("id < 300")), Seq("id"))
    assertEquals(offered(read(manyFiles).where("id < 3")), Nil) // statistics leave one file
    assertEquals(offered(read(manyFiles).where("id IN (3, 4)")), Nil)
    val days = written(rows(40).selectExpr("*", "concat('d', n % 2) AS day"), 1,
      "hoodie.datasource.write.partitionpath.field" -> "day", "hoodie.datasource.write.table.type" -> "MERGE_ON_READ",
      "hoodie.datasource.write.precombine.field" -> "n")
    assertEquals(offered(read(days)), Seq("day", "id"))
    assertEquals(offered(read(days).where("day = 'd1'")), Nil)
    read(days).write.format("hudilite").mode("append").save(days)
    assertEquals(offered(read(days)), Seq("day")) // all are in logs
  }

  test("tables of one file have no filters, however many they are joined with") {
    val joined = (1 to Joins).map(i => s" JOIN one o$i ON f.k$i = o$i.id AND o$i.n < 9").mkString
    assertEquals(filters(checked(s"SELECT count(*) FROM f$joined WHERE f.v < 30")), Nil)
  }

  test("a filter of Parquet files finds its side of the join again where that is a table of hudilite's") {
    val path = Files.createTempDirectory("hudilite-filters").resolve("p").toString
    rows(40).write.partitionBy("n").parquet(path)
    spark.read.parquet(path).createOrReplaceTempView("p")
    val frame =
      spark.sql("SELECT /*+ BROADCAST(x) */ p.id FROM p JOIN (SELECT d.id FROM d JOIN one ON d.id = one.next" +
        " WHERE one.id = 4) x ON p.n = x.id")
    assertEquals(frame.collect().map(_.getInt(0)).toSet, Set(5, 15, 25, 35))
    val scan = PlanProbe.nodes(frame.queryExecution.executedPlan).collectFirst { case s: FileSourceScanExec => s }.get
    val run = scan.partitionFilters.collect { case DynamicPruningExpression(InSubqueryExec(_, s, _, _, _, _)) => s }
    assert(run.exists(_.isInstanceOf[SubqueryBroadcastExec]), scan.partitionFilters.toString)
  }

  test("rules of the user's own in the place of hudilite's do not take the filters away") {
    val before = spark.experimental.extraOptimizations
    spark.experimental.extraOptimizations = Nil
    try assert(filters(checked(star(2))).nonEmpty)
    finally spark.experimental.extraOptimizations = before
  }

  test("a query encodes Hadoop's configuration once, however often it is planned") {
    val frame = spark.sql(star(3))
    frame.queryExecution.executedPlan
    val factories = PlanProbe.scans(frame).map(scan => scan.scan.toBatch -> scan.readerFactory)
    assert(factories.forall { case (batch, made) => batch.createReaderFactory() eq made })
  }
}

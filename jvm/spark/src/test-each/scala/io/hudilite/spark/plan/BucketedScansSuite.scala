package io.hudilite.spark.plan

import io.hudilite.spark.{GoldenTables, Interpreted, SharedSession}
import io.hudilite.spark.read.PlanProbe
import io.hudilite.spark.scan.task.BucketPartition

import java.nio.file.Files

import munit.FunSuite
import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.execution.SortExec
import org.apache.spark.sql.execution.exchange.ShuffleExchangeExec

/** Joins and aggregations of tables with buckets, and which of them bring rows together by an exchange. */
class BucketedScansSuite extends FunSuite with Interpreted {

  private val spark = SharedSession.spark

  private val On = Seq("spark.sql.sources.v2.bucketing.enabled" -> "true",
    "spark.sql.autoBroadcastJoinThreshold" -> "-1", "spark.sql.sources.v2.bucketing.pushPartValues.enabled" -> "false")

  private def table(name: String, rows: DataFrame, keys: String, buckets: Int, more: (String, String)*): String = {
    val path = Files.createTempDirectory("hudilite-bucketed").resolve(name).toString
    rows.write.format("hudilite").option("hoodie.index.type", "BUCKET")
      .option("hoodie.bucket.index.num.buckets", buckets.toString)
      .option("hoodie.datasource.write.recordkey.field", keys).options(more.toMap).mode("append").save(path)
    viewed(name, path)
  }

  private def viewed(name: String, path: String): String = {
    spark.read.format("hudilite").load(path).createOrReplaceTempView(name)
    path
  }

  private def upserted(name: String, path: String, rows: DataFrame): Unit = {
    rows.write.format("hudilite").option("hoodie.index.type", "BUCKET").mode("append").save(path)
    viewed(name, path)
    ()
  }

  private def ids(from: Int, until: Int, v: Int): DataFrame =
    spark.range(from, until).selectExpr("cast(id as int) id", "concat('p', id % 3) p", s"$v v")

  private def exchanges(frame: DataFrame): Int =
    PlanProbe.nodes(frame.queryExecution.executedPlan).count(_.isInstanceOf[ShuffleExchangeExec])

  /** Exchanges of the query where Spark may go by buckets; its rows are those of a plan that does not. */
  private def exchanged(query: String, more: (String, String)*): Int = {
    def rows(frame: DataFrame) = frame.collect().map(_.toString).toSeq.sorted
    val expected = rows(spark.sql(query))
    assert(expected.nonEmpty, query)
    SharedSession.withConf(On ++ more: _*) {
      val frame = spark.sql(query)
      assertEquals(rows(frame), expected, query)
      exchanges(frame)
    }
  }

  for (kind <- Seq("COPY_ON_WRITE", "MERGE_ON_READ"))
    test(s"$kind: joins and aggregations by the hash field need no exchange, after upserts and with empty buckets") {
      val ofKind = "hoodie.datasource.write.table.type" -> kind
      val a = table("a", ids(0, 200, 1), "id", 8, ofKind)
      table("b", ids(50, 55, 2), "id", 8, ofKind)
      upserted("a", a, ids(100, 120, 3))
      assertEquals(exchanged("SELECT a.id, a.v, b.v FROM a JOIN b ON a.id = b.id"), 0)
      assertEquals(exchanged("SELECT a.id, b.v FROM a LEFT JOIN b ON a.id = b.id"), 0)
      assertEquals(exchanged("SELECT * FROM a WHERE id NOT IN (SELECT id FROM b WHERE id IS NOT NULL) AND v = 3"), 0)
      assertEquals(exchanged("SELECT id, count(*), max(v) FROM a GROUP BY id"), 0)
      assertEquals(
        exchanged("SELECT a.id, count(*) FROM a JOIN b ON a.id = b.id JOIN a c ON c.id = b.id GROUP BY a.id"), 0)
      assertEquals(exchanged("SELECT a.id, b.v FROM a JOIN b ON a.id = b.id WHERE a.id IN (51, 52)"), 0)
      assertEquals(exchanged("SELECT a.p, count(*) FROM a GROUP BY a.p"), 1)
      assertEquals(exchanged("SELECT a.id FROM a JOIN b ON a.v = b.v + 1"), 2)
      assertEquals(exchanged("SELECT a.id, b.v FROM a JOIN b ON a.id = b.id",
          "spark.sql.files.maxPartitionBytes" -> "100000",
          "spark.sql.sources.v2.bucketing.pushPartValues.enabled" -> "true"), 0)
    }

  test("partitions go together with buckets, or are left out of account where they are not asked for") {
    val byP = "hoodie.datasource.write.partitionpath.field" -> "p"
    table("a", ids(0, 100, 1), "id", 4, byP)
    table("b", ids(0, 100, 2), "id", 4, byP)
    assertEquals(exchanged("SELECT a.id, a.p, b.v FROM a JOIN b ON a.id = b.id AND a.p = b.p"), 0)
    assertEquals(exchanged("SELECT a.id, a.p, b.p, b.v FROM a JOIN b ON a.id = b.id"), 0)
    assertEquals(exchanged("SELECT a.id, b.v FROM a JOIN b ON a.id = b.id"), 0)
    assertEquals(exchanged("SELECT id, p, count(*) FROM a WHERE p <> 'p1' GROUP BY id, p"), 0)
    assertEquals(exchanged("SELECT id, count(*) FROM a GROUP BY id"), 0)
    assertEquals(exchanged("SELECT a.id, a.p, count(*) FROM a JOIN b ON a.id = b.id GROUP BY a.id, a.p"), 0)
    SharedSession.withConf(On: _*) {
      def by(query: String) = PlanProbe.scans(spark.sql(query)).map(_.scan.description().split("grouped by ").last)
      assertEquals(by("SELECT a.id, b.v FROM a JOIN b ON a.id = b.id AND a.p = b.p"), Seq.fill(2)("p, bucket(4, id)"))
      assertEquals(by("SELECT a.id, a.p, b.v FROM a JOIN b ON a.id = b.id"), Seq.fill(2)("bucket(4, id)"))
    }
  }

  test("texts go together where their keys are made alike, also odd ones and nulls, and elsewhere are exchanged") {
    val odd = Seq("'a,b'", "'a:b'", "'name:x,n:1'", "'name:y,z:1'", "'é'", "'plain'", "'other'")
    def rows(more: String*) = spark.sql((odd ++ more).zipWithIndex.map { case (t, n) => s"SELECT $t name, $n n, 0 v" }
        .mkString(" UNION ALL "))
    table("a", rows(), "name", 3)
    table("b", rows(), "name", 3)
    table("c", rows("null", "''"), "name,n", 3, "hoodie.bucket.index.hash.field" -> "name")
    table("d", rows("null", "''"), "name,n", 3, "hoodie.bucket.index.hash.field" -> "name")
    table("e", rows(), "n", 3)
    table("f", rows("null"), "n,name", 3)
    assertEquals(exchanged("SELECT a.name, b.v FROM a JOIN b ON a.name = b.name"), 0)
    assertEquals(exchanged("SELECT c.name, c.n, d.v FROM c JOIN d ON c.name = d.name"), 0)
    assertEquals(exchanged("SELECT name, count(*) FROM c GROUP BY name"), 0)
    assertEquals(exchanged("SELECT a.name, c.v FROM a JOIN c ON a.name = c.name"), 2)
    assertEquals(exchanged("SELECT a.name, e.v FROM a JOIN e ON a.n = e.n"), 2)
    assertEquals(exchanged("SELECT e.n, f.v FROM e JOIN f ON e.n = f.n"), 2)
  }

  test("buckets that are sorted by a text are joined without a sort, where each is one such file") {
    def rows(from: Int, until: Int): DataFrame = spark.range(from, until)
      .selectExpr("concat(if(id % 2 = 0, 'é', 'z'), id) AS id", "concat('p', id % 2) AS p", "cast(id AS int) AS n",
        "1L AS ts")
    def sorts(query: String, more: (String, String)*): Int = {
      assertEquals(exchanged(query, more: _*), 0, query)
      SharedSession.withConf(On ++ more: _*)(
        PlanProbe.nodes(spark.sql(query).queryExecution.executedPlan).count(_.isInstanceOf[SortExec]))
    }
    val mor = Seq("hoodie.datasource.write.table.type" -> "MERGE_ON_READ", "hoodie.compact.inline" -> "false")
    table("a", rows(0, 300), "id", 4)
    val b = table("b", rows(100, 200), "id", 4, mor: _*)
    val join = "SELECT a.id, a.n, b.n FROM a JOIN b ON a.id = b.id"
    assertEquals(sorts(join), 0)
    assertEquals(sorts("SELECT a.id, b.n FROM a LEFT JOIN b ON a.id = b.id WHERE a.n > 7"), 0)
    assertEquals(sorts(join, "spark.sql.files.maxPartitionBytes" -> "1000",
        "spark.sql.sources.v2.bucketing.pushPartValues.enabled" -> "true"), 2) // files are cut
    table("byP", rows(0, 300), "id", 4, "hoodie.datasource.write.partitionpath.field" -> "p")
    assertEquals(sorts("SELECT byP.id, b.n FROM byP JOIN b ON byP.id = b.id"), 1) // two files a bucket
    upserted("b", b, rows(100, 110))
    assertEquals(sorts(join), 1) // logs
    table("c", ids(0, 100, 1), "id", 4)
    assertEquals(sorts("SELECT c.id FROM c JOIN c d ON c.id = d.id"), 2) // numbers, whose texts are in another order
  }

  test("unequal numbers of buckets go together by their common divisor, where Spark knows how") {
    table("a", ids(0, 100, 1), "id", 4)
    table("b", ids(0, 100, 2), "id", 6)
    table("c", ids(0, 100, 2), "id", 8)
    val reduces = spark.version.takeWhile(_ != '.').toInt > 3
    val settings = Seq("spark.sql.sources.v2.bucketing.pushPartValues.enabled" -> "true",
      "spark.sql.sources.v2.bucketing.allowCompatibleTransforms.enabled" -> "true")
    for (other <- Seq("b", "c"))
      assertEquals(exchanged(s"SELECT a.id, $other.v FROM a JOIN $other ON a.id = $other.id", settings: _*),
        if (reduces) 0 else 2, other)
  }

  test("joins of several such tables have all rows, whatever their numbers of buckets") {
    table("a", ids(0, 200, 1), "id", 8)
    table("b", ids(0, 200, 2), "id", 4)
    table("c", ids(0, 200, 3), "id", 8)
    table("d", ids(0, 200, 4), "id", 6)
    val settings = On ++ Seq("spark.sql.sources.v2.bucketing.pushPartValues.enabled" -> "true",
      "spark.sql.sources.v2.bucketing.allowCompatibleTransforms.enabled" -> "true",
      "spark.sql.autoBroadcastJoinThreshold" -> "-1")
    val joins = Seq("a JOIN b ON a.id = b.id JOIN c ON a.id = c.id",
      "a LEFT JOIN b ON a.id = b.id LEFT JOIN c ON b.id = c.id",
      "b JOIN a ON a.id = b.id LEFT JOIN d ON a.id = d.id",
      "(a JOIN b ON a.id = b.id) JOIN (c JOIN d ON c.id = d.id) ON a.id = c.id")
    for (join <- joins) SharedSession.withConf(settings: _*) {
      val last = if (join.contains("d ON")) "d" else "c"
      val rows = spark.sql(s"SELECT count(*), count(b.v), count($last.v) FROM $join").head()
      assertEquals(rows.toString, "[200,200,200]", join)
    }
  }

  test("what a join learns while it runs leaves buckets out, and the others stay beside their like") {
    table("a", ids(0, 400, 1), "id", 8)
    table("b", ids(0, 400, 2), "id", 8)
    spark.range(400).selectExpr("cast(id as int) k", "id % 200 n").createOrReplaceTempView("small")
    val query =
      "SELECT /*+ BROADCAST(small) */ a.id, b.v FROM small JOIN a ON k = a.id JOIN b ON a.id = b.id WHERE n = 7"
    assertEquals(exchanged(query), 0)
  }

  test("a MERGE of one such table into another changes the rows that a plan without buckets would") {
    for (kind <- Seq("COPY_ON_WRITE", "MERGE_ON_READ")) {
      val target = table("t", ids(0, 100, 1), "id", 4, "hoodie.datasource.write.table.type" -> kind)
      table("s", ids(90, 110, 2), "id", 4)
      SharedSession.withConf(On :+ ("spark.datasource.hudilite.hoodie.index.type" -> "BUCKET"): _*)(
        spark.sql(s"MERGE INTO hudilite.`$target` t USING s ON t.id = s.id WHEN MATCHED AND s.id = 91 THEN DELETE " +
          "WHEN MATCHED THEN UPDATE SET v = s.v WHEN NOT MATCHED THEN INSERT *"))
      viewed("t", target)
      assertEquals(spark.sql("SELECT count(*), count(distinct id), sum(v) FROM t").head().toString, "[109,109,128]")
      assertEquals(exchanged("SELECT t.id, s.v FROM t JOIN s ON t.id = s.id"), 0)
    }
  }

  test("without Spark's switch, without rows to bring together and with rows of others a scan keeps its splits") {
    val path = table("a", ids(0, 100, 1), "id", 4)
    def grouped(query: String): Boolean = PlanProbe.scans(spark.sql(query)).exists(
      _.scan.toBatch.planInputPartitions().exists(_.isInstanceOf[BucketPartition]))
    val query = "SELECT id, count(*) FROM a GROUP BY id"
    SharedSession.withConf(On.head._1 -> "false")(assert(!grouped(query))) // on by default in later versions of Spark
    SharedSession.withConf(On: _*) {
      assert(grouped(query))
      assert(!grouped("SELECT * FROM a WHERE v = 1"))
      assert(!grouped("SELECT count(*) FROM a WHERE v = 1"))
      assert(!grouped("SELECT p, count(*) FROM a GROUP BY p"))
      assert(!grouped("SELECT a.v FROM a JOIN (SELECT cast(id AS int) k FROM range(100)) ON id = k"))
      assert(!grouped("SELECT /*+ BROADCAST(b) */ a.v FROM a JOIN a b ON a.id = b.id"))
      assert(grouped("SELECT x.v FROM (SELECT id k, v FROM a) x JOIN a b ON x.k = b.id"))
      upserted("a", path, ids(50, 150, 2))
      assertEquals(spark.sql("SELECT count(*), sum(v) FROM a").head().toString, "[150,250]")
      viewed("g", GoldenTables.table("bucket-cow-v9"))
      assert(!grouped("SELECT id, count(*) FROM g GROUP BY id"))
    }
  }
}

package io.hudilite.spark.catalog

import io.hudilite.spark.shim.CatalogEntries

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.catalog.CatalogStatistics
import org.apache.spark.sql.catalyst.plans.logical.{ColumnStat, Statistics}

/** ANALYZE TABLE, and what the optimizer makes of it. */
final class AnalyzeStatementSuite extends NamedSession {

  override protected val database = "analyzed"

  private def create(table: String, more: String = ""): Unit = {
    sql(s"CREATE TABLE $table (id INT, k INT, v DOUBLE, day STRING) USING hudilite PARTITIONED BY (day) " +
      s"TBLPROPERTIES (primaryKey = 'id'$more)")
    sql(s"INSERT INTO $table SELECT int(id), int(id % 50), if(id % 4 = 0, null, id + 0.5D), " +
      "if(id < 100, 'a', 'b') FROM range(400)")
  }

  private val cost = "spark.sql.cbo.enabled"

  private def costBased[T](body: => T): T = {
    SparkSession.setActiveSession(spark)
    spark.conf.set(cost, "true")
    try body
    finally spark.conf.unset(cost)
  }

  private def stats(query: String): Statistics = costBased(spark.sql(query).queryExecution.optimizedPlan.stats)

  private def columns(query: String): Map[String, ColumnStat] =
    stats(query).attributeStats.map { case (column, found) => column.name -> found }.toMap

  private def isNear(found: Option[BigInt], wanted: Int): Boolean =
    found.exists(n => math.abs(n.toDouble - wanted) <= wanted * 0.1)

  test("plans know values, nulls and bounds of analyzed columns until the next write") {
    create("known")
    assertEquals(columns("SELECT * FROM known"), Map.empty[String, ColumnStat])
    sql("ANALYZE TABLE known COMPUTE STATISTICS FOR COLUMNS ID, v")
    val found = columns("SELECT * FROM known")
    assertEquals(found.keySet, Set("id", "v"))
    assert(isNear(found("id").distinctCount, 400), found("id"))
    assertEquals((found("id").min, found("id").max), (Some(0), Some(399)): (Option[Any], Option[Any]))
    assertEquals(found("v").nullCount, Some(BigInt(100)): Option[BigInt])
    val few = stats("SELECT * FROM known WHERE id < 40").rowCount
    assert(isNear(few, 40), few)
    sql("ANALYZE TABLE known COMPUTE STATISTICS FOR ALL COLUMNS")
    assert(isNear(columns("SELECT * FROM known")("k").distinctCount, 50))
    sql("ANALYZE TABLE known COMPUTE STATISTICS")
    assertEquals(columns("SELECT * FROM known").keySet, Set("id", "day", "k", "v"))
    val ofPart = columns("SELECT * FROM known WHERE day = 'a' AND k + 1 > 0")
    assert(ofPart("v").nullCount.exists(_ <= 40) && ofPart("id").distinctCount.exists(_ <= 110), ofPart)

    sql("INSERT INTO known VALUES (1000, 7, null, 'c')")
    assertEquals(columns("SELECT * FROM known"), Map.empty[String, ColumnStat])
    assertEquals(stats("SELECT * FROM known").rowCount, Some(BigInt(401)): Option[BigInt])
    sql("ANALYZE TABLE known COMPUTE STATISTICS FOR COLUMNS id")
    assertEquals(columns("SELECT * FROM known").keySet, Set("id"))
    assertEquals(columns("SELECT * FROM known")("id").max, Some(1000): Option[Any])
    val first = sql("SELECT min(_hoodie_commit_time) FROM known").head.getString(0)
    assertEquals(columns(s"SELECT * FROM known VERSION AS OF '$first'"), Map.empty[String, ColumnStat])
    assertEquals(rows("known").size, 401)
  }

  test("a small part of a table is sent to all sides of a join once it is known to be small") {
    create("sides")
    val settings = Seq("spark.sql.autoBroadcastJoinThreshold" -> "1500", "spark.sql.adaptive.enabled" -> "false")
    SparkSession.setActiveSession(spark)
    settings.foreach { case (key, value) => spark.conf.set(key, value) }
    def plan: String = costBased(spark.sql("SELECT * FROM sides a JOIN sides b ON a.id = b.k WHERE a.k = 7")
        .queryExecution.sparkPlan.toString)
    try {
      assert(!plan.contains("BroadcastHashJoin"), plan)
      sql("ANALYZE TABLE sides COMPUTE STATISTICS FOR COLUMNS id, k")
      assert(plan.contains("BroadcastHashJoin"), plan)
    } finally settings.foreach { case (key, _) => spark.conf.unset(key) }
  }

  test("rows in logs are counted, and NOSCAN keeps what commits and footers tell") {
    create("logged", ", type = 'mor', preCombineField = 'k'")
    sql("ANALYZE TABLE logged COMPUTE STATISTICS NOSCAN")
    assertEquals(registered("logged").entry.stats.flatMap(_.rowCount), Some(BigInt(400)): Option[BigInt])
    sql("DELETE FROM logged WHERE id < 10")
    sql("ANALYZE TABLE logged COMPUTE STATISTICS NOSCAN")
    val unread = registered("logged").entry.stats.get
    assertEquals(unread.rowCount, None: Option[BigInt])
    assert(unread.sizeInBytes > 1000)
    sql("ANALYZE TABLE hudilite.analyzed.logged COMPUTE STATISTICS")
    assertEquals(registered("logged").entry.stats.flatMap(_.rowCount), Some(BigInt(390)): Option[BigInt])
    assertEquals(stats("SELECT * FROM logged").rowCount, Some(BigInt(390)): Option[BigInt])
    sql("ANALYZE TABLE logged COMPUTE STATISTICS NOSCAN")
    assertEquals(registered("logged").entry.stats.flatMap(_.rowCount), Some(BigInt(390)): Option[BigInt])
  }

  test("statistics that others have put into the catalog are not taken for those of the table") {
    create("others")
    sql("ANALYZE TABLE others COMPUTE STATISTICS FOR COLUMNS id")
    sql("ALTER TABLE others SET TBLPROPERTIES ('hoodie.parquet.compression.codec' = 'zstd')")
    assertEquals(columns("SELECT * FROM others").keySet, Set("id"))
    val kept = registered("others").entry
    val forged = CatalogStatistics(kept.stats.get.sizeInBytes, Some(BigInt(3)), kept.stats.get.colStats)
    CatalogEntries.catalog(spark).alterTableStats(kept.identifier, Some(forged))
    assertEquals(columns("SELECT * FROM others"), Map.empty[String, ColumnStat])
    assertEquals(stats("SELECT * FROM others").rowCount, Some(BigInt(400)): Option[BigInt])
    assert(!sql("SHOW TBLPROPERTIES others").exists(_.toString.contains("hudilite.analyzed")))
  }

  test("what has no place in the catalog is refused by its name") {
    sql("CREATE TABLE nested (id INT, st STRUCT<x: INT>) USING hudilite TBLPROPERTIES (primaryKey = 'id')")
    val path = s"hudilite.`$home/nested`"
    Seq("ANALYZE TABLE nested PARTITION (id = 1) COMPUTE STATISTICS",
      "ANALYZE TABLE nested COMPUTE STATISTICS FOR ALL COLUMNS",
      "ANALYZE TABLE nested COMPUTE STATISTICS FOR COLUMNS st",
      "ANALYZE TABLE nested COMPUTE STATISTICS FOR COLUMNS gone",
      s"ANALYZE TABLE $path COMPUTE STATISTICS", s"ANALYZE TABLE $path COMPUTE STATISTICS FOR COLUMNS id")
      .foreach(statement => assertEquals(condition(statement), "STATEMENT_NOT_SUPPORTED", statement))
    assertEquals(registered("nested").entry.stats, None: Option[CatalogStatistics])
    sql("ANALYZE TABLE nested COMPUTE STATISTICS FOR COLUMNS id")
    assertEquals(columns("SELECT id FROM nested").get("id").flatMap(_.nullCount), Some(BigInt(0)): Option[BigInt])
    assert(!sql("EXPLAIN ANALYZE TABLE nested COMPUTE STATISTICS").head.getString(0).contains("HudiliteTable"))
  }
}

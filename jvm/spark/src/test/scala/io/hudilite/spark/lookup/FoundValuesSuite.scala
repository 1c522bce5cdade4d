package io.hudilite.spark.lookup

import io.hudilite.config.{TableDefinition, TableType}
import io.hudilite.spark.SharedSession
import io.hudilite.spark.read.HandmadeTable

import munit.FunSuite
import org.apache.spark.sql.DataFrame

/** Values that lookups find in files of other writers. */
class FoundValuesSuite extends FunSuite {

  private lazy val spark = SharedSession.spark

  private def made(rows: DataFrame, tableType: TableType): HandmadeTable = {
    val table = new HandmadeTable(
      TableDefinition("found", Seq("id"), orderingFields = Seq("ts"), tableType = tableType), rows.schema)
    table.commit("" -> rows)
    table
  }

  private def merge(table: HandmadeTable, source: String, clauses: String): Unit = {
    spark.sql(s"MERGE INTO hudilite.`${table.path}` t USING ($source) s ON t.id = s.id $clauses")
    ()
  }

  test("statements see days of the old calendar and INT96 times as queries do, in any time zone") {
    val old = Seq("spark.sql.parquet.outputTimestampType" -> "INT96",
      "spark.sql.parquet.datetimeRebaseModeInWrite" -> "LEGACY",
      "spark.sql.parquet.int96RebaseModeInWrite" -> "LEGACY",
      "spark.sql.session.timeZone" -> "America/Los_Angeles")
    SharedSession.withConf(old: _*) {
      val rows = spark.range(10).selectExpr("cast(id AS string) id", "1L ts", "DATE'1400-02-03' day",
        "TIMESTAMP'2020-03-04 05:06:07' at")
      val table = made(rows, TableType.CopyOnWrite)
      val seen = "day = DATE'1400-02-03' AND t.at = TIMESTAMP'2020-03-04 05:06:07'"
      assertEquals(table.read().as("t").where(seen).count(), 10L)
      merge(table, "SELECT cast(id AS string) id FROM range(7)",
        s"WHEN MATCHED AND t.$seen THEN UPDATE SET ts = t.ts + 1")
      assertEquals(table.read().as("t").where(s"ts = 2 AND $seen").count(), 7L)
      assertEquals(table.read().as("t").where(seen).count(), 10L)
    }
  }

  test("rows of a file in any order are looked up beneath its log") {
    val rows = spark.range(100).selectExpr("cast((id * 37) % 99 AS string) id", "1L ts", "concat('v', id) v")
    val table = made(rows, TableType.MergeOnRead)
    def update(ids: Int, by: String): Unit = merge(table, s"SELECT cast(id AS string) id FROM range(1, $ids)",
      s"WHEN MATCHED AND t.v LIKE '%$by' THEN UPDATE SET ts = t.ts + 1, v = concat(t.v, '+')")
    def versions: Map[Int, Long] =
      table.read().selectExpr("length(v) - length(replace(v, '+', '')) n").groupBy("n").count()
        .collect().map(row => row.getInt(0) -> row.getLong(1)).toMap
    update(50, "")
    assertEquals(versions, Map(0 -> 51L, 1 -> 49L))
    update(60, "+")
    assertEquals(versions, Map(0 -> 51L, 2 -> 49L))
    merge(table, "SELECT cast(id AS string) id FROM range(1, 30)", "WHEN MATCHED AND t.ts = 3 THEN DELETE")
    assertEquals(versions, Map(0 -> 51L, 2 -> 20L))
    merge(table, "SELECT cast(id AS string) id FROM range(1, 60)",
      "WHEN MATCHED AND t.v LIKE '%++' THEN UPDATE SET v = 'last' WHEN NOT MATCHED THEN INSERT (id, ts, v) VALUES (s.id, 9, 'new+')")
    assertEquals(table.read().groupBy("ts").count().collect().map(r => r.getLong(0) -> r.getLong(1)).toMap,
      Map(1L -> 51L, 3L -> 20L, 9L -> 29L))
  }
}

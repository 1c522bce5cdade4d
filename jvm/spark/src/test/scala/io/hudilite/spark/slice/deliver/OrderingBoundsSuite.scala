package io.hudilite.spark.slice.deliver

import io.hudilite.spark.SharedSession
import io.hudilite.spark.SharedSession.withConf
import io.hudilite.spark.read.PlainFile
import io.hudilite.spark.read.PlainFile.smallRowGroups
import munit.FunSuite
import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.types.StructType
import org.apache.spark.unsafe.types.UTF8String

class OrderingBoundsSuite extends FunSuite {

  private val spark = SharedSession.spark

  /** The bounds of a file with these rows of one column `o`, which is read as `wanted`. */
  private def bounds(values: String, wanted: String): Option[Seq[Any]] =
    of(spark.sql(s"SELECT * FROM VALUES $values AS t(o)"), s"o $wanted")

  private def of(rows: DataFrame, columns: String, options: (String, String)*): Option[Seq[Any]] = {
    val fields = StructType.fromDDL(columns).fields.toSeq
    OrderingBounds.of(PlainFile.statistics(rows, fields.map(_.name), options: _*), fields)
  }

  /** Spark writes times as INT96 by default, and refuses old ones in some versions. */
  private def withTimes(kind: String)(body: => Unit): Unit =
    withConf("spark.sql.parquet.outputTimestampType" -> kind,
      "spark.sql.parquet.datetimeRebaseModeInWrite" -> "CORRECTED",
      "spark.sql.parquet.int96RebaseModeInWrite" -> "CORRECTED")(body)

  test("the greatest value bounds numbers, days, times and texts, whatever nulls are besides") {
    assertEquals(bounds("3, null, -7", "INT"), Some(Seq[Any](3)))
    assertEquals(bounds("-3, null, -7", "INT"), Some(Seq[Any](null))) // which counts as 0
    assertEquals(bounds("-3, null, -7", "BIGINT"), Some(Seq[Any](-3L)))
    assertEquals(bounds("-3L, -7L", "BIGINT"), Some(Seq[Any](-3L)))
    assertEquals(bounds("DATE'1800-01-01', DATE'2020-01-02'", "DATE"), Some(Seq[Any](18263)))
    assertEquals(bounds("'b', null, 'é', 'z'", "STRING"), Some(Seq[Any](UTF8String.fromString("é"))))
    withTimes("TIMESTAMP_MICROS") {
      assertEquals(bounds("TIMESTAMP'1800-01-01 00:00:00Z', TIMESTAMP'1970-01-01 00:00:02.000003Z'", "TIMESTAMP"),
        Some(Seq[Any](2000003L)))
    }
  }

  test("a number of the file bounds those that it is widened to, but fractions and texts") {
    assertEquals(bounds("3, 5", "BIGINT"), Some(Seq[Any](5L)))
    for (wanted <- Seq("DOUBLE", "STRING", "DECIMAL(12,0)")) assertEquals(bounds("3, 5", wanted), None, wanted)
  }

  test("a column without values, and one that the file lacks, is bounded by null") {
    assertEquals(bounds("cast(null AS BIGINT), null", "BIGINT"), Some(Seq[Any](null)))
    assertEquals(of(spark.sql("SELECT 1 AS other"), "o BIGINT"), Some(Seq[Any](null)))
    assertEquals(of(spark.sql("SELECT 1L AS o WHERE 1 = 0"), "o BIGINT"), Some(Seq[Any](null)))
  }

  test("a column in another letter case is not certain") {
    assertEquals(of(spark.sql("SELECT 1L AS O"), "o BIGINT"), None)
  }

  test("fractions, decimals and what is no number, day, time or text are not certain") {
    val values = Seq("1.5D" -> "DOUBLE", "cast(1.5 AS FLOAT)" -> "FLOAT", "1.5" -> "DECIMAL(2,1)", "true" -> "BOOLEAN",
      "X'01'" -> "BINARY")
    values.foreach { case (value, dataType) => assertEquals(bounds(value, dataType), None, dataType) }
  }

  test("days and times before 1901 are not certain, nor are times in other forms than microseconds") {
    withTimes("TIMESTAMP_MICROS") {
      assertEquals(bounds("DATE'1900-12-31'", "DATE"), None)
      assertEquals(bounds("DATE'1901-01-01'", "DATE"), Some(Seq[Any](-25202)))
      assertEquals(bounds("TIMESTAMP'1900-12-31 23:59:59Z'", "TIMESTAMP"), None)
      assertEquals(bounds("TIMESTAMP'1901-01-01 00:00:00Z'", "TIMESTAMP"), Some(Seq[Any](-25202 * 86400000000L)))
      assertEquals(bounds("TIMESTAMP_NTZ'2020-01-01 00:00:00'", "TIMESTAMP"), None)
    }
    for (kind <- Seq("TIMESTAMP_MILLIS", "INT96"))
      withTimes(kind)(assertEquals(bounds("TIMESTAMP'2020-01-01 00:00:00Z'", "TIMESTAMP"), None, kind))
  }

  test("several columns have a bound each, and none when one is not certain") {
    val written = spark.sql("SELECT * FROM VALUES (1, 'x', 1D), (2, 'a', 2D) AS t(a, b, c)")
    assertEquals(of(written, "b STRING, a INT"), Some(Seq[Any](UTF8String.fromString("x"), 2)))
    assertEquals(of(written, "a INT, none INT"), Some(Seq[Any](2, null)))
    assertEquals(of(written, "a INT, c DOUBLE"), None)
  }

  test("all row groups count") {
    val rows = spark.range(0, 20000, 1, 1).selectExpr("abs(id - 10000) o", "if(id < 10000, null, id) late",
      "if(id < 10000, 'short', repeat('long', 2000)) t", "cast(id AS string) filler")
    assert(PlainFile.footer(rows, smallRowGroups: _*).getBlocks.size > 3, "few row groups")
    assertEquals(of(rows, "o BIGINT, late BIGINT", smallRowGroups: _*), Some(Seq[Any](10000L, 19999L)))
    // Of values as long as this a footer has no bounds.
    assertEquals(of(rows, "t STRING", smallRowGroups: _*), None)
  }
}

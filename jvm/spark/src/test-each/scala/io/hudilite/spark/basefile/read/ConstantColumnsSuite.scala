package io.hudilite.spark.basefile.read

import io.hudilite.spark.SharedSession
import io.hudilite.spark.read.PlainFile.{footer, smallRowGroups}
import munit.FunSuite
import org.apache.parquet.hadoop.metadata.ParquetMetadata
import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.functions.{col, lit, when}
import org.apache.spark.sql.types.StructType

class ConstantColumnsSuite extends FunSuite {

  private val spark = SharedSession.spark

  private def constants(footer: ParquetMetadata, ddl: String): Map[Int, String] =
    ConstantColumns.of(footer, StructType.fromDDL(ddl)).map { case (i, text) => i -> text.toString }

  private def numbers(count: Long): DataFrame = spark.range(0, count, 1, 1).toDF("id")

  test("a text that all rows share is known without reading it") {
    val rows = numbers(5).select(lit("eu").as("region"), lit("").as("empty"), col("id").cast("string").as("each"))
    assertEquals(constants(footer(rows), "each STRING, region STRING, empty STRING"), Map(1 -> "eu", 2 -> ""))
  }

  test("a column that is to be read all the same is read") {
    val rows = footer(numbers(5).select(lit("eu").as("Region"), lit("x").as("other")))
    assertEquals(ConstantColumns.of(rows, StructType.fromDDL("Region STRING, other STRING"), Set("region")).keySet,
      Set(1))
  }

  test("a column with a null, one without rows' values and one that the file lacks are read") {
    val rows = numbers(5).select(when(col("id") > 0, "eu").as("some"), lit(null).cast("string").as("none"))
    assertEquals(constants(footer(rows), "some STRING, none STRING, other STRING"), Map.empty[Int, String])
  }

  test("other types than text are read, texts in structs too") {
    val rows = numbers(5).select(lit(1L).as("n"), lit("eu").cast("binary").as("raw"))
    assertEquals(constants(footer(rows), "n BIGINT, raw STRING, s STRUCT<raw: STRING>"), Map.empty[Int, String])
  }

  test("row groups with different values, or bounds that a writer may have cut, are read") {
    val halves = numbers(20000).select(when(col("id") < 10000, "a").otherwise("b").as("half"),
      lit("x" * 64).as("long"), lit("x" * 63).as("short"), col("id").cast("string").as("filler"))
    val written = footer(halves, smallRowGroups: _*)
    assert(written.getBlocks.size > 1, "one row group")
    assertEquals(constants(written, "half STRING, long STRING, short STRING"), Map(2 -> "x" * 63))
  }
}

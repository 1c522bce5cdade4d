package io.hudilite.spark.basefile.read

import io.hudilite.error.UnsupportedTable
import io.hudilite.spark.basefile.encode.ParquetSchema
import io.hudilite.spark.basefile.stored.FileType

import munit.FunSuite
import org.apache.spark.sql.execution.datasources.parquet.ParquetToSparkSchemaConverter
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types._

class FileColumnsSuite extends FunSuite {

  private def plan(file: String, wanted: String, caseSensitive: Boolean = false): FileColumns =
    FileColumns.plan(FileType.of(ParquetSchema.of(StructType.fromDDL(file)),
        new ParquetToSparkSchemaConverter(SQLConf.get)), StructType.fromDDL(wanted), caseSensitive, "the base file f")

  test("equal columns are read as they are, in the wanted order") {
    val columns = plan("a INT, b STRING, c ARRAY<INT>", "c ARRAY<INT>, A INT")
    assertEquals(columns.requested.simpleString, "struct<c:array<int>,A:int>")
    assert(columns.conversions.forall(_ == Conversion.AsIs))
  }

  test("narrower types are read as in the file and widened, at every depth") {
    val columns = plan("a INT, s STRUCT<x: FLOAT, y: INT>, l ARRAY<INT>, m MAP<STRING, INT>",
      "a BIGINT, s STRUCT<y: INT, x: DOUBLE>, l ARRAY<BIGINT>, m MAP<STRING, DOUBLE>")
    assertEquals(columns.requested.simpleString,
      "struct<a:int,s:struct<y:int,x:float>,l:array<int>,m:map<string,int>>")
    assertEquals(columns.conversions.count(_ == Conversion.AsIs), 0)
  }

  test("missing columns are requested as nullable") {
    val columns = plan("a INT", "a INT NOT NULL, b STRUCT<x: INT NOT NULL>")
    assert(columns.requested.fields.forall(_.nullable))
    assert(columns.requested("b").dataType.asInstanceOf[StructType].fields.forall(_.nullable))
  }

  test("a type that is not wider is refused by the name of the column") {
    val error = intercept[UnsupportedTable](plan("s STRUCT<a: ARRAY<BIGINT>>", "s STRUCT<a: ARRAY<INT>>"))
    assertEquals(error.parameters("column") -> error.parameters("type"), "s.a.element in the base file f" -> "INT64")
    assert(!FileColumns.isWider(DecimalType(10, 2), DecimalType(10, 3)))
    assert(FileColumns.isWider(DecimalType(10, 2), DecimalType(11, 3)))
    assert(!FileColumns.isWider(LongType, DecimalType(18, 0)))
  }
}

package io.hudilite.spark.row

import io.hudilite.error.InvalidInput

import munit.FunSuite
import org.apache.spark.sql.types._

/** The type of a column after rows with another one. Apache Hudi 1.2 was asked for every pair. */
class TypeGrowthSuite extends FunSuite {

  private val names = Seq("tinyint", "smallint", "int", "bigint", "float", "double", "decimal(5,0)", "decimal(10,2)",
    "decimal(10,4)", "decimal(20,4)", "decimal(38,2)", "string", "binary", "boolean", "date", "timestamp",
    "timestamp_ntz", "void")

  // A line for each type of a table, a letter for each type of rows, in the order of the names: `w` the column becomes
  // that of the rows, as in Hudi; `c` the rows are cast, and nothing is lost; `-` refused.
  private val outcomes = Seq("int" -> "cccw-w-----------c", "bigint" -> "cccc-------------c",
    "float" -> "cc--cw-----------c", "double" -> "ccc-ccc----------c", "decimal(5,0)" -> "cc----cwwww------c",
    "decimal(10,2)" -> "cc----cc-ww------c", "decimal(10,4)" -> "cc----c-cw-------c",
    "decimal(20,4)" -> "ccc---cccc-------c", "decimal(38,2)" -> "cccc--cc--c------c",
    "string" -> "cccccccccccc-cc-cc", "binary" -> "-----------cc----c", "boolean" -> "-------------c---c",
    "date" -> "--------------c--c", "timestamp" -> "---------------c-c", "timestamp_ntz" -> "--------------c-cc")

  private def typeOf(name: String): DataType = if (name == "void") NullType else DataType.fromDDL(name)

  private def grown(table: DataType, rows: DataType): DataType = {
    val rule = ColumnsRule(None, takesNew = true, fillNull = true)
    SchemaAlignment.evolved(new StructType().add("c", table), new StructType().add("c", rows), rule).head.dataType
  }

  private def outcome(table: DataType, rows: DataType): Char =
    try {
      val now = grown(table, rows)
      if (now == table) 'c' else if (now == rows) 'w' else '?'
    } catch { case e: InvalidInput if e.condition == "INCOMPATIBLE_TYPE" => '-' }

  test("each pair of types is widened as Apache Hudi does, cast where nothing is lost, or refused") {
    for ((table, expected) <- outcomes)
      assertEquals(table -> names.map(n => outcome(typeOf(table), typeOf(n))).mkString, table -> expected)
  }

  test("it is the same inside of structs, lists and maps") {
    val inside = Seq[DataType => DataType](new StructType().add("f", _), ArrayType(_), MapType(StringType, _))
    for ((table, expected) <- outcomes; (name, letter) <- names.zip(expected); wrap <- inside)
      assertEquals(outcome(wrap(typeOf(table)), wrap(typeOf(name))), letter, s"$name to $table")
  }

  test("a refusal says why, and no more than is so") {
    def reason(table: String, rows: String): String =
      intercept[InvalidInput](grown(typeOf(table), typeOf(rows))).parameters("reason")
    assertEquals(reason("decimal(10,2)", "decimal(10,4)"), "neither type holds every value of the other")
    assertEquals(reason("bigint", "double"), "neither type holds every value of the other")
    assertEquals(reason("int", "decimal(12,0)"),
      "a column of int cannot become one of decimal(12,0), in Apache Hudi neither")
    assertEquals(reason("int", "string"), "not every text is a value of the type int")
    assertEquals(reason("string", "binary"), "not all bytes are text")
    assertEquals(reason("date", "timestamp"), "the time zone of the session would change the values")
  }
}

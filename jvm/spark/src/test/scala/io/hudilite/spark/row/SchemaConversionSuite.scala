package io.hudilite.spark.row

import io.hudilite.error.HudiliteException
import io.hudilite.spark.SharedSession.withConf
import io.hudilite.spark.shim.TimesOfDay

import munit.FunSuite
import org.apache.spark.sql.types._

class SchemaConversionSuite extends FunSuite {

  private def record(fieldType: String): String =
    s"""{"type":"record","name":"t_record","namespace":"hoodie.t","fields":[{"name":"c","type":$fieldType}]}"""

  private def typeOf(fieldType: String): StructField = SchemaConversion.toSpark(record(fieldType)).head

  private def check(fieldType: String, expected: DataType): Unit = {
    assertEquals(typeOf(fieldType), StructField("c", expected, nullable = false))
    assertEquals(typeOf(s"""["null",$fieldType]"""), StructField("c", expected, nullable = true))
  }

  test("every Avro type with a Spark type is read, with and without null") {
    check(""""boolean"""", BooleanType)
    check(""""int"""", IntegerType)
    check(""""long"""", LongType)
    check(""""float"""", FloatType)
    check(""""double"""", DoubleType)
    check(""""string"""", StringType)
    check(""""bytes"""", BinaryType)
    check("""{"type":"int","logicalType":"date"}""", DateType)
    check("""{"type":"long","logicalType":"timestamp-millis"}""", TimestampType)
    check("""{"type":"long","logicalType":"timestamp-micros"}""", TimestampType)
    check("""{"type":"long","logicalType":"local-timestamp-millis"}""", TimestampNTZType)
    check("""{"type":"long","logicalType":"local-timestamp-micros"}""", TimestampNTZType)
    check("""{"type":"string","logicalType":"uuid"}""", StringType)
    check("""{"type":"enum","name":"e","symbols":["A","B"]}""", StringType)
    check("""{"type":"fixed","name":"f","size":4}""", BinaryType)
    check("""{"type":"bytes","logicalType":"decimal","precision":9,"scale":2}""", DecimalType(9, 2))
    check("""{"type":"fixed","name":"f","size":16,"logicalType":"decimal","precision":38,"scale":10}""",
      DecimalType(38, 10))
    check("""{"type":"array","items":["null","int"]}""", ArrayType(IntegerType, containsNull = true))
    check("""{"type":"map","values":"long"}""", MapType(StringType, LongType, valueContainsNull = false))
    check("""{"type":"record","name":"r","fields":[{"name":"x","type":["null","int"]}]}""",
      new StructType().add("x", IntegerType))
  }

  test("null may stand anywhere in a union, and numbers join to the wider one") {
    assertEquals(typeOf("""["string","null"]"""), StructField("c", StringType))
    assertEquals(typeOf("""["null","int","long"]"""), StructField("c", LongType))
    assertEquals(typeOf("""["double","float"]"""), StructField("c", DoubleType, nullable = false))
  }

  test("what Spark cannot hold is refused with the column's name") {
    for (bad <- Seq("""["int","string"]""", """{"type":"long","logicalType":"timestamp-nanos"}""",
        """{"type":"record","name":"r","fields":[{"name":"x","type":["null","hoodie.t.t_record"]}]}""")) {
      val error = intercept[HudiliteException](SchemaConversion.toSpark(record(bad)))
      assertEquals(error.condition, "UNSUPPORTED_SCHEMA")
    }
  }

  test("a time of day has Spark's type where there is one, and is refused elsewhere by what is so") {
    for ((avro, digits) <- Seq("""{"type":"int","logicalType":"time-millis"}""" -> 3,
        """{"type":"long","logicalType":"time-micros"}""" -> 6)) {
      val error = intercept[HudiliteException](SchemaConversion.toSpark(record(avro)))
      assertEquals(error.condition, "UNSUPPORTED_SCHEMA")
      if (!TimesOfDay.exist)
        assertEquals(error.parameters("reason"), "Spark has no type for a time of day before 4.1")
      else {
        assert(error.parameters("reason").contains(TimesOfDay.Setting), error.getMessage)
        withConf(TimesOfDay.Setting -> "true") {
          val time = TimesOfDay.of(digits).fold(fail(_), identity)
          check(avro, time)
          val written = intercept[HudiliteException](
            SchemaConversion.toAvro(new StructType().add("c", time), "t", withMeta = false))
          assertEquals(written.condition -> written.parameters("reason"),
            "UNSUPPORTED_COLUMN_TYPE" -> "times of day can be read, but not written")
        }
      }
    }
    assertEquals(TimesOfDay.exist, !Seq("3.", "4.0.").exists(org.apache.spark.SPARK_VERSION.startsWith))
  }

  test("the schema of a commit by Hudi comes out again letter by letter") {
    val json = """{"type":"record","name":"all_types_record","namespace":"hoodie.all_types","fields":[""" +
      """{"name":"id","type":["null","string"],"default":null},""" +
      """{"name":"d","type":["null",{"type":"fixed","name":"fixed","namespace":"hoodie.all_types.all_types_record.d","size":9,"logicalType":"decimal","precision":20,"scale":3}],"default":null},""" +
      """{"name":"day","type":["null",{"type":"int","logicalType":"date"}],"default":null},""" +
      """{"name":"at","type":["null",{"type":"long","logicalType":"timestamp-micros"}],"default":null},""" +
      """{"name":"arr","type":["null",{"type":"array","items":["null","string"]}],"default":null},""" +
      """{"name":"m","type":["null",{"type":"map","values":["null","int"]}],"default":null},""" +
      """{"name":"st","type":["null",{"type":"record","name":"st","namespace":"hoodie.all_types.all_types_record","fields":[""" +
      """{"name":"x","type":["null","int"],"default":null},""" +
      """{"name":"z","type":["null",{"type":"array","items":["null",{"type":"record","name":"z","namespace":"hoodie.all_types.all_types_record.st","fields":[""" +
      """{"name":"w","type":["null","double"],"default":null}]}]}],"default":null}]}],"default":null}]}"""
    assertEquals(SchemaConversion.toAvro(SchemaConversion.toSpark(json), "all_types", withMeta = false), json)
  }

  test("meta columns come first and only once") {
    val schema = new StructType().add("_hoodie_record_key", StringType).add("a", IntegerType, nullable = false)
    val names = SchemaConversion.toSpark(SchemaConversion.toAvro(schema, "my-table", withMeta = true))
    assertEquals(names.fieldNames.toSeq, io.hudilite.record.MetaFields.all :+ "a")
    assertEquals(names("a").nullable, false)
  }

  test("columns that Avro cannot hold are refused by path") {
    val bad = new StructType().add("s", new StructType().add("i", CalendarIntervalType))
    val error = intercept[HudiliteException](SchemaConversion.toAvro(bad, "t", withMeta = false))
    assertEquals(error.parameters("column"), "s.i")
    val named = intercept[HudiliteException](SchemaConversion.toAvro(new StructType().add("a b", StringType), "t",
        withMeta = false))
    assertEquals(named.condition, "INVALID_COLUMN_NAME")
  }

  test("decimals take the fewest bytes that hold them") {
    assertEquals(Seq(1, 2, 9, 18, 20, 38).map(SchemaConversion.minBytes), Seq(1, 1, 4, 8, 9, 16))
  }
}

package io.hudilite.schema

import io.hudilite.error.InvalidInput
import io.hudilite.schema.ColumnType.{Atom, ListOf, MapOf, Record}

import munit.FunSuite

class NextVersionSuite extends FunSuite {

  private val Instant = "20260203040506789"

  private val present = """{"max_column_id":12,"version_id":20260101000000000,"type":"record","fields":[""" +
    """{"id":5,"name":"id","optional":true,"type":"string","doc":""},""" +
    """{"id":6,"name":"price","optional":false,"type":"int"},""" +
    """{"id":7,"name":"amount","optional":true,"type":"decimal_fixed(10, 2)[5]"},""" +
    """{"id":8,"name":"st","optional":true,"type":{"type":"record","fields":[""" +
    """{"id":9,"name":"x","optional":true,"type":"int"}]}},""" +
    """{"id":10,"name":"l","optional":true,"type":{"type":"array","element_id":11,"element":"int",""" +
    """"element_optional":false}}]}"""

  private val st = """["null",{"type":"record","name":"st","fields":[{"name":"x","type":["null","int"]}%s]}]"""

  private def avro(price: String = "\"int\"", inSt: String = "", more: String = ""): String =
    s"""{"type":"record","name":"r","fields":[{"name":"id","type":["null","string"]},{"name":"price","type":$price},
       |{"name":"amount","type":{"type":"bytes","logicalType":"decimal","precision":10,"scale":2}},
       |{"name":"st","type":${st.format(inSt)}},
       |{"name":"l","type":{"type":"array","items":"int"}}$more]}""".stripMargin

  private def next(avroJson: String): SchemaVersion =
    SchemaJson.version(NextVersion.of(present, avroJson, Instant).getOrElse(fail("there is no next version")))

  test("the same columns need no version, however decimals are stored") {
    assertEquals(NextVersion.of(present, avro(), Instant), None)
  }

  test("added columns get ids after the greatest, those of one level before those inside of them") {
    val added = """,{"name":"s2","type":["null",{"type":"record","name":"s2","fields":[
      {"name":"a","type":"long"},{"name":"b","type":{"type":"map","values":"double"}}]}]},
      {"name":"day","type":["null",{"type":"int","logicalType":"date"}]}"""
    val version = next(avro(more = added))
    assertEquals(version.version, Instant)
    val columns = version.columns.columns
    assertEquals(columns.map(c => c.id -> c.name).drop(5), Seq(13 -> "s2", 14 -> "day"))
    assertEquals(columns(5).dataType,
      Record(Seq(Column(15, "a", Atom("long")), Column(16, "b", MapOf(Atom("string"), Atom("double"))))))
    assertEquals(columns(6).dataType, Atom("date"))
    val json = NextVersion.of(present, avro(more = added), Instant).get
    assert(json.contains("\"max_column_id\":18"), json)
    assert(json.contains("\"doc\":\"\""), "what is not understood stays")
  }

  test("a field is added inside of a record, and a type is widened in its place") {
    val version = next(avro(price = "\"long\"", inSt = """,{"name":"y","type":["null","string"]}"""))
    assertEquals(version.columns.column("price"), Some(Column(6, "price", Atom("long"))))
    assertEquals(version.columns.column("st").map(_.dataType),
      Some(Record(Seq(Column(9, "x", Atom("int")), Column(13, "y", Atom("string"))))))
    assertEquals(version.columns.column("l").map(_.dataType), Some(ListOf(Atom("int"))))
  }

  test("a column that may be null from now on is recorded so") {
    val json = NextVersion.of(present, avro(price = """["null","int"]"""), Instant).get
    assert(json.contains(""""name":"price","optional":true"""), json)
  }

  test("a column of a type that Hudi cannot read back from the list is refused") {
    val error = intercept[InvalidInput](next(
        avro(more = """,{"name":"at","type":{"type":"long","logicalType":"local-timestamp-micros"}}""")))
    assertEquals((error.condition, error.parameters("column")), ("UNSUPPORTED_COLUMN_TYPE", "at"))
  }

  test("a version goes in front of the history, and all others stay as they were") {
    val grown = NextVersion.of(present, avro(price = "\"long\""), Instant).get
    val json = NextVersion.history(s"""{"schemas":[$present]}""", grown)
    assertEquals(json, s"""{"schemas":[$grown,$present]}""")
    assertEquals(SchemaJson.history(json).versions.map(_.version), Seq("20260101000000000", Instant))
  }

  test("one set of columns contains another by path and type") {
    assert(ColumnSets.contains(avro(more = """,{"name":"n","type":"int"}"""), avro()))
    assert(!ColumnSets.contains(avro(), avro(more = """,{"name":"n","type":"int"}""")))
    assert(!ColumnSets.contains(avro(price = "\"long\""), avro()))
    assert(!ColumnSets.contains(avro(), avro(inSt = """,{"name":"y","type":["null","string"]}""")))
  }
}

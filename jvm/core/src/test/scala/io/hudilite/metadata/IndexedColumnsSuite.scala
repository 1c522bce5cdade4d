package io.hudilite.metadata

import munit.FunSuite

class IndexedColumnsSuite extends FunSuite {

  private def field(name: String, schema: String): String = s"""{"name":"$name","type":["null",$schema]}"""

  private def decimal(precision: Int, scale: Int): String =
    s"""{"type":"fixed","name":"d$precision$scale","size":16,"logicalType":"decimal","precision":$precision,"scale":$scale}"""

  private val schema = Seq(field("id", "\"string\""), field("dec", decimal(20, 3)), field("small", decimal(10, 2)),
    field("fine", decimal(38, 16)), field("at", """{"type":"long","logicalType":"timestamp-micros"}"""),
    field("raw", "\"bytes\""), field("choice", """{"type":"enum","name":"e","symbols":["A"]}"""),
    field("list", """{"type":"array","items":"int"}"""), field("map", """{"type":"map","values":"int"}"""),
    field("st",
      s"""{"type":"record","name":"s","fields":[${field("x", "\"int\"")},${field("l",
          """{"type":"array","items":"int"}""")}]}"""))
    .mkString("""{"type":"record","name":"r","fields":[""", ",", "]}")

  private val meta = Seq("_hoodie_commit_time", "_hoodie_partition_path", "_hoodie_record_key")

  test("without a list they are the first top-level columns of types that the version's statistics have") {
    assertEquals(IndexedColumns.of(schema, 9, hasMetaColumns = true),
      meta ++ Seq("id", "dec", "small", "fine", "at", "raw"))
    assertEquals(IndexedColumns.of(schema, 8, hasMetaColumns = true), meta ++ Seq("id", "small", "at", "raw"))
    assertEquals(IndexedColumns.of(schema, 6, hasMetaColumns = false, most = 2), Seq("id", "small"))
  }

  test("a list may name nested fields; what has no statistics is left out") {
    assertEquals(IndexedColumns.of(schema, 9, hasMetaColumns = true,
        asked = Seq("st.x", "st.l", "st", "id", "gone", "list")),
      meta ++ Seq("st.x", "id"))
  }
}

package io.hudilite.schema

import munit.FunSuite

class TypeNamesSuite extends FunSuite {

  private val history = """{"schemas":[{"max_column_id":5,"version_id":0,"type":"record","fields":[""" +
    """{"id":0,"name":"decimal_bytes(1, 0)","optional":true,"type":"decimal_bytes(38, 2)","doc":"decimal_bytes(1, 0)"},""" +
    """{"id":1,"name":"m","optional":true,"type":{"type":"map","key_id":2,"key":"string","value_id":3,""" +
    """"value":"decimal_fixed(9, 2)[4]","value_optional":true}},""" +
    """{"id":4,"name":"l","optional":true,"type":{"type":"array","element_id":5,""" +
    """"element":"decimal_fixed(9,0)[7]","element_optional":false}}]}]}"""

  test("releases up to 1.0 have one name for decimals, at every depth, and nothing else changes") {
    val plain = history.replace("\"decimal_bytes(38, 2)\"", "\"decimal(38, 2)\"")
      .replace("decimal_fixed(9, 2)[4]", "decimal(9, 2)").replace("decimal_fixed(9,0)[7]", "decimal(9, 0)")
    for (version <- Seq(6, 8)) assertEquals(TypeNames.forTable(history, version), plain)
    assertEquals(TypeNames.forTable(plain, 8), plain)
  }

  test("from version 9 on names say how decimals are stored, as those of Apache Hudi do") {
    assertEquals(TypeNames.forTable(history, 9), history)
  }
}

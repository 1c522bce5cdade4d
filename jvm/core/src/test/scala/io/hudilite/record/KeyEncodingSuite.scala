package io.hudilite.record

import io.hudilite.config.KeyGeneratorType
import io.hudilite.error.{InvalidInput, UnsupportedTable}

import munit.FunSuite

class KeyEncodingSuite extends FunSuite {

  private def key(prefixed: Boolean, pairs: (String, String)*): String =
    KeyEncoding.recordKey(pairs.map(_._1).toIndexedSeq, pairs.map(_._2).toArray, prefixed)

  test("a bare key is the value of its one field") {
    assertEquals(key(prefixed = false, "id" -> "1"), "1")
    assertEquals(key(prefixed = false, "id" -> "ключ:1,é"), "ключ:1,é")
  }

  test("a prefixed key names its fields, and null and empty values have words of their own") {
    assertEquals(key(prefixed = true, "id" -> "1"), "id:1")
    assertEquals(key(prefixed = true, "id" -> "1", "name" -> null), "id:1,name:__null__")
    assertEquals(key(prefixed = true, "id" -> "", "name" -> "é"), "id:__empty__,name:é")
    assertEquals(key(prefixed = true, "a.b" -> "1", "c" -> "2"), "a.b:1,c:2")
  }

  test("a row without any key value is refused") {
    def condition(prefixed: Boolean, pairs: (String, String)*): String =
      intercept[InvalidInput](key(prefixed, pairs: _*)).condition
    assertEquals(condition(prefixed = false, "id" -> null), "NULL_RECORD_KEY")
    assertEquals(condition(prefixed = false, "id" -> ""), "NULL_RECORD_KEY")
    assertEquals(condition(prefixed = true, "id" -> null, "name" -> ""), "NULL_RECORD_KEY")
  }

  test("the spelling follows from generator, number of fields and version; one case only the rows can tell") {
    import KeyGeneratorType._
    for (generator <- KeyGeneratorType.all; version <- Seq(6, 8, 9))
      assertEquals(KeyEncoding.isPrefixed(generator, 2, version), Some(true))
    for (generator <- Seq(Simple, Timestamp, Custom, NonPartitioned); version <- Seq(6, 8, 9))
      assertEquals(KeyEncoding.isPrefixed(generator, 1, version), Some(false))
    assertEquals(KeyEncoding.isPrefixed(Complex, 1, 9), Some(true))
    assertEquals(KeyEncoding.isPrefixed(Complex, 1, 8), None)
    assertEquals(KeyEncoding.isPrefixed(Complex, 1, 6), None)
  }

  test("a stored row tells the spelling of its table, also when the value looks like a prefixed key") {
    assertEquals(KeyEncoding.detectPrefixed("id", "1", "1"), false)
    assertEquals(KeyEncoding.detectPrefixed("id", "1", "id:1"), true)
    assertEquals(KeyEncoding.detectPrefixed("id", "id:1", "id:1"), false)
    assertEquals(KeyEncoding.detectPrefixed("id", "id:1", "id:id:1"), true)
    assertEquals(intercept[UnsupportedTable](KeyEncoding.detectPrefixed("id", "1", "x:1")).condition,
      "UNSUPPORTED_TABLE_FEATURE")
  }

  test("the values in a stored key are found again") {
    def values(key: String): Seq[String] = KeyEncoding.keyValues(key, Seq("id", "name"))
    assertEquals(values("id:1,name:__null__"), Seq("1", null))
    assertEquals(values("id:__empty__,name:é"), Seq("", "é"))
    assertEquals(values("id:10:30,name:x,y"), Seq("10:30", "x,y"))
    assertEquals(values("id:1,,,name:::1:2::4::"), Seq("1,,", "::1:2::4::"))
    assertEquals(values("id:,name:,,3"), Seq("", ",,3"))
    assertEquals(values("id:1"), Seq("id:1"))
    assertEquals(values("plain"), Seq("plain"))
  }

  test("of the values in a stored key only those of some fields are taken") {
    assertEquals(KeyEncoding.keyValues("id:a,b:c,name:x", Seq("id", "name")), Seq("a", "x"))
    assertEquals(KeyEncoding.keyValues("id:1,name:x", Seq("name")), Seq("x"))
    assertEquals(KeyEncoding.keyValues("id:1,name:x", Seq("name", "id")), Seq("1", "x"))
    assertEquals(KeyEncoding.keyValues("x,y:z,id:1", Seq("id")), Seq("1"))
    assertEquals(KeyEncoding.keyValues("x,y:z", Seq("id")), Seq("x,y:z"))
  }

  private def path(hiveStyle: Boolean, urlEncode: Boolean, pairs: (String, String)*): String =
    KeyEncoding.partitionPath(pairs.map(_._1).toIndexedSeq, pairs.map(_._2).toArray, hiveStyle, urlEncode)

  test("partition paths are the values, by level, with field names in Hive's style") {
    assertEquals(path(hiveStyle = false, urlEncode = false, "dt" -> "2026-01-01"), "2026-01-01")
    assertEquals(path(hiveStyle = true, urlEncode = false, "dt" -> "2026-01-01", "city" -> "x"), "dt=2026-01-01/city=x")
    assertEquals(path(hiveStyle = false, urlEncode = false), "")
  }

  test("a null or empty partition value has Hive's default name, in every style") {
    assertEquals(path(hiveStyle = false, urlEncode = true, "p" -> null), "__HIVE_DEFAULT_PARTITION__")
    assertEquals(path(hiveStyle = true, urlEncode = true, "p" -> ""), "p=__HIVE_DEFAULT_PARTITION__")
  }

  test("a value is escaped before the field name is put in front, and a slash stays without escaping") {
    assertEquals(path(hiveStyle = true, urlEncode = true, "p" -> "a=b/c"), "p=a%3Db%2Fc")
    assertEquals(path(hiveStyle = false, urlEncode = false, "p" -> "2026/01/02"), "2026/01/02")
  }

  test("exactly Hive's set of characters is escaped") {
    val escaped = (0 to 255).map(_.toChar).filter(c => KeyEncoding.escape(c.toString) != c.toString)
    val expected = (0 to 0x1f).map(_.toChar) ++ "\"#%'*/:=?[\\]^{".toSeq :+ 0x7f.toChar
    assertEquals(escaped.toSet, expected.toSet)
    assertEquals(KeyEncoding.escape("São Paulo/1:2"), "São Paulo%2F1%3A2")
    assertEquals(KeyEncoding.escape("x=y z"), "x%3Dy z")
    assertEquals(KeyEncoding.escape("a+b}c鍵"), "a+b}c鍵")
    assertEquals(KeyEncoding.escape("\u0001\u001f\u007f"), "%01%1F%7F")
  }

  test("unescape undoes escape and leaves other percent signs alone") {
    val all = (1 to 300).map(_.toChar).mkString
    assertEquals(KeyEncoding.unescape(KeyEncoding.escape(all)), all)
    assertEquals(KeyEncoding.unescape("50%"), "50%")
    assertEquals(KeyEncoding.unescape("%zz%2f"), "%zz/")
  }

  test("the meta columns come in file order") {
    assertEquals(MetaFields.all,
      Seq("_hoodie_commit_time", "_hoodie_commit_seqno", "_hoodie_record_key",
        "_hoodie_partition_path", "_hoodie_file_name"))
  }
}

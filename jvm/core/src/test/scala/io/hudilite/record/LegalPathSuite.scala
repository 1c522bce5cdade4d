package io.hudilite.record

import io.hudilite.error.InvalidInput
import io.hudilite.storage.TablePath

import munit.FunSuite

class LegalPathSuite extends FunSuite {

  // Apache Hudi 1.2 reports the first seven of these as written and has lost the rows, or put them outside the table.
  private val illegal = Seq("a//b", "trail/", ".", "..", "a/../b", "a/./b", "//", "/lead", "/", "a:b", "a:b/c",
    ".hoodie",
    "x/.hoodie", ".hoodie/x", ".hoodie_partition_metadata", "x/.hoodie_partition_metadata.parquet/y", "nul\u0000x",
    ".x.crc", "a/.x.crc", ".crc", "..crc/a")

  // Apache Hudi 1.2 writes all of these and reads them back.
  private val legal = Seq("", "a/b", ".dot", "x/.dot", "...", "a\\b", "x/a:b", "a%2Fb", "a%b", "tab\tx", "nl\nx",
    "del\u007fx", " lead", "trail ", "größe", "__HIVE_DEFAULT_PARTITION__", "_temporary", "a?b", "a#b", "a*b", "{a",
    "[a]",
    "a,b", "a=b", "p=.", "p=..", "\u2028x", "~", "-", "\ud83d\ude00", ".hoodiex", "hoodie", "x.crc", ".x.crcs",
    ".x.CRC", "p=.x.crc")

  test("what would be listed elsewhere or lies outside must not be written") {
    illegal.foreach(path => assert(LegalPath.problem(path).nonEmpty, path))
  }

  test("what Hudi writes and lists is legal, and in the form in which paths are compared") {
    legal.foreach { path =>
      assertEquals(LegalPath.problem(path), None, path)
      assertEquals(TablePath.relative(path), path)
    }
  }

  test("url-encoding makes every value legal but those that are a dot, two, or the name of table files or a checksum") {
    val values = illegal ++ legal.filter(_.nonEmpty)
    val stay = values.filter(v => LegalPath.problem(KeyEncoding.escape(v)).nonEmpty)
    assertEquals(stay, Seq(".", "..", ".hoodie", ".hoodie_partition_metadata", ".x.crc", ".crc"))
    values.foreach(v => assertEquals(KeyEncoding.unescape(KeyEncoding.escape(v)), v))
  }

  test("the error names columns, values and path and says what helps") {
    val e =
      intercept[InvalidInput](LegalPath.check("a//b/__HIVE_DEFAULT_PARTITION__", None, Seq("p", "q"),
          Seq("a//b", null)))
    assertEquals(e.condition, "ILLEGAL_PARTITION_PATH")
    assert(
      e.getMessage.startsWith("[ILLEGAL_PARTITION_PATH] The partition path 'a//b/__HIVE_DEFAULT_PARTITION__' of " +
        "p, q = 'a//b', null cannot be written: "), e.getMessage)
    assert(e.getMessage.contains("hoodie.datasource.write.partitionpath.urlencode=true"), e.getMessage)
  }

  test("a name is as long in bytes as its file system takes it, where that has a limit") {
    def check(path: String, most: Option[Int]): Unit = LegalPath.check(path, most, Seq("p"), Seq(path))
    Seq("x" * 255, "ö" * 127 + "x", "x" * 255 + "/" + "y" * 255).foreach(check(_, Some(255)))
    Seq("x" * 256, "ö" * 128, "a/" + "y" * 256).foreach { path =>
      check(path, None)
      val e = intercept[InvalidInput](check(path, Some(255)))
      assert(e.getMessage.contains("a name of 256 bytes is longer than the 255 that local disks allow"), e.getMessage)
    }
  }
}

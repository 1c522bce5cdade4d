package io.hudilite.storage

import munit.FunSuite

class TablePathSuite extends FunSuite {

  test("a path has one form, whatever slashes and dots it is spelled with") {
    Seq("a/b", "/a/b", "a//b", "a/b/", "./a/b", "a/./b", "//a///./b//").foreach(text =>
      assertEquals(TablePath.relative(text), "a/b", text))
    Seq("", "/", ".", "//", "./.").foreach(text => assertEquals(TablePath.relative(text), "", text))
  }

  test("names that only look odd stay as they are") {
    Seq("...", ".dot", "a..b", "a\\..\\b", "x/a:b", "a%2F..%2Fb", " ", "a\nb", "größe", "*", "p=", "~", ".hoodie/x")
      .foreach { text =>
        assert(TablePath.isNormal(text), text)
        assertEquals(TablePath.relative(text), text)
      }
  }

  test("a path that leads out of its folder is refused, also one that comes back") {
    Seq("..", "../a", "a/..", "a/../b", "a/../../b", "/../a", "a/b\u0000").foreach { text =>
      assert(!TablePath.isNormal(text), text)
      intercept[IllegalArgumentException](TablePath.relative(text))
    }
  }

  test("a name is one level") {
    assertEquals(TablePath.name(".f_1.log.1"), ".f_1.log.1")
    Seq("", ".", "..", "a/b", "/a", "a/", "a\u0000").foreach(text =>
      intercept[IllegalArgumentException](TablePath.name(text)))
    assertEquals(TablePath.fileName("file:/t/../p/f.parquet"), "f.parquet")
    Seq("/t/..", "/t/", "").foreach(text => intercept[IllegalArgumentException](TablePath.fileName(text)))
  }

  test("an absolute path is taken when it lies in the table, in any spelling of its store") {
    Seq("/t/p/f", "file:/t/p/f", "file:///t/p/f", "FILE:/t//p/./f", "p/f").foreach { text =>
      assertEquals(TablePath.below("/t", text), "p/f", text)
      assertEquals(TablePath.below("file:/t/", text), "p/f", text)
    }
    Seq("s3://b/t/p", "s3a://b/t/p", "s3n://b//t/p/").foreach(text =>
      assertEquals(TablePath.below("s3a://b/t", text), "p", text))
    assertEquals(TablePath.below("/t", "/t/"), "")
    assertEquals(TablePath.below("/", "/p"), "p")
  }

  test("an absolute path outside the table is refused") {
    Seq("/tt/p", "/", "/t/../u", "file:/u", "hdfs://n/t/p", "s3://b/t").foreach(text =>
      intercept[IllegalArgumentException](TablePath.below("file:/t", text)))
    intercept[IllegalArgumentException](TablePath.below("s3a://b/t", "s3a://c/t/p"))
  }
}

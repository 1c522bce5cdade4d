package io.hudilite.record

import munit.FunSuite

/** As Apache Hudi 1.2 reads these paths of tables whose files hold no partition columns. */
class FolderValuesSuite extends FunSuite {

  private def one(path: String): Option[Option[String]] = FolderValues.of(path, Seq("p")).map(_.head)

  test("a level is its text without the name of a column and without escapes") {
    assertEquals(one("b c"), Some(Some("b c")))
    assertEquals(one("p=007"), Some(Some("007")))
    assertEquals(one("a%2Fb"), Some(Some("a/b")))
    assertEquals(one("a%b"), Some(Some("a%b")))
    assertEquals(one("q=z"), Some(Some("z")))
    assertEquals(one("p=q=5"), Some(Some("q=5")))
    assertEquals(one("null"), Some(Some("null")))
    assertEquals(FolderValues.of("p=1/q=x y", Seq("p", "q")), Some(Seq(Some("1"), Some("x y"))))
  }

  test("only today's default partition is null") {
    assertEquals(one("p=__HIVE_DEFAULT_PARTITION__"), Some(None))
    assertEquals(one("default"), Some(Some("default")))
    assertEquals(FolderValues.of("2/__HIVE_DEFAULT_PARTITION__", Seq("p", "q")), Some(Seq(Some("2"), None)))
  }

  test("a column alone has all levels as they are") {
    assertEquals(one("x/y"), Some(Some("x/y")))
    assertEquals(one("p=2024/01"), Some(Some("2024/01")))
    assertEquals(one("x/a%2Fb"), Some(Some("x/a%2Fb")))
  }

  test("a path with other levels than columns and an empty text tell nothing") {
    assertEquals(FolderValues.of("3/x/y", Seq("p", "q")), None)
    assertEquals(one("p="), None)
  }
}

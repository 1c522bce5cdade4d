package io.hudilite.timeline

import munit.FunSuite

class CommitCacheSuite extends FunSuite {

  private def commit(operation: String): CommitMetadata = CommitMetadata(operation, Map.empty, Map.empty)

  private def kept(cache: CommitCache, paths: String*): Seq[String] = paths.filter(cache.get(_).isDefined)

  test("what was used least recently goes first when the bound is passed") {
    val cache = new CommitCache(10)
    Seq("a", "b", "c").foreach(path => cache.put(path, commit(path), 3))
    assertEquals(cache.get("a").map(_.operation), Some("a"))
    cache.put("d", commit("d"), 3)
    assertEquals(kept(cache, "a", "b", "c", "d"), Seq("a", "c", "d"))
    cache.put("e", commit("e"), 7)
    assertEquals(kept(cache, "a", "b", "c", "d", "e"), Seq("d", "e"))
  }

  test("an entry above the bound is not kept, and drives nothing out") {
    val cache = new CommitCache(10)
    cache.put("a", commit("a"), 4)
    cache.put("b", commit("b"), 11)
    assertEquals(kept(cache, "a", "b"), Seq("a"))
    cache.put("c", commit("c"), 10)
    assertEquals(kept(cache, "a", "c"), Seq("c"))
  }

  test("an entry that is put again counts once") {
    val cache = new CommitCache(10)
    cache.put("a", commit("a"), 4)
    for (_ <- 1 to 5) cache.put("b", commit("b"), 6)
    assertEquals(kept(cache, "a", "b"), Seq("a", "b"))
  }
}

package io.hudilite

import io.hudilite.docs.Comments

import munit.FunSuite

/** Sentences of comments begin with their subject. */
class CommentsSuite extends FunSuite {

  test("no sentence of a comment begins with a word that the house rules name") {
    assertEquals(Comments.words.size, 4)
    val sources = Source.withTests("core") ++ Source.withTests("spark")
    assertEquals(sources.flatMap(s => Comments.refused(s.lines).map(found => s"${s.name}: $found")), Nil)
  }

  test("sentences are found in scaladoc, in its tags, and in comments of several lines and at the end of one") {
    val source = Seq("/** Whether. Then. (Who) `a. What`", "  * The same", "  * more. What now?", "  *",
      "  * @param what", "  *   what it is", "  * @return", "  *   the rest", "  */", "val a = 1 // Who else",
      "val b = \"// What\"", "// Why. What a", "// sentence", "val What = 1 / 2", "/** Whatever */")
    assertEquals(Comments.refused(source),
      Seq("Whether.", "Who) code The same more.", "What it is", "Who else", "What a sentence"))
  }
}

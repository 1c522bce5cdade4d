package io.hudilite

import io.hudilite.docs.Comments

import munit.FunSuite

/** Sentences of comments begin with their subject. */
class CommentsSuite extends FunSuite {

  // Rooms that still have others, with the rooms below them but for the root. None is added.
  private val open = Set("config", "service")

  private def isAt(room: String)(at: String): Boolean = room == at || at != "spark" && room.startsWith(s"$at.")

  private lazy val refused: Map[String, Seq[String]] = (Source.of("core") ++ Source.of("spark")).groupBy(_.room).map {
    case (room, sources) => room -> sources.flatMap(s => Comments.refused(s.lines).map(found => s"${s.name}: $found"))
  }.filter(_._2.nonEmpty)

  test("no sentence of a comment begins with a word that the house rules name") {
    assertEquals(Comments.words.size, 4)
    assertEquals(refused.filterNot { case (room, _) => open.exists(isAt(room)) }, Map.empty[String, Seq[String]])
  }

  test("a room whose sentences are all right has left the list") {
    assertEquals(open.filterNot(at => refused.keys.exists(isAt(_)(at))), Set.empty[String])
  }

  test("sentences are found in scaladoc, in its tags, and in comments of several lines and at the end of one") {
    val source = Seq("/** Whether. Then. (Who) `a. What`", "  * The same", "  * more. What now?", "  *",
      "  * @param what", "  *   What it is", "  */", "val a = 1 // Who else", "val b = \"// What\"", "// Why. What a",
      "// sentence", "val What = 1 / 2", "/** Whatever */")
    assertEquals(Comments.refused(source),
      Seq("Whether.", "Who) code The same more.", "What it is", "Who else", "What a sentence"))
  }
}

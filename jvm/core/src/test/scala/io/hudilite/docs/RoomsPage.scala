package io.hudilite.docs

/** The picture and the table of the rooms in docs/design.md. */
object RoomsPage {

  private val Begin =
    "<!-- made from jvm/core/src/test/scala/io/hudilite/docs/Rooms.scala; `make docs` writes it again -->\n"
  private val End = "<!-- end of what is made -->\n"
  private val Width = 104

  /** The page with its part between the two marks made anew. */
  def in(page: String): String = {
    val (from, until) = (page.indexOf(Begin), page.indexOf(End))
    require(from >= 0 && until > from, "docs/design.md has lost the marks around its rooms")
    page.take(from) + Begin + "\n" + picture + "\n" + table + "\n" + page.drop(until)
  }

  private def picture: String = {
    val python =
      Seq("python/hudilite    session, jars, table handle, command line     inspect: pyarrow and fastavro, no JVM")
    val spark = drawn("jvm/spark", Rooms.spark)
    val core = drawn("jvm/core", Rooms.core)
    (Seq("```") ++ python ++ Seq("─" * Width) ++ spark ++ Seq(divider("core has no Spark on its classpath")) ++ core :+
      "```").mkString("", "\n", "\n")
  }

  private def divider(text: String): String = {
    val left = (Width - text.length - 2) / 2
    s"${"─" * left} $text ${"─" * (Width - text.length - 2 - left)}"
  }

  private def drawn(module: String, rooms: Seq[Room]): Seq[String] =
    Rooms.layers(rooms).map(_.map(shortName).mkString("   ")).zipWithIndex.map { case (line, i) =>
      (if (i == 0) module else "").padTo(19, ' ') + line
    }

  private def shortName(room: Room): String =
    if (room.name == "spark") "(source and extension)" else room.name.stripPrefix("spark.")

  private def table: String =
    "| room | what it knows | what it imports |\n|---|---|---|\n" + Rooms.all.map { room =>
      s"| `${room.name}` | ${room.knows} | ${room.imports.map(other => s"`$other`").mkString(", ")} |\n"
    }.mkString
}

package io.hudilite.docs

import io.hudilite.config.Options

import java.nio.charset.StandardCharsets.UTF_8
import java.nio.file.{Files, Paths}

import munit.FunSuite

/** `UPDATE=1` writes the pages instead of comparing them. */
class GeneratedDocsSuite extends FunSuite {

  private val update = sys.env.get("UPDATE").contains("1")

  private def written(name: String): String = {
    val path = Paths.get(name)
    if (Files.exists(path)) new String(Files.readAllBytes(path), UTF_8) else ""
  }

  Seq(
    "docs/options.md" -> (() => GeneratedPages.options), "docs/errors.md" -> (() => GeneratedPages.errors),
    "docs/spark-internals.md" -> (() => InternalsPage.page),
    "docs/design.md" -> (() => RoomsPage.in(written("docs/design.md"))),
    "python/hudilite/conditions.py" -> (() => GeneratedPages.pythonConditions),
    "python/hudilite/options.py" -> (() => GeneratedPages.python)).foreach { case (name, content) =>
    test(s"$name says what is declared (make docs writes it again)") {
      if (update) Files.write(Paths.get(name), content().getBytes(UTF_8))
      assertNoDiff(written(name), content(), s"$name is stale")
    }
  }

  test("the names of the Python constants differ") {
    val names = Options.documented.map(GeneratedPages.constantName(_))
    assertEquals(names.distinct.size, names.size)
  }

  test("few options are documented, each with a sentence") {
    assert(Options.documented.size <= 105, s"${Options.documented.size} options")
    Options.documented.foreach(key => assert(key.doc.endsWith("."), key.name))
  }
}

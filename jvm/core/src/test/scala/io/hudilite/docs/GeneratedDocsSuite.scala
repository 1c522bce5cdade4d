package io.hudilite.docs

import io.hudilite.config.Options

import java.nio.charset.StandardCharsets.UTF_8
import java.nio.file.{Files, Paths}

import munit.FunSuite

/** `UPDATE=1` writes the pages instead of comparing them. */
class GeneratedDocsSuite extends FunSuite {

  private val update = sys.env.get("UPDATE").contains("1")

  Seq(
    "docs/options.md" -> (() => GeneratedPages.options), "docs/errors.md" -> (() => GeneratedPages.errors),
    "python/hudilite/options.py" -> (() => GeneratedPages.python)).foreach { case (name, content) =>
    test(s"$name says what is declared (make docs writes it again)") {
      val path = Paths.get(name)
      if (update) {
        Files.createDirectories(path.getParent)
        Files.write(path, content().getBytes(UTF_8))
      }
      val written = if (Files.exists(path)) new String(Files.readAllBytes(path), UTF_8) else ""
      assertNoDiff(written, content(), s"$name is stale")
    }
  }

  test("the names of the Python constants differ") {
    val names = Options.documented.map(GeneratedPages.constantName(_))
    assertEquals(names.distinct.size, names.size)
  }

  test("few options are documented, each with a sentence") {
    assert(Options.documented.size <= 75, s"${Options.documented.size} options")
    Options.documented.foreach(key => assert(key.doc.endsWith("."), key.name))
  }
}

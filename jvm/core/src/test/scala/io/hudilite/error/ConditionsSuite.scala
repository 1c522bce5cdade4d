package io.hudilite.error

import java.nio.charset.StandardCharsets.UTF_8
import java.nio.file.{Files, Paths}

import munit.FunSuite

import scala.collection.JavaConverters._

class ConditionsSuite extends FunSuite {

  private val kinds = Set("InvalidInput", "UnsupportedTable", "CommitConflict", "CommitStateUnknown", "CorruptTable")

  private val Thrown = (kinds.mkString("(", "|", ")") + """(?:\.because\(\s*\w+,|\()\s*"([A-Z_]+)"""").r

  // Conditions that the sources throw: kind -> condition. A condition in a constant is not seen.
  private lazy val thrown: Seq[(String, String)] =
    sources("jvm", ".scala").flatMap(Thrown.findAllMatchIn(_).map(m => m.group(1) -> m.group(2)))

  /** The texts of files that are no tests. */
  private def sources(folder: String, suffix: String): Seq[String] = {
    val walk = Files.walk(Paths.get(folder))
    try walk.iterator.asScala.filter(path => path.toString.endsWith(suffix) && !path.toString.contains("/src/test"))
        .toList.map(path => new String(Files.readAllBytes(path), UTF_8))
    finally walk.close()
  }

  test("conditions are sorted by name, few, and complete") {
    val names = Conditions.all.map(_.name)
    assertEquals(names, names.sorted)
    assert(names.size <= 74, s"${names.size} conditions")
    Conditions.all.foreach { c =>
      assert(kinds(c.kind), c)
      assert(c.name.matches("[A-Z][A-Z_]+"), c)
      assert(c.sqlState.matches("[0-9A-Z]{5}"), c)
      assert(Seq(c.message, c.action).forall(_.matches("(?s).*\\.}?")), c)
    }
  }

  test("every condition that is thrown is declared, with the kind it is thrown as") {
    val declared = Conditions.all.map(c => c.name -> c.kind).toMap
    thrown.foreach { case (kind, condition) => assertEquals(declared.get(condition), Some(kind), condition) }
  }

  // Conditions of an installation without a Spark, which the Python package raises.
  private lazy val toldByPython: Seq[String] =
    sources("python/hudilite", ".py").flatMap("""told\(\s*"([A-Z_]+)"""".r.findAllMatchIn(_).map(_.group(1)))

  test("every declared condition is thrown somewhere") {
    assertEquals(Conditions.all.map(_.name).toSet -- thrown.map(_._2) -- toldByPython, Set.empty[String])
  }

  test("what Python tells of is declared") {
    assert(toldByPython.nonEmpty)
    assertEquals(toldByPython.toSet -- Conditions.all.map(_.name), Set.empty[String])
  }

  test("what is said of a value that is not there is left out, and read again without it") {
    val of = Map("what" -> "procedure", "name" -> "a{b}", "known" -> "c, d")
    val (near, far) = (of + ("nearest" -> "{c}"), of)
    Seq(near -> " The nearest one is {c}.", far -> "").foreach { case (values, said) =>
      val told = Conditions.render("UNKNOWN_NAME", values)
      assertEquals(told,
        s"[UNKNOWN_NAME] There is no procedure a{b}.$said Correct the name; known are c, d. SQLSTATE: 42883")
      assertEquals(Conditions.read(s"io.hudilite.error.InvalidInput: $told").map(_._2), Some(values))
    }
  }

  test("a list in an error says so when it is empty") {
    assertEquals(Seq(Nil, Seq("a"), Seq("a", "b", "c")).map(Listed.of(_, 2)), Seq("none", "a", "a, b, ..."))
    assertEquals(UnknownName.of("argument", "x", Nil).parameters,
      Map("what" -> "argument", "name" -> "x", "known" -> "none"))
    val bare = """"\w+" -> [\w.()]+\.mkString\(", "\)""".r
    assertEquals(sources("jvm", ".scala").flatMap(bare.findFirstIn(_)), Nil)
  }

  test("of a text that tells of an error its condition and values are read again") {
    for (c <- Conditions.all; value <- Seq("[v]<x>,$1\\\n'e'SQLSTATE:", "[v] <x> of the\n $1 . SQLSTATE: ")) {
      val names = "<([A-Za-z]+)>".r.findAllMatchIn(c.message + c.action).map(_.group(1)).toSet
      val values = names.zipWithIndex.map { case (name, i) => name -> s"$i$value" }.toMap
      val told = Conditions.render(c.name, values)
      val text = s"Task 0.0 in stage 3.0 (TID 5) failed: io.hudilite.error.${c.kind}: $told\nDriver stacktrace:\n at x"
      assertEquals(Conditions.read(text).map(_._1), Some(c))
      if (!value.contains(' ')) assertEquals(Conditions.read(text).map(_._2), Some(values))
      val job = new RuntimeException("all of it", new IllegalStateException(text))
      val raised = HudiliteException.unwrapped(job)
      assertEquals(raised.getMessage, told)
      assertEquals(raised.getClass.getSimpleName, c.kind)
      assert(raised.getCause eq job)
    }
    Seq("", "[NULL_RECORD_KEY] said by somebody", "io.hudilite.error.InvalidInput: [NO_SUCH_NAME] x",
      "io.hudilite.error.InvalidInput: [NULL_RECORD_KEY] and something else")
      .foreach(text => assertEquals(Conditions.read(text), None, text))
  }

  test("an error carries its condition in brackets, the values, the action and the SQL state") {
    val error = InvalidInput("TABLE_NOT_FOUND", "path" -> "/tmp/$1\\x")
    assertEquals(error.condition, "TABLE_NOT_FOUND")
    assertEquals(error.parameters, Map("path" -> "/tmp/$1\\x"))
    assertEquals(error.getMessage,
      "[TABLE_NOT_FOUND] There is no Hudi table at /tmp/$1\\x: it has no .hoodie/hoodie.properties. " +
        "Check the path, or write to it first to create the table. SQLSTATE: 42P01")
  }
}

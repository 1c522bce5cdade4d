package io.hudilite.schema

import io.hudilite.schema.ColumnType.{Atom, ListOf, MapOf, Record}

import munit.FunSuite

class ColumnNamesSuite extends FunSuite {

  private def text(id: Int, name: String): Column = Column(id, name, Atom("string"))
  private def record(columns: Column*): Record = Record(columns)
  private def name(names: ColumnNames, path: String*): Option[String] =
    path.init.foldLeft(Option(names))((at, step) => at.flatMap(_.of(step)).map(_.inside))
      .flatMap(_.of(path.last)).map(_.name)

  test("a renamed column is found under its old name, and its new name is not") {
    val names = ColumnNames.between(record(text(1, "id"), text(2, "shade")), record(text(1, "id"), text(2, "colour")))
    assertEquals(name(names, "shade"), Some("colour"))
    assertEquals(name(names, "id"), Some("id"))
    assertEquals(name(names, "colour"), None)
  }

  test("two columns that swapped their names swap back") {
    val names = ColumnNames.between(record(text(1, "a"), text(2, "b")), record(text(1, "b"), text(2, "a")))
    assertEquals(Seq("a", "b").map(name(names, _)), Seq(Some("b"), Some("a")))
  }

  test("a column that was dropped and added again is another one, one that was only added is not there yet") {
    val file = record(text(1, "id"), text(2, "extra"))
    assertEquals(name(ColumnNames.between(record(text(1, "id"), text(3, "extra")), file), "extra"), None)
    assertEquals(name(ColumnNames.between(record(text(1, "id"), text(3, "new")), file), "new"), None)
  }

  test("columns that another writer added without an id go by their names, unless the name had an id") {
    val names = ColumnNames.between(record(text(1, "shade")), record(text(1, "colour"), text(2, "gone")))
    assertEquals(name(names, "unknown"), Some("unknown"))
    assertEquals(name(names, "gone"), None)
  }

  test("names that differ by case only are one, unless both are there") {
    val names = ColumnNames.between(record(text(1, "Shade"), text(2, "a"), text(3, "A")),
      record(text(1, "colour"), text(2, "x"), text(3, "y")))
    assertEquals(name(names, "shade"), Some("colour"))
    assertEquals(Seq("a", "A").map(name(names, _)), Seq(Some("x"), Some("y")))
  }

  test("names inside of records, lists and maps are found, too") {
    def nested(outer: String, inner: String): Record = record(
      Column(1, outer, record(text(5, inner))), Column(2, "l", ListOf(record(text(6, inner)))),
      Column(3, "m", MapOf(record(text(7, inner)), record(text(8, inner)))))
    val names = ColumnNames.between(nested("now", "xx"), nested("then", "x"))
    assertEquals(name(names, "now", "xx"), Some("x"))
    assertEquals(names.of("l").flatMap(_.inside.inElement.of("xx")).map(_.name), Some("x"))
    val inMap = names.of("m").map(_.inside)
    assertEquals(inMap.flatMap(_.inKey.of("xx")).map(_.name), Some("x"))
    assertEquals(inMap.flatMap(_.inValue.of("xx")).map(_.name), Some("x"))
  }

  test("only names make a difference: not the order, nor types, nor documentation") {
    val query = record(Column(2, "price", Atom("long")), text(1, "id"))
    assertEquals(ColumnNames.between(query, record(text(1, "id"), Column(2, "price", Atom("int")))), ColumnNames.Same)
  }

  private val history = SchemaHistory(Seq("0", "20260101000000000", "20260201000000000").zip(Seq("a", "b", "c")).map {
    case (version, column) => SchemaVersion(version, record(text(1, column)))
  })

  test("the version in force is the newest that is not later, and the first for what is older than all") {
    def at(instant: String): String = history.at(instant).columns.columns.head.name
    assertEquals(at("20251231235959999"), "a")
    assertEquals(at("20260101000000000"), "b")
    assertEquals(at("20260131000000000"), "b")
    assertEquals(at("20300101000000000"), "c")
    assertEquals(SchemaHistory(history.versions.tail).at("20250101000000000").version, "20260101000000000")
  }

  test("an id that was dropped and given out again is that of another column") {
    val dropped = SchemaHistory(Seq("1" -> Seq(text(1, "id"), text(2, "extra")), "2" -> Seq(text(1, "id"))).map {
      case (version, columns) => SchemaVersion(version, record(columns: _*))
    })
    val query = SchemaVersion("3", record(text(1, "key"), text(2, "extra")))
    val names = EvolvedColumns.of(query, dropped).namesIn("1")
    assertEquals((name(names, "extra"), name(names, "key")), (None, Some("id")))
    assertEquals(EvolvedColumns.of(query, dropped).namesIn("3"), ColumnNames.Same)
  }

  test("the version that is read counts, also before the history has it") {
    val query = SchemaVersion("20260301000000000", record(text(1, "d")))
    val columns = EvolvedColumns.of(query, history)
    assertEquals(columns.namesIn("20260301000000000"), ColumnNames.Same)
    assertEquals(columns.namesIn("20260228000000000").of("d").map(_.name), Some("c"))
  }

  test("a column is kept while its id, its name and its type stay, in all versions from its first one on") {
    def kept(versions: Record*): (Boolean, Boolean) = {
      val all = versions.zipWithIndex.map { case (columns, number) => SchemaVersion(number.toString, columns) }
      val columns = EvolvedColumns.of(all.last, SchemaHistory(all.init))
      (columns.keepsName("x"), columns.keeps("x"))
    }
    val (id, x) = (text(1, "id"), text(2, "x"))
    assertEquals(kept(record(id, x), record(text(1, "key"), x)), (true, true), "another was renamed")
    assertEquals(kept(record(id), record(id, x)), (true, true), "it was added")
    assertEquals(kept(record(id, text(2, "y")), record(id, x)), (false, false), "it was renamed")
    assertEquals(kept(record(id, text(2, "y"), text(3, "x")), record(id, x)), (false, false), "another had its name")
    assertEquals(kept(record(id, x), record(id), record(id, x)), (false, false), "it was away")
    assertEquals(kept(record(id, text(2, "X")), record(id, x)), (false, false), "its case was another")
    assertEquals(kept(record(id, Column(2, "x", Atom("int"))), record(id, Column(2, "x", Atom("long")))),
      (true, false), "its type was another")
    assertEquals(kept(record(id)), (false, false), "it has no id")
  }
}

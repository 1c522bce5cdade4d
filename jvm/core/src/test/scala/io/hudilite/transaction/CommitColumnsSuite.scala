package io.hudilite.transaction

import io.hudilite.TestTables
import io.hudilite.EvolvedTables.{alter, avro}
import io.hudilite.TestTables.{begin, write, writeFile}
import io.hudilite.error.CommitConflict
import io.hudilite.schema.{ColumnNames, SchemaJson}
import io.hudilite.table.{Table, TableAccess, TableSupport}
import io.hudilite.timeline.Instant

import munit.FunSuite

/** Columns in commits, by which readers by name and by id are right after each of them. */
class CommitColumnsSuite extends FunSuite {

  private val Before = Seq(1 -> "id", 2 -> "colour")
  private val Renamed = Seq(1 -> "id", 2 -> "shade")

  /** A table whose column `colour` became `shade`. */
  private def renamed(version: Int = 9): (Table, Instant) = {
    val table = TestTables.create(version)
    write(table, "p" -> "a-0")
    val instant = alter(table, Renamed, "0" -> Before)
    (table.refresh(), instant)
  }

  private def commit(table: Table, columns: Option[String] = None, fileId: String = "b-0"): Instant = {
    val transaction = begin(table)
    transaction.commit(Seq(writeFile(table, transaction.instant, "p", fileId)), columns = columns)
  }

  private def names(table: Table): Seq[String] =
    table.refresh().schema.flatMap(_.byId).map(SchemaJson.version(_).columns.columns.map(_.name)).getOrElse(Nil)

  private def versions(table: Table): Seq[String] =
    table.store.schemaFiles.newest(table.store.load()).map(SchemaJson.history(_).versions.map(_.version)).getOrElse(Nil)

  private def fileName(table: Table, column: String, instant: Instant): Option[String] =
    TableSupport.of(table.refresh(), TableAccess.Read()).columns.map(_.namesIn(instant.time)) match {
      case Some(found) => found.of(column).map(_.name)
      case None => Some(column)
    }

  private def conflict(body: => Any): String = {
    val error = intercept[CommitConflict](body)
    assertEquals(error.condition, "COMMIT_CONFLICT")
    error.parameters("reason")
  }

  for (version <- Seq(6, 8, 9)) test(s"version $version: a commit carries the columns and their history on") {
    val (table, altered) = renamed(version)
    val mine = commit(table)
    assertEquals(names(table), Seq("id", "shade"))
    assertEquals(versions(table), Seq("0", altered.time))
    assertEquals(table.refresh().schemaJson, Some(avro("id", "shade")))
    assertEquals(fileName(table, "shade", table.timeline.writes.head), Some("colour"))
    assertEquals(fileName(table, "shade", mine), Some("shade"))
  }

  for (version <- Seq(6, 8, 9))
    test(s"version $version: decimals have names that the oldest release of Apache Hudi has that reads it") {
      val (table, _) = renamed(version)
      val decimal = """{"type":"fixed","name":"f","size":4,"logicalType":"decimal","precision":9,"scale":2}"""
      val list = s"""{"type":"array","items":{"type":"bytes","logicalType":"decimal","precision":20,"scale":3}}"""
      val columns = s"""{"type":"record","name":"r","fields":[{"name":"id","type":["null","string"]},
        {"name":"shade","type":["null","string"]},{"name":"cost","type":["null",$decimal]},
        {"name":"costs","type":["null",$list]}]}"""
      commit(table, Some(columns))
      val spelled = if (version < 9) Seq("\"decimal(9, 2)\"", "\"decimal(20, 3)\"")
      else Seq("\"decimal_fixed(9, 2)[4]\"", "\"decimal_bytes(20, 3)\"")
      val found = "\"decimal[^\"]*\"".r
      assertEquals(found.findAllIn(table.refresh().schema.get.byId.get).toList, spelled.toList)
      assertEquals(found.findAllIn(table.store.schemaFiles.newest(table.store.load()).get).toList, spelled.toList)
    }

  test("a column that a write adds is a version more, under its instant") {
    val (table, altered) = renamed()
    val mine = commit(table, Some(avro("id", "shade", "size")))
    assertEquals(names(table), Seq("id", "shade", "size"))
    assertEquals(versions(table), Seq("0", altered.time, mine.time))
    assertEquals(fileName(table, "size", altered), None)
    assertEquals(fileName(table, "size", mine), Some("size"))
  }

  test("a table that schema-on-read never changed gets no files of it") {
    val table = TestTables.create(9)
    write(table, "p" -> "a-0")
    commit(table.refresh(), Some(avro("id", "colour")))
    assertEquals(TestTables.files(table).filter(_.contains(".schema")), Set.empty[String])
    assertEquals(table.refresh().schema.flatMap(_.byId), None)
  }

  test("columns that another writer added meanwhile stay when this one brings none") {
    val table = TestTables.create(9)
    write(table, "p" -> "a-0")
    val transaction = begin(table.refresh())
    commit(table.refresh(), Some(avro("id", "colour")))
    transaction.commit(Seq(writeFile(table, transaction.instant, "p", "c-0")), assumption = Assumption.Nothing)
    assertEquals(table.refresh().schemaJson, Some(avro("id", "colour")))
  }

  test("two writers that add different columns cannot both win") {
    val table = TestTables.create(9)
    write(table, "p" -> "a-0")
    val transaction = begin(table.refresh())
    commit(table.refresh(), Some(avro("id", "colour")))
    val stat = writeFile(table, transaction.instant, "p", "c-0")
    assertEquals(conflict(transaction.commit(Seq(stat), columns = Some(avro("id", "size")),
          assumption = Assumption.Nothing)),
      "another writer changed the table's columns meanwhile")
    transaction.rollback()
    assertEquals(table.refresh().schemaJson, Some(avro("id", "colour")))
  }

  test("a rename while a write runs leaves the files of the write with the columns that they have") {
    val (table, _) = renamed()
    val transaction = begin(table)
    val again = alter(table, Seq(1 -> "id", 2 -> "tone"), table.timeline.writes.last.time -> Renamed, "0" -> Before)
    val mine = transaction.commit(Seq(writeFile(table, transaction.instant, "p", "b-0")))
    assert(mine.time < again.time)
    assertEquals(names(table), Seq("id", "tone"))
    assertEquals(fileName(table, "tone", mine), Some("shade"))
  }

  test("the first rename of a table while a write runs is a conflict, for the write knows no ids") {
    val table = TestTables.create(9)
    write(table, "p" -> "a-0")
    val transaction = begin(table.refresh())
    alter(table, Renamed, "0" -> Before)
    val stat = writeFile(table, transaction.instant, "p", "b-0")
    assertEquals(conflict(transaction.commit(Seq(stat))), "another writer changed the table's columns meanwhile")
    transaction.rollback()
    assertEquals(names(table), Seq("id", "shade"))
  }

  test("a write that is rolled back leaves nothing in the history") {
    val (table, altered) = renamed()
    val transaction = begin(table)
    table.store.schemaFiles.record(transaction.instant, "{}")
    assertEquals(versions(table), Seq("0", altered.time))
    transaction.rollback()
    assertEquals(TestTables.files(table).filter(_.contains(".schema/")).exists(_.contains(transaction.instant)), false)
  }

  test("after a commit of a writer without schema-on-read columns go by their names, as they do for Hudi") {
    val (table, _) = renamed()
    val instant = table.store.newInstantTime()
    table.store.request(instant, "commit")
    table.store.toInflight(instant, "commit")
    table.store.complete(instant, "commit",
      io.hudilite.timeline.CommitMetadata("UPSERT", Map.empty,
        Map("schema" -> avro("id", "shade"))))
    assertEquals(TableSupport.of(table.refresh(), TableAccess.Read()).columns, None)
    assertEquals(ColumnNames.Same.of("shade").map(_.name), Some("shade"))
  }
}

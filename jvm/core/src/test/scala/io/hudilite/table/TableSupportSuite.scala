package io.hudilite.table

import io.hudilite.{EvolvedTables, TestTables}
import io.hudilite.config.{TableKeys, TableProperties}
import io.hudilite.error.{CorruptTable, UnsupportedTable}
import io.hudilite.storage.CountingStorage

import munit.FunSuite

class TableSupportSuite extends FunSuite {

  private val Columns = Seq(1 -> "id", 2 -> "price")

  private def table(ordering: String = ""): Table = {
    val table = TestTables.create(9)
    if (ordering.nonEmpty)
      TableProperties.update(TestTables.storage, table.basePath)(_ + (TableKeys.OrderingFields -> ordering))
    TestTables.write(table.refresh(), "p" -> "a-0")
    table.refresh()
  }

  private def refused(table: Table, access: TableAccess): String = {
    val error = intercept[UnsupportedTable](TableSupport.of(table.refresh(), access))
    assertEquals(error.condition, "UNSUPPORTED_TABLE_FEATURE")
    error.parameters("feature")
  }

  test("a column that the properties name and that is another one now is refused, for reads and for writes") {
    val ordered = table("price")
    EvolvedTables.alter(ordered, Seq(1 -> "id", 3 -> "price"), "0" -> Columns)
    for (access <- Seq(TableAccess.Read(), TableAccess.Write))
      assertEquals(refused(ordered, access), "the column price, which was dropped or renamed")
    val other = table()
    EvolvedTables.alter(other, Seq(1 -> "id", 3 -> "price"), "0" -> Columns)
    TableSupport.of(other.refresh(), TableAccess.Write)
  }

  test("a table with ids whose history is gone is refused by name") {
    val lost = table()
    EvolvedTables.alter(lost, Seq(1 -> "id", 2 -> "cost"), "0" -> Columns)
    TestTables.storage.deleteOwn(s"${lost.basePath}/.hoodie/.schema")
    assertEquals(intercept[CorruptTable](TableSupport.of(lost.refresh(), TableAccess.Read())).condition,
      "SCHEMA_HISTORY_MISSING")
  }

  test("a history that is no history is corrupt, and says where it lies") {
    val damaged = table()
    val instant = EvolvedTables.alter(damaged, Seq(1 -> "id", 2 -> "cost"), "0" -> Columns)
    damaged.store.schemaFiles.delete(instant.time)
    damaged.store.schemaFiles.record(instant.time, "{}")
    val error = intercept[CorruptTable](TableSupport.of(damaged.refresh(), TableAccess.Read()))
    assert(error.getMessage.contains(".hoodie/.schema"), error.getMessage)
  }

  test("as of an instant the columns are those of that time") {
    val changed = table()
    val first = changed.timeline.writes.head
    EvolvedTables.alter(changed, Seq(1 -> "id", 2 -> "cost"), "0" -> Columns)
    assertEquals(TableSupport.of(changed.refresh(), TableAccess.Read(Some(first.time))).columns, None)
    assert(TableSupport.of(changed.refresh(), TableAccess.Read()).columns.isDefined)
  }

  private def asked(of: Table, access: TableAccess): Seq[String] = {
    val storage = new CountingStorage(TestTables.storage)
    val opened = Table.open(storage, of.basePath)
    storage.during(TableSupport.of(opened, access))._2.all.map(_.kind)
  }

  test("storage is asked only where something can be there, then by a listing, and for a history that is read once") {
    val plain = table()
    for (access <- Seq(TableAccess.Read(), TableAccess.Write, TableAccess.Service(plain.lastInstant.get.time)))
      assertEquals(asked(plain, access), Nil)
    EvolvedTables.alter(plain, Seq(1 -> "id", 2 -> "cost"), "0" -> Columns)
    assertEquals(asked(plain, TableAccess.Read()), Seq("list", "get"))
    assertEquals(asked(plain, TableAccess.Write), Seq("list"))
  }
}

package io.hudilite.spark.catalog

import io.hudilite.error.InvalidInput
import io.hudilite.schema.ColumnEdit

import munit.FunSuite
import org.apache.spark.sql.connector.catalog.TableChange
import org.apache.spark.sql.connector.catalog.TableChange._
import org.apache.spark.sql.types._

class ColumnChangesSuite extends FunSuite {

  private val before = StructType.fromDDL("id INT, price INT, st STRUCT<x: INT, y: STRING>, l ARRAY<STRUCT<a: INT>>")

  private def of(changes: TableChange*): ColumnChanges =
    ColumnChanges.of("/table", before, ColumnStatements.among(changes))

  test("columns that come last, widened numbers and comments are what a write could bring") {
    Seq(
      addColumn(Array("note"), StringType) ->
        "id INT, price INT, st STRUCT<x: INT, y: STRING>, l ARRAY<STRUCT<a: INT>>, note STRING",
      addColumn(Array("st", "z"), LongType) ->
        "id INT, price INT, st STRUCT<x: INT, y: STRING, z: BIGINT>, l ARRAY<STRUCT<a: INT>>",
      addColumn(Array("st", "z"), LongType, true, null, ColumnPosition.after("y"), null) ->
        "id INT, price INT, st STRUCT<x: INT, y: STRING, z: BIGINT>, l ARRAY<STRUCT<a: INT>>",
      updateColumnType(Array("price"), LongType) ->
        "id INT, price BIGINT, st STRUCT<x: INT, y: STRING>, l ARRAY<STRUCT<a: INT>>",
      updateColumnComment(Array("price"), "c") ->
        "id INT, price INT COMMENT 'c', st STRUCT<x: INT, y: STRING>, l ARRAY<STRUCT<a: INT>>",
      updateColumnNullability(Array("price"), true) -> before.toDDL).foreach { case (change, ddl) =>
      assertEquals(of(change), ColumnChanges(StructType.fromDDL(ddl), Nil, asWritten = true), ddl)
    }
  }

  test("all else needs ids") {
    Seq(
      renameColumn(Array("l", "element", "a"), "b") ->
        "id INT, price INT, st STRUCT<x: INT, y: STRING>, l ARRAY<STRUCT<b: INT>>",
      deleteColumn(Array("st", "x"), false) -> "id INT, price INT, st STRUCT<y: STRING>, l ARRAY<STRUCT<a: INT>>",
      addColumn(Array("n"), IntegerType, true, null, ColumnPosition.first(), null) ->
        "n INT, id INT, price INT, st STRUCT<x: INT, y: STRING>, l ARRAY<STRUCT<a: INT>>",
      updateColumnPosition(Array("price"), ColumnPosition.after("l")) ->
        "id INT, st STRUCT<x: INT, y: STRING>, l ARRAY<STRUCT<a: INT>>, price INT",
      updateColumnType(Array("price"), StringType) ->
        "id INT, price STRING, st STRUCT<x: INT, y: STRING>, l ARRAY<STRUCT<a: INT>>")
      .foreach { case (change, ddl) =>
        val changed = of(change)
        assertEquals(changed.after, StructType.fromDDL(ddl), ddl)
        assert(!changed.asWritten, ddl)
      }
    assertEquals(of(renameColumn(Array("st", "x"), "xx"), deleteColumn(Array("price"), false)).edits,
      Seq[ColumnEdit](ColumnEdit.Rename(List("st", "x"), "xx"), ColumnEdit.Drop(List("price"))))
  }

  test("what rows could not be read by is refused") {
    Seq(updateColumnType(Array("price"), BooleanType), updateColumnType(Array("st"), StringType),
      updateColumnNullability(Array("price"), false)).foreach { change =>
      assertEquals(intercept[InvalidInput](of(change)).condition, "STATEMENT_NOT_SUPPORTED", change.toString)
    }
  }
}

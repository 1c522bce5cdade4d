package io.hudilite.schema

import io.hudilite.GoldenFolder
import io.hudilite.record.MetaFields
import io.hudilite.schema.ColumnEdit.{Drop, Rename}
import io.hudilite.storage.HadoopStorage
import io.hudilite.table.Table

import com.fasterxml.jackson.databind.ObjectMapper
import munit.FunSuite
import org.apache.hadoop.conf.Configuration

/** Changes of columns end in the versions that Apache Hudi recorded for them. */
class AlteredVersionSuite extends FunSuite {

  private val mapper = new ObjectMapper()

  // The statements of tests/golden/make.py, one for each version; those without edits add, retype or move columns.
  private val edits: Seq[Seq[ColumnEdit]] = Seq(
    Seq(Rename(Seq("colour"), "shade")),
    Seq(Rename(Seq("n"), "swap")),
    Seq(Rename(Seq("price"), "n")),
    Seq(Rename(Seq("swap"), "price")),
    Nil,
    Seq(Drop(Seq("extra"))),
    Nil,
    Nil,
    Nil,
    Nil,
    Nil,
    Nil,
    Seq(Rename(Seq("st", "x"), "xx")),
    Nil,
    Seq(Rename(Seq("l", "element", "x"), "xx")),
    Seq(Rename(Seq("m", "value", "y"), "yy")),
    Seq(Rename(Seq("st"), "record")),
    Nil,
    Nil,
    Seq(Drop(Seq("nested"))))

  for (name <- Seq("columns-by-id-cow-v6", "columns-by-id-mor-v9")) {
    lazy val table = Table.open(new HadoopStorage(new Configuration()), GoldenFolder.table(name))
    lazy val versions = {
      val history = mapper.readTree(table.store.schemaFiles.newest(table.timeline).get).get("schemas")
      (0 until history.size).map(history.get).sortBy(_.get("version_id").asLong).toList
    }
    def columnsAt(instant: String): String = table.schemaAsOf(instant).get.avroJson

    test(s"$name: columns get the ids that Hudi gives them at the first change") {
      val before = table.timeline.writes.map(_.time).filter(_ < versions(1).get("version_id").asText).max
      assertEquals(mapper.readTree(AlteredVersion.first(columnsAt(before), MetaFields.all)), versions.head)
    }

    test(s"$name: each change makes the version that Hudi made") {
      assertEquals(versions.size, edits.size + 1)
      versions.zip(versions.tail).zip(edits).foreach { case ((before, after), made) =>
        val instant = after.get("version_id").asText
        val mine = AlteredVersion.of(before.toString, made, columnsAt(instant), instant)
        assertEquals(plain(SchemaJson.version(mine).columns), plain(SchemaJson.version(after.toString).columns),
          instant)
        assertEquals(mapper.readTree(mine).get("max_column_id"), after.get("max_column_id"), instant)
        assertEquals(mapper.readTree(mine).get("version_id").asText, instant)
      }
    }
  }

  test("columns that grew before they got ids have a version for each growth, back to the oldest that leads here") {
    def avro(fields: (String, String)*): String = fields.map { case (name, kind) =>
      s"""{"name":"$name","type":["null","$kind"]}"""
    }.mkString("""{"type":"record","name":"r","fields":[""", ",", "]}")
    def told(now: String, states: (String, String)*): Seq[(String, Seq[(String, ColumnType)])] =
      AlteredVersion.untilNow(states, now, Nil).map(SchemaJson.version).map(v =>
        v.version -> v.columns.columns.map(c => c.name -> c.dataType))
    def columns(fields: (String, String)*): Seq[(String, ColumnType)] =
      fields.map { case (name, kind) => name -> ColumnType.Atom(kind) }
    val (narrow, wide) = (avro("n" -> "int"), avro("n" -> "long"))
    val wider = avro("n" -> "long", "f" -> "float")
    assertEquals(told(wider, "1" -> narrow, "2" -> wide, "3" -> wide, "4" -> wider),
      Seq("0" -> columns("n" -> "int"), "2" -> columns("n" -> "long"), "4" -> columns("n" -> "long", "f" -> "float")))
    // A late commit of a writer that did not know the columns changes nothing, nor does a timeline without columns.
    assertEquals(told(wide, "1" -> narrow, "2" -> wide, "3" -> narrow),
      Seq("0" -> columns("n" -> "int"), "2" -> columns("n" -> "long")))
    assertEquals(told(wide), Seq("0" -> columns("n" -> "long")))
    assertEquals(told(wide, "1" -> avro("n" -> "string"), "2" -> wide), Seq("0" -> columns("n" -> "long")))
  }

  test("a comment is recorded, and a column that is not there cannot be changed") {
    def avro(doc: String): String =
      s"""{"type":"record","name":"r","fields":[{"name":"id","type":["null","string"]$doc}]}"""
    val first = AlteredVersion.first(avro(""), MetaFields.all)
    val told = AlteredVersion.of(first, Nil, avro(""","doc":"who it is""""), "20260101000000000")
    assertEquals(mapper.readTree(told).get("fields").get(5).get("doc").asText, "who it is")
    intercept[IllegalArgumentException](AlteredVersion.of(first, Seq(Drop(Seq("none"))), avro(""), "20260101000000000"))
    assertEquals(SchemaJson.history(NextVersion.history(AlteredVersion.history(first), told)).versions.map(_.version),
      Seq(SchemaVersion.BeforeChanges, "20260101000000000"))
  }

  // Hudi spells the type of a decimal in several ways.
  private def plain(dataType: ColumnType): ColumnType = dataType match {
    case ColumnType.Atom(name) => ColumnType.Atom(name.replaceAll("^decimal_[a-z]+|\\[\\d+\\]$", "decimal").replace(
          ")decimal", ")"))
    case ColumnType.Record(columns) => ColumnType.Record(columns.map(c => c.copy(dataType = plain(c.dataType))))
    case ColumnType.ListOf(element) => ColumnType.ListOf(plain(element))
    case ColumnType.MapOf(key, value) => ColumnType.MapOf(plain(key), plain(value))
  }
}

package io.hudilite.metadata

import io.hudilite.GoldenFolder
import io.hudilite.codec.hfile.HFile

import com.fasterxml.jackson.databind.ObjectMapper

import java.nio.charset.StandardCharsets.UTF_8
import java.nio.file.{Files, Path, Paths}

import munit.FunSuite

import scala.collection.JavaConverters._

class SecondaryIndexSuite extends FunSuite {

  private val name = "secondary_index_by_colour"

  private def index(hashesValues: Boolean): SecondaryIndex =
    SecondaryIndex(MetadataPartition.of(name).get, "colour", hashesValues)

  private val keys = Seq(
    SecondaryKey(Some("red"), "k-1") -> "red$k-1",
    SecondaryKey(None, "k-1") -> "\u0000$k-1",
    SecondaryKey(Some(""), "k$1") -> "$k\\$1",
    SecondaryKey(Some("\u0000"), "a\\") -> "\\\u0000$a\\\\",
    SecondaryKey(Some("\\"), "\u0000") -> "\\\\$\\\u0000",
    SecondaryKey(Some("a$b\\c"), "id:1,v:$") -> "a\\$b\\\\c$id:1,v:\\$",
    SecondaryKey(Some("żółw 🐢"), "né") -> "żółw 🐢$né")

  test("keys are spelled as Apache Hudi spells them, and read again") {
    keys.foreach { case (key, text) =>
      assertEquals(key.text, text)
      assertEquals(SecondaryKey.parse(text), key)
      assertEquals(SecondaryKey.prefixOf(text), SecondaryKey.prefix(key.value))
      assert(text.startsWith(SecondaryKey.prefix(key.value)), text)
    }
    Seq("", "red", "a\\$b", "\\").foreach(text =>
      intercept[IllegalArgumentException](SecondaryKey.parse(text)))
  }

  test("no two values have one prefix, and none begins with that of another") {
    val prefixes = keys.map { case (key, _) => SecondaryKey.prefix(key.value) }
    for (a <- prefixes; b <- prefixes if a != b) assert(!a.startsWith(b), (a, b))
  }

  test("a key lies in the group of its value from version 2 on, and of its own before") {
    // As seen in a table of Apache Hudi's with ten groups.
    assertEquals(index(hashesValues = true).groupOf("n0-3$3", 10), 0)
    assertEquals(index(hashesValues = true).groupOf(Some("n0-3"), 10), Some(0))
    assertEquals(index(hashesValues = false).groupOf("n0-3$3", 10), MetadataKeys.groupOf("n0-3$3", 10))
    assertEquals(index(hashesValues = false).groupOf(Some("n0-3"), 10), None)
    assertEquals(index(hashesValues = false).groupOf(None, 1), Some(0))
    val grouped = keys.map { case (key, text) => index(hashesValues = true).groupOf(text, 7) -> Some(key.value) }
    grouped.foreach { case (group, value) =>
      assertEquals(Option(group), index(hashesValues = true).groupOf(value.get, 7))
    }
  }

  for (version <- Seq(8, 9))
    test(s"in a table of version $version the records are those that Apache Hudi wrote, byte for byte") {
      val table = Paths.get(GoldenFolder.table(s"metadata-indexes-v$version"))
      val defined = IndexDefinitions.parse(Files.readAllBytes(table.resolve(IndexDefinitions.Path)))
      val found = SecondaryIndex.of(name, defined.get(name), version)
      assertEquals(found, Right(index(hashesValues = version == 9)))
      val rows = GoldenFolder.snapshot(s"metadata-indexes-v$version").map(new ObjectMapper().readTree(_))
      val ours = rows.map { row =>
        val value = Option(row.get("colour")).filterNot(_.isNull).map(_.asText)
        val key = SecondaryKey(value, row.get("_hoodie_record_key").asText).text
        key -> RecordEncoder.encode(MetadataRecord(key, MetadataPayload.Pair(isDeleted = false))).toSeq
      }.toMap
      val theirs = written(table.resolve(s".hoodie/metadata/$name"))
      assert(ours.size > 5 && ours.keys.exists(_.startsWith("\u0000$")), ours.keys)
      assertEquals(theirs, ours)
    }

  private def written(folder: Path): Map[String, Seq[Byte]] = {
    val files = Files.list(folder)
    try files.iterator.asScala.filter(_.toString.endsWith(".hfile")).flatMap { path =>
        HFile.of(Files.readAllBytes(path), path.toString).scan.iterator.map { case (k, v) =>
          new String(k, UTF_8) -> v.toSeq
        }
      }.toMap
    finally files.close()
  }

  test("its definition is written and read, and others are not gone by") {
    for ((version, hashes) <- Seq(8 -> false, 9 -> true)) {
      val content = IndexDefinitions.withValues(None, name, "colour", version)
      assertEquals(SecondaryIndex.of(name, IndexDefinitions.parse(content).get(name), version), Right(index(hashes)))
    }
    val known = IndexDefinition(name, SecondaryIndex.Kind, Seq("colour"), Some("V2"), isPartitioned = false,
      SecondaryIndex.Identity)
    def refused(definition: IndexDefinition, table: Int = 9): String =
      SecondaryIndex.of(name, Some(definition), table).left.toOption.getOrElse("")
    assertEquals(SecondaryIndex.of(name, None, 9).left.toOption, Some("no definition says what it is of"))
    assert(refused(known.copy(columns = Seq("a", "b"))).contains("2 columns"))
    assert(refused(known.copy(columns = Seq("a.b"))).contains("lies in another"))
    assert(refused(known.copy(kind = "bloom_filters")).contains("bloom_filters"))
    assert(refused(known.copy(function = "lower")).contains("lower"))
    assert(refused(known.copy(version = None)).contains("not said"))
    assert(refused(known, table = 8).contains("V2"))
  }

  test("columns of texts, whole numbers, dates and timestamps can have it, and no others") {
    def schema(kind: String): String =
      s"""{"type":"record","name":"t","fields":[{"name":"c","type":["null",$kind]},{"name":"n","type":
         |{"type":"record","name":"r","fields":[{"name":"x","type":"string"}]}}]}""".stripMargin
    def logical(of: String, name: String): String = s"""{"type":"$of","logicalType":"$name"}"""
    Seq("\"string\"", "\"int\"", "\"long\"", logical("int", "date"), logical("long", "timestamp-micros"))
      .foreach(kind => assertEquals(SecondaryIndex.refusal("c", schema(kind)), None, kind))
    Seq("\"double\"", "\"float\"", "\"boolean\"", "\"bytes\"", logical("string", "uuid"),
      """{"type":"bytes","logicalType":"decimal","precision":5,"scale":2}""", """{"type":"array","items":"int"}""")
      .foreach(kind => assert(SecondaryIndex.refusal("c", schema(kind)).exists(_.contains("neither")), kind))
    Seq("d", "n.x").foreach(name =>
      assert(SecondaryIndex.refusal(name, schema("\"int\"")).exists(_.contains(s"no column $name")), name))
    assertEquals(Seq(StatValue.Text("a$"), StatValue.Int32(-1), StatValue.Int64(7), StatValue.Day(3),
        StatValue.TimestampMicros(5)).map(SecondaryIndex.text), Seq("a$", "-1", "7", "3", "5"))
  }
}

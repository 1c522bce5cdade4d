package io.hudilite.metadata.known

import io.hudilite.codec.parquet.MemoryFile
import io.hudilite.error.CorruptTable
import io.hudilite.metadata.StatType
import io.hudilite.storage.MemoryStorage

import munit.FunSuite

import org.apache.hadoop.conf.Configuration
import org.apache.parquet.example.data.Group
import org.apache.parquet.example.data.simple.SimpleGroupFactory
import org.apache.parquet.hadoop.example.ExampleParquetWriter
import org.apache.parquet.schema.MessageTypeParser

/** Values of a column in base files, as the table has the column. */
class ValuesOfFilesSuite extends FunSuite {

  // The file has one row with the key `k`.
  private def pairs(stored: String, column: String, kind: Option[Int])(fill: Group => Group): List[String] = {
    val schema = MessageTypeParser.parseMessageType(
      s"message row { optional binary _hoodie_record_key (UTF8); optional $stored; }")
    val file = new MemoryFile(1024L, "values")
    val writer = ExampleParquetWriter.builder(file).withType(schema).withConf(new Configuration(false)).build()
    try writer.write(fill(new SimpleGroupFactory(schema).newGroup().append("_hoodie_record_key", "k")))
    finally writer.close()
    val bytes = file.written((all, length) => all.take(length))
    val storage = new MemoryStorage()
    storage.createNew("/f.parquet", bytes)
    val rows = new ValuesOfFiles(storage, column, kind).open("/f.parquet", bytes.length.toLong)
    try rows.map(_.text).toList
    finally rows.close()
  }

  private def strange(stored: String, column: String, kind: Option[Int])(fill: Group => Group): String = {
    val error = intercept[CorruptTable](pairs(stored, column, kind)(fill))
    assertEquals(error.condition, "CORRUPT_FILE")
    error.parameters("reason")
  }

  test("a column whose name in a file differs by case is not told, one that is not there is null") {
    val text = Some(StatType.Text)
    assertEquals(pairs("binary colour (UTF8)", "colour", text)(_.append("colour", "red")), List("red$k"))
    assertEquals(pairs("binary shade (UTF8)", "colour", text)(_.append("shade", "red")), List("\u0000$k"))
    val reason = strange("binary Colour (UTF8)", "colour", text)(_.append("Colour", "red"))
    assertEquals(reason, "its column Colour differs from colour by case")
  }

  test("values are told of the type that the table has, and of those that are spelled alike") {
    def int(kind: Int): List[String] = pairs("int32 v", "v", Some(kind))(_.append("v", 5))
    assertEquals(Seq(StatType.Int, StatType.Long).map(int), Seq(List("5$k"), List("5$k")))
    assertEquals(pairs("int32 v (DATE)", "v", Some(StatType.Date))(_.append("v", 18262)), List("18262$k"))
    for ((unit, value) <- Seq("MICROS" -> 7000L, "MILLIS" -> 7L)) assertEquals(
      pairs(s"int64 v (TIMESTAMP($unit,true))", "v", Some(StatType.TimestampMicros))(_.append("v", value)),
      List("7000$k"))
  }

  test("values of other types than the table's are not told") {
    for ((stored, kind) <- Seq("int32 v (DATE)" -> StatType.Text, "int32 v (DATE)" -> StatType.Int,
        "int32 v" -> StatType.Text, "int32 v" -> StatType.Date))
      assert(strange(stored, "v", Some(kind))(_.append("v", 18262)).startsWith("v has another type"), (stored, kind))
    for ((stored, kind) <- Seq("int64 v" -> StatType.Int, "int64 v" -> StatType.TimestampMicros,
        "int64 v (TIMESTAMP(MICROS,false))" -> StatType.TimestampMicros))
      strange(stored, "v", Some(kind))(_.append("v", 1L))
    strange("int32 v", "v", None)(_.append("v", 1))
  }
}

package io.hudilite.spark.logfile.read

import io.hudilite.error.UnsupportedTable
import io.hudilite.spark.SharedSession
import io.hudilite.spark.shim.TimesOfDay

import java.io.ByteArrayOutputStream
import java.nio.ByteBuffer

import munit.FunSuite
import org.apache.avro.Schema
import org.apache.avro.generic.{GenericData, GenericDatumWriter, GenericRecord}
import org.apache.avro.io.EncoderFactory
import org.apache.spark.sql.catalyst.CatalystTypeConverters
import org.apache.spark.sql.types._

import scala.collection.JavaConverters._

/** Records in Avro's own encoding, decoded as rows. */
class AvroRowDecoderSuite extends FunSuite {

  private def record(fields: String): Schema =
    new Schema.Parser().parse(s"""{"type":"record","name":"r","fields":[$fields]}""")

  private def field(name: String, kind: String): String = s"""{"name":"$name","type":$kind}"""

  private def bytes(schema: Schema, values: Any*): Array[Byte] = {
    val datum = new GenericData.Record(schema)
    values.zipWithIndex.foreach { case (value, i) => datum.put(i, value) }
    val out = new ByteArrayOutputStream()
    val encoder = EncoderFactory.get().binaryEncoder(out, null)
    new GenericDatumWriter[GenericRecord](schema).write(datum, encoder)
    encoder.flush()
    out.toByteArray
  }

  /** The row as text, as a user of Spark would see it. */
  private def shown(schema: Schema, wanted: String, encoded: Array[Byte]): String = {
    val columns = StructType.fromDDL(wanted)
    val row = new AvroRowDecoder(schema, columns, "file").decode(encoded, 0, encoded.length)
    text(CatalystTypeConverters.createToScalaConverter(columns)(row))
  }

  private def text(value: Any): String = value match {
    case row: org.apache.spark.sql.Row => row.toSeq.map(text).mkString("[", ",", "]")
    case map: scala.collection.Map[_, _] =>
      map.toSeq.map { case (k, v) => s"$k=${text(v)}" }.sorted.mkString("{", ",", "}")
    case array: Array[Byte] => array.mkString("<", " ", ">")
    case seq: scala.collection.Seq[_] => seq.map(text).mkString("(", ",", ")")
    case other => String.valueOf(other)
  }

  test("every type, with null on either side of a union") {
    val schema = record(Seq(field("b", "\"boolean\""), field("i", """["null","int"]"""),
        field("l", """["long","null"]"""),
        field("f", "\"float\""), field("d", "\"double\""), field("s", "\"string\""),
        field("n", """["null","string"]"""),
        field("raw", "\"bytes\""), field("day", """{"type":"int","logicalType":"date"}"""),
        field("ms", """{"type":"long","logicalType":"timestamp-millis"}"""),
        field("us", """["null",{"type":"long","logicalType":"timestamp-micros"}]"""),
        field("e", """{"type":"enum","name":"e","symbols":["X","Y"]}""")).mkString(","))
    val encoded = bytes(schema, true, -7, 1L << 40, 1.5f, -2.25, "é", null, ByteBuffer.wrap(Array[Byte](1, -1)), 18000,
      1500L, 1500001L, new GenericData.EnumSymbol(schema.getField("e").schema, "Y"))
    assertEquals(shown(schema,
        "b BOOLEAN, i INT, l BIGINT, f FLOAT, d DOUBLE, s STRING, n STRING, raw BINARY, day DATE, " +
          "ms TIMESTAMP, us TIMESTAMP, e STRING", encoded),
      "[true,-7,1099511627776,1.5,-2.25,é,null,<1 -1>,2019-04-14,1970-01-01 00:00:01.5,1970-01-01 00:00:01.500001,Y]")
  }

  test("local times and decimals, as bytes and as fixed") {
    val schema = record(Seq(field("lm", """{"type":"long","logicalType":"local-timestamp-millis"}"""),
        field("lu", """{"type":"long","logicalType":"local-timestamp-micros"}"""),
        field("db", """{"type":"bytes","logicalType":"decimal","precision":30,"scale":2}"""),
        field("df", """{"type":"fixed","name":"x","size":5,"logicalType":"decimal","precision":10,"scale":3}"""))
        .mkString(","))
    val encoded = bytes(schema, 1000L, 1000000L, ByteBuffer.wrap(BigInt("-12345678901234567890").toByteArray),
      new GenericData.Fixed(schema.getField("df").schema, Array[Byte](-1, -1, -1, -1, -1)))
    assertEquals(shown(schema, "lm TIMESTAMP_NTZ, lu TIMESTAMP_NTZ, db DECIMAL(30,2), df DECIMAL(10,3)", encoded),
      "[1970-01-01T00:00:01,1970-01-01T00:00:01,-123456789012345678.90,-0.001]")
    assertEquals(shown(schema, "df DECIMAL(20,5)", encoded), "[-0.00100]")
  }

  test("a logical type that nobody knows is passed over, and a time of day is no number") {
    val schema = record(Seq(field("i", """{"type":"int","logicalType":"of-ours"}"""),
        field("l", """{"type":"long","logicalType":"of-ours"}"""),
        field("b", """{"type":"fixed","name":"d","size":12,"logicalType":"duration"}"""),
        field("t", """{"type":"int","logicalType":"time-millis"}""")).mkString(","))
    val encoded = bytes(schema, 7, 8L, new GenericData.Fixed(schema.getField("b").schema, new Array[Byte](12)), 3723004)
    assertEquals(shown(schema, "i INT, l BIGINT", encoded), "[7,8]")
    assertEquals(shown(schema, "i BIGINT", encoded), "[7]")
    intercept[UnsupportedTable](shown(schema, "t INT", encoded))
    if (TimesOfDay.exist)
      SharedSession.withConf(TimesOfDay.Setting -> "true") {
        assertEquals(shown(schema, "t TIME(3)", encoded), "[01:02:03.004]")
      }
  }

  test("narrower types are widened") {
    val schema = record("iiiiii".indices.map(i => field(s"c$i", "\"int\"")).mkString(",") + "," +
      field("f", "\"float\"") + "," + field("d", "\"double\""))
    val encoded = bytes(schema, 1, 2, 3, 4, 5, 6, 1.5f, 2.5)
    assertEquals(shown(schema,
        "c0 BIGINT, c1 FLOAT, c2 DOUBLE, c3 STRING, c4 DECIMAL(12,2), c5 INT, f DOUBLE, d STRING", encoded),
      "[1,2.0,3.0,4,5.00,6,1.5,2.5]")
  }

  test("only wanted columns are decoded, in any order, and absent ones are null") {
    val nested = """{"type":"record","name":"n","fields":[{"name":"x","type":"int"},{"name":"y","type":"string"}]}"""
    val schema = record(Seq(field("a", "\"string\""), field("skip", s"""{"type":"array","items":$nested}"""),
        field("m", """{"type":"map","values":["null","long"]}"""), field("z", "\"int\"")).mkString(","))
    val item = new GenericData.Record(schema.getField("skip").schema.getElementType)
    item.put("x", 1)
    item.put("y", "why")
    val encoded = bytes(schema, "text", Seq[Any](item, item).asJava, Map[String, Any]("k" -> 5L, "q" -> null).asJava, 9)
    assertEquals(shown(schema, "z INT, none STRING, a STRING", encoded), "[9,null,text]")
    assertEquals(shown(schema, "m MAP<STRING, DOUBLE>, skip ARRAY<STRUCT<y: STRING, w: INT, x: BIGINT>>", encoded),
      "[{k=5.0,q=null},([why,null,1],[why,null,1])]")
  }

  test("values that nobody wants are passed over, records that hold themselves included") {
    val tree = """{"type":"record","name":"tree","fields":[{"name":"id","type":"int"},""" +
      """{"name":"children","type":{"type":"array","items":"tree"}}]}"""
    val schema = record(Seq(field("t", tree), field("m", """{"type":"map","values":["null","double"]}"""),
        field("x", """{"type":"fixed","name":"fx","size":3}"""), field("f", "\"float\""), field("n", "\"null\""),
        field("b", "\"boolean\""), field("last", "\"string\"")).mkString(","))
    def node(id: Int, children: Any*): GenericData.Record = {
      val made = new GenericData.Record(schema.getField("t").schema)
      made.put("id", id)
      made.put("children", children.asJava)
      made
    }
    val encoded = bytes(schema, node(1, node(2), node(3, node(4))), Map[String, Any]("k" -> 1.5, "q" -> null).asJava,
      new GenericData.Fixed(schema.getField("x").schema, Array[Byte](1, 2, 3)), 2.5f, null, true, "end")
    assertEquals(shown(schema, "last STRING", encoded), "[end]")
  }

  test("a type that cannot be read as the wanted one names column and file") {
    val schema = record(field("s", """{"type":"record","name":"n","fields":[{"name":"x","type":"string"}]}"""))
    val error = intercept[UnsupportedTable](
      new AvroRowDecoder(schema, StructType.fromDDL("s STRUCT<x: INT>"), "/t/.f.log.1"))
    assertEquals(error.parameters("column"), "s.x in the log file /t/.f.log.1")
  }

  test("bytes that do not fit the schema are reported, and never read outside of the record") {
    val schema =
      record(Seq(field("s", "\"string\""), field("l", "\"long\""), field("a", """{"type":"array","items":"int"}"""),
          field("u", """["null","string"]""")).mkString(","))
    val encoded = bytes(schema, "some text", 123456789L, Seq[Any](1, 2, 3).asJava, "more")
    val random = new scala.util.Random(5)
    val decoder = new AvroRowDecoder(schema, StructType.fromDDL("s STRING, l BIGINT, a ARRAY<INT>, u STRING"), "file")
    for (cut <- encoded.indices) intercept[DamagedRecord](decoder.decode(encoded, 0, cut))
    for (_ <- 0 until 20000) {
      val changed = encoded.clone()
      (0 to random.nextInt(3)).foreach(_ => changed(random.nextInt(changed.length)) = random.nextInt(256).toByte)
      try decoder.decode(changed, 0, changed.length)
      catch { case _: DamagedRecord => }
    }
  }
}

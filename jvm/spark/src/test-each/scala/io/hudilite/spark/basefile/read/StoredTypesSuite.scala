package io.hudilite.spark.basefile.read

import io.hudilite.config.TableDefinition
import io.hudilite.spark.{Interpreted, Raised, SharedSession}
import io.hudilite.spark.read.{HandmadeTable, StoredFile}
import io.hudilite.spark.read.StoredFile.unscaled
import io.hudilite.spark.shim.TimesOfDay

import java.nio.ByteBuffer

import org.apache.parquet.example.data.Group
import org.apache.parquet.io.api.Binary
import org.apache.spark.sql.Row

import munit.FunSuite

/** Every way in which a file may store values of a type, as columns, in structs, in lists and in maps. */
class StoredTypesSuite extends FunSuite with Interpreted {

  private def decimal(precision: Int, scale: Int): String =
    s"""{"type":"bytes","logicalType":"decimal","precision":$precision,"scale":$scale}"""
  private def logical(plain: String, name: String): String = s"""{"type":"$plain","logicalType":"$name"}"""
  private def plain(name: String): String = s""""$name""""
  private def text(value: String): Binary = Binary.fromString(value)
  private val fixed16 = """{"type":"fixed","name":"sixteen","size":16}"""
  private def int96(nanos: Long, julianDay: Int): Binary = {
    val bytes = ByteBuffer.allocate(12).order(java.nio.ByteOrder.LITTLE_ENDIAN).putLong(nanos).putInt(julianDay)
    Binary.fromConstantByteArray(bytes.array)
  }

  private def read(parquet: String, value: Any, avro: String, shown: String): Stored =
    Stored(parquet, value, avro, Some(shown))
  private def refused(parquet: String, value: Any, avro: String): Stored = Stored(parquet, value, avro, None)

  private val decimals: Seq[Stored] = for {
    (precision, scale) <- Seq(9 -> 2, 18 -> 3, 20 -> 4)
    kind = s"(DECIMAL($precision,$scale))"
    (number, point) <- Seq(-129L -> BigDecimal(-129, scale), 123456789L -> BigDecimal(123456789, scale))
    (parquet, value) <- Seq("binary" -> unscaled(number)) ++
      Seq(9, 16).map(n => s"fixed_len_byte_array($n)" -> unscaled(number, n)) ++
      (if (precision <= 18) Seq("int64" -> number, "fixed_len_byte_array(8)" -> unscaled(number, 8)) else Nil) ++
      (if (precision <= 9) Seq("int32" -> number.toInt, "fixed_len_byte_array(4)" -> unscaled(number, 4)) else Nil)
    wider <- if (number < 0) Seq(0) else Seq(2)
  } yield read(s"$parquet $kind", value, decimal(precision + 2 * wider, scale + wider),
    point.setScale(scale + wider).toString)

  private val numbers: Seq[Stored] = Seq(
    read("int32", 7, plain("long"), "7"), read("int32", 7, plain("double"), "7.0"),
    read("int32", 7, plain("float"), "7.0"),
    read("int32", 7, plain("string"), "7"), read("int32", 7, decimal(12, 2), "7.00"),
    read("int32 (INTEGER(8,true))", -7, plain("int"), "-7"),
    read("int32 (INTEGER(16,true))", -7, plain("long"), "-7"),
    read("int32 (INTEGER(8,false))", 200, plain("int"), "200"),
    read("int32 (INTEGER(16,false))", 60000, plain("int"), "60000"),
    read("int32 (INTEGER(32,false))", -1, plain("long"), "4294967295"),
    refused("int32 (INTEGER(32,false))", 1, plain("int")),
    read("int64 (INTEGER(64,true))", 5L, plain("long"), "5"),
    read("int64 (INTEGER(64,false))", -1L, decimal(20, 0), "18446744073709551615"),
    refused("int64 (INTEGER(64,false))", 1L, plain("long")),
    refused("int64", 5L, plain("int")), refused("double", 0.5d, plain("float")), refused("int64", 5L, plain("boolean")),
    refused("int32 (DECIMAL(9,2))", 5, decimal(8, 2)), refused("int32 (DECIMAL(9,2))", 5, decimal(9, 1)),
    read("float", 0.1f, plain("double"), "0.1"), read("boolean", true, plain("boolean"), "true"))

  private val texts: Seq[Stored] = Seq(
    read("binary", text("a"), plain("string"), "a"), read("binary (STRING)", text("a"), plain("bytes"), "bytes 61"),
    read("binary (ENUM)", text("A"), plain("string"), "A"),
    read("binary (ENUM)", text("A"), """{"type":"enum","name":"e","symbols":["A"]}""", "A"),
    read("binary (JSON)", text("{}"), plain("string"), "{}"),
    read("binary (BSON)", text("b"), plain("bytes"), "bytes 62"),
    read("binary (STRING)", text("2020-01-02"), logical("int", "date"), "2020-01-02"),
    read("binary (STRING)", text("1.5"), decimal(9, 2), "1.50"),
    read("fixed_len_byte_array(16)", unscaled(1, 16), fixed16, "bytes " + "00" * 15 + "01"),
    refused("fixed_len_byte_array(16)", unscaled(1, 16), plain("string")),
    refused("fixed_len_byte_array(16) (UUID)", unscaled(1, 16), plain("string")),
    refused("fixed_len_byte_array(12) (INTERVAL)", unscaled(1, 12), plain("bytes")),
    refused("binary (STRING)", text("7"), plain("int")))

  private val micros = 1577934245123456L // 2020-01-02T03:04:05.123456
  private val times: Seq[Stored] = for {
    (utc, table) <- Seq(true -> "timestamp", false -> "local-timestamp")
    (unit, number, shown) <- Seq(("MICROS", micros, "05.123456"), ("MILLIS", micros / 1000, "05.123"))
    written <- Seq("millis", "micros")
  } yield read(s"int64 (TIMESTAMP($unit,$utc))", number, logical("long", s"$table-$written"),
    s"2020-01-02 03:04:$shown")

  private val otherTimes: Seq[Stored] = Seq(
    read("int96", int96(3600L * 1000000000L, 2458851), logical("long", "timestamp-micros"), "2020-01-02 01:00:00"),
    read("int64 (TIMESTAMP(MICROS,false))", micros, logical("long", "timestamp-micros"), "2020-01-02 03:04:05.123456"),
    read("int64 (TIMESTAMP(MICROS,true))", micros, logical("long", "local-timestamp-micros"),
      "2020-01-02 03:04:05.123456"),
    read("int64 (TIMESTAMP(MICROS,true))", micros, plain("long"), micros.toString),
    refused("int64 (TIMESTAMP(MILLIS,true))", 5L, plain("long")),
    refused("int64 (TIMESTAMP(NANOS,true))", 5L, logical("long", "timestamp-micros")),
    refused("int64", micros, logical("long", "timestamp-micros")),
    refused("int96", int96(0, 2458851), logical("long", "local-timestamp-micros")),
    refused("int64 (TIME(MICROS,true))", 5L, plain("long")), refused("int32 (TIME(MILLIS,true))", 5, plain("int")),
    read("int32 (DATE)", 18263, logical("int", "date"), "2020-01-02"))

  private val timesOfDay: Seq[Stored] = if (!TimesOfDay.exist) Nil
  else for {
    utc <- Seq(true, false)
    (parquet, value, avro, shown) <- Seq(
      ("int32 (TIME(MILLIS,", 3723004, logical("int", "time-millis"), "01:02:03.004"),
      ("int64 (TIME(MICROS,", 3723004005L, logical("long", "time-micros"), "01:02:03.004005"))
  } yield read(s"$parquet$utc))", value, avro, shown)

  private def columns(c: Stored): String = s"optional binary id (STRING); ${c.leaf("c")} " +
    s"optional group s { ${c.leaf("c")} } optional group l (LIST) { repeated group list { ${c.leaf("element")} } } " +
    s"optional group m (MAP) { repeated group key_value { required binary key (STRING); ${c.leaf("value")} } }"

  private def avroOf(c: Stored): String = {
    def field(name: String, of: String) = s"""{"name":"$name","type":["null",$of],"default":null}"""
    // A named type is defined once, and goes by its name from there on.
    val again = "\"name\":\"(\\w+)\"".r.findFirstMatchIn(c.avro).fold(c.avro)(m => s""""${m.group(1)}"""")
    val struct = s"""{"type":"record","name":"inner","fields":[${field("c", again)}]}"""
    val fields = Seq("id" -> plain("string"), "c" -> c.avro, "s" -> struct,
      "l" -> s"""{"type":"array","items":["null",$again]}""", "m" -> s"""{"type":"map","values":["null",$again]}""")
    s"""{"type":"record","name":"r","fields":[${fields.map { case (n, t) => field(n, t) }.mkString(",")}]}"""
  }

  private def fill(c: Stored)(row: Group): Unit = {
    StoredFile.put(row, "c", c.value)
    StoredFile.put(row.addGroup("s"), "c", c.value)
    val list = row.addGroup("l")
    StoredFile.put(list.addGroup("list"), "element", c.value)
    list.addGroup("list")
    val entry = row.addGroup("m").addGroup("key_value")
    entry.add("key", "k")
    StoredFile.put(entry, "value", c.value)
  }

  private def tableOf(c: Stored): HandmadeTable = {
    val made = new HandmadeTable(TableDefinition("stored", Seq("id")), avroOf(c))
    val rows = Seq[(String, Group => Unit)]("k1" -> (row => { row.add("id", "k1"); fill(c)(row) }),
      "k2" -> (row => row.add("id", "k2")))
    made.commitFiles(("", 2L, StoredFile.write(StoredFile.schema(columns(c)), rows)))
    made
  }

  private def shown(value: Any): String = value match {
    case row: Row => row.toSeq.map(shown).mkString("[", " ", "]")
    case map: scala.collection.Map[_, _] => map.map { case (k, v) => s"$k: ${shown(v)}" }.mkString("{", " ", "}")
    case seq: scala.collection.Seq[_] => seq.map(shown).mkString("(", " ", ")")
    case bytes: Array[Byte] => bytes.map(b => f"$b%02x").mkString("bytes ", "", "")
    case time: java.sql.Timestamp => time.toString.stripSuffix(".0")
    case time: java.time.LocalDateTime => time.toString.replace('T', ' ')
    case other => String.valueOf(other)
  }

  for ((kind, cases) <- Seq("decimals" -> decimals, "numbers" -> numbers, "texts and bytes" -> texts,
      "times" -> (times ++ otherTimes ++ timesOfDay)))
    test(s"$kind are read right or refused by name, however they are stored") {
      val zone = java.util.TimeZone.getDefault
      java.util.TimeZone.setDefault(java.util.TimeZone.getTimeZone("UTC")) // in which times are shown
      try cases.foreach(check)
      finally java.util.TimeZone.setDefault(zone)
    }

  private def check(c: Stored): Unit = {
    val table = tableOf(c)
    for (vectorized <- Seq("true", "false"))
      SharedSession.withConf("spark.sql.parquet.enableVectorizedReader" -> vectorized, TimesOfDay.Setting -> "true") {
        c.shown match {
          case Some(v) =>
            val rows = try table.read().orderBy("id").collect().map(shown).toSeq
            catch { case e: Throwable => fail(s"${c.name}, vectorized=$vectorized", e) }
            assertEquals(rows, Seq(s"[k1 $v [$v] ($v null) {k: $v}]", "[k2 null null null null]"), c.name)
            // Nested schema pruning, and rows by a filter on the value itself.
            assertEquals(table.read().where("c is not null").select("s.c", "m.k").collect().map(shown).toSeq,
              Seq(s"[$v $v]"), c.name)
          case None =>
            for ((asked, column) <- Seq("c" -> "c", "s" -> "s.c", "l" -> "l.element", "m" -> "m.value")) {
              val error = Raised.by(table.read().select(asked).collect())
              assertEquals(error.condition, "UNSUPPORTED_SCHEMA", s"${c.name}: $error")
              assert(error.parameters("column").startsWith(s"$column in the base file "), s"${c.name}: $error")
              assert(error.parameters("type").nonEmpty && !error.getMessage.contains("\n"), s"${c.name}: $error")
            }
            assertEquals(table.read().select("id").collect().map(shown).toSet, Set("[k1]", "[k2]"), c.name)
        }
      }
  }
}

/** A way to store a value.
  *
  * @param avro
  *   type of the column in the table
  * @param shown
  *   the value as a text, `None` where it is refused
  */
private[read] final case class Stored(parquet: String, value: Any, avro: String, shown: Option[String]) {
  def leaf(name: String): String = {
    val at = (parquet + " (").indexOf(" (")
    s"optional ${parquet.take(at)} $name${parquet.drop(at)};"
  }
  def name: String = s"$parquet as $avro" + (if (shown.isEmpty) " is refused" else "")
}

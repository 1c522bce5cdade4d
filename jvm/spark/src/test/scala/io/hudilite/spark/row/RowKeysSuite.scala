package io.hudilite.spark.row

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.types.StructType
import org.apache.spark.unsafe.types.UTF8String

import munit.FunSuite

/** How record keys and partition paths spell timestamps. */
class RowKeysSuite extends FunSuite {

  private val schema = StructType.fromDDL("id string, at timestamp, local timestamp_ntz, n bigint")
  private val zone = java.util.TimeZone.getDefault

  private def row(micros: Any): InternalRow = InternalRow(UTF8String.fromString("a"), micros, micros, 7L)

  private def keys(numbers: Boolean, fields: String*): RowKeys = new RowKeys(schema,
    KeySettings(fields, prefixed = fields.size > 1, Seq("n", "local").map(PathField(_)), hiveStyle = true,
      urlEncode = true, timesAsNumbers = numbers), toWrite = true)

  override def beforeAll(): Unit = java.util.TimeZone.setDefault(java.util.TimeZone.getTimeZone("UTC"))
  override def afterAll(): Unit = java.util.TimeZone.setDefault(zone)

  test("as texts, or as the numbers that they are") {
    val micros = 1704067200123456L
    for ((numbers, at) <- Seq(false -> "2024-01-01 00:00:00.123", true -> "1704067200123456")) {
      assertEquals(keys(numbers, "at").recordKey(row(micros)).toString, at)
      assertEquals(keys(numbers, "id", "at").recordKey(row(micros)).toString, s"id:a,at:$at")
      assertEquals(keys(numbers, "id", "local").recordKey(row(micros)).toString, "id:a,local:1704067200123456")
      assertEquals(keys(numbers, "id").partitionPath(row(micros)).toString, "n=7/local=1704067200123456")
      assertEquals(keys(numbers, "id").partitionPath(row(null)).toString, "n=7/local=__HIVE_DEFAULT_PARTITION__")
      assertEquals(keys(numbers, "id", "at").recordKey(row(null)).toString, "id:a,at:__null__")
      assert(keys(numbers, "at").recordKeyOrNull(row(null)) == null)
    }
    assertEquals(keys(numbers = false, "at").recordKey(row(-1L)).toString, "1970-01-01 00:00:00.0")
    assertEquals(keys(numbers = true, "at").recordKey(row(-1L)).toString, "-1")
  }

  test("whole numbers are spelled as Java spells them, missing ones by their placeholder") {
    val schema = StructType.fromDDL("a tinyint, b smallint, c int, d bigint, s struct<e: bigint>")
    val fields = Seq("a", "b", "c", "d", "s.e")
    def made(fields: Seq[String], prefixed: Boolean) = new RowKeys(schema,
      KeySettings(fields, prefixed, Nil, hiveStyle = false, urlEncode = false), toWrite = true)
    val random = new scala.util.Random(3)
    val edges = Seq(0L, 1L, -1L, 9L, 10L, -10L, 99L, 100L, 127L, -128L, 32767L, -32768L, Int.MaxValue.toLong,
      Int.MinValue.toLong, Long.MaxValue, Long.MinValue, 999999999999999999L, 1000000000000000000L)
    val numbers = edges ++ Seq.fill(500)(random.nextLong() >> random.nextInt(64))
    for (number <- numbers; missing <- Seq(-1, random.nextInt(5))) {
      val values = Seq[Any](number.toByte, number.toShort, number.toInt, number, InternalRow(number))
        .zipWithIndex.map { case (value, i) => if (i == missing) null else value }
      val texts = values.map {
        case null => "__null__"
        case inner: InternalRow => inner.getLong(0).toString
        case value => value.toString
      }
      val row = InternalRow(values: _*)
      assertEquals(made(fields, prefixed = true).recordKey(row).toString,
        fields.zip(texts).map { case (f, t) => s"$f:$t" }.mkString(","))
      for (i <- fields.indices) {
        val one = made(fields.slice(i, i + 1), prefixed = false).recordKeyOrNull(row)
        if (i == missing) assert(one == null) else assertEquals(one.toString, texts(i))
      }
    }
    val none = InternalRow(null, null, null, null, null)
    assert(made(fields, prefixed = true).recordKeyOrNull(none) == null)
    assert(made(fields, prefixed = true).recordKey(InternalRow(1.toByte, null, null, null, null)) != null)
  }

  test("a key is not changed by the one after it") {
    val keys = new RowKeys(StructType.fromDDL("a int, b int"),
      KeySettings(Seq("a", "b"), prefixed = true, Nil, hiveStyle = false, urlEncode = false), toWrite = true)
    val first = keys.recordKey(InternalRow(1, 2))
    keys.recordKey(InternalRow(3, 4))
    assertEquals(first.toString, "a:1,b:2")
  }
}

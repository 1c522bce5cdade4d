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
}

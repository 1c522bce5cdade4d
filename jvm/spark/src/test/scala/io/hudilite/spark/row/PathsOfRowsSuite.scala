package io.hudilite.spark.row

import munit.FunSuite
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.types.{StringType, StructType}
import org.apache.spark.unsafe.types.UTF8String

/** Partition paths of rows that come one after the other. */
class PathsOfRowsSuite extends FunSuite {

  private val schema = new StructType().add("id", StringType).add("dt", StringType)
  private val settings = KeySettings(Seq("id"), prefixed = false, Seq(PathField("dt")), hiveStyle = true,
    urlEncode = true)

  private def keys: RowKeys = new RowKeys(schema, settings, toWrite = true)

  test("each row has its own partition path, whichever rows came before, and rows that lie in one buffer, too") {
    val remembers = keys
    val buffer = "?".getBytes
    val values = Seq("a", "a", "b", null, "b", "a", "a/b", null, "a/b", "c", "a") ++ (0 until 20000).map(_.toString)
    for (value <- values ++ values) {
      val text =
        if (value != null && value.length == 1) {
          buffer(0) = value.head.toByte
          UTF8String.fromBytes(buffer)
        } else UTF8String.fromString(value)
      val path = remembers.partitionPath(InternalRow(UTF8String.fromString("k"), text)).toString
      val expected = if (value == null) "dt=__HIVE_DEFAULT_PARTITION__" else s"dt=${value.replace("/", "%2F")}"
      assertEquals(path, expected)
    }
  }

  test("a path that must not be written is refused each time, and one that may is not") {
    val plain = new RowKeys(schema, settings.copy(urlEncode = false, hiveStyle = false), toWrite = true)
    def path(value: String): String =
      plain.partitionPath(InternalRow(UTF8String.fromString("k"), UTF8String.fromString(value))).toString
    for (_ <- 1 to 2) {
      intercept[Exception](path("../x"))
      assertEquals(path("a"), "a")
      intercept[Exception](path("../x"))
      intercept[Exception](path("../x"))
      assertEquals(path("b"), "b")
    }
  }
}

package io.hudilite.spark.read

import io.hudilite.error.HudiliteException
import io.hudilite.spark.{Interpreted, Raised, SharedSession}
import io.hudilite.spark.catalog.HudiliteCatalog

import java.nio.file.Files

import io.hudilite.spark.read.LoggedTable.Data
import munit.FunSuite
import org.apache.avro.Schema
import org.apache.spark.sql.types.StructType

/** Log files that cannot be read, or not as a whole. */
class DamagedLogSuite extends FunSuite with Interpreted {

  private val spark = SharedSession.spark
  private val schema = StructType.fromDDL("id STRING, ts BIGINT, v STRING")
  private def base = Some(spark.sql("SELECT 'a' AS id, 1L AS ts, 'old' AS v"))

  private def rows(table: LoggedTable): Seq[String] = table.read().collect().map(_.mkString(" ")).sorted.toSeq

  private def rewrite(table: LoggedTable)(change: Array[Byte] => Array[Byte]): Unit = {
    val log = table.lastLog
    Files.write(log, change(Files.readAllBytes(log)))
    HudiliteCatalog.forget(spark, table.path) // no commit tells that the file has changed
  }

  private def conditionOf(body: => Any): HudiliteException = Raised.by(body)

  // Where the second block of a log file begins.
  private def secondBlock(bytes: Array[Byte]): Int = new String(bytes, "ISO-8859-1").indexOf("#HUDI#", 1)

  private val changes: Seq[(String, Array[Byte] => Array[Byte])] = Seq(
    "cut within a block" -> (_.dropRight(9)),
    "cut between blocks" -> (bytes => bytes.take(secondBlock(bytes))),
    "empty" -> (_ => Array.emptyByteArray),
    "longer" -> (_ ++ new Array[Byte](9)),
    "another length before a block" -> (bytes => bytes.updated(secondBlock(bytes) + 13, 1.toByte)),
    "another length behind a block" -> (bytes => bytes.updated(bytes.length - 1, 1.toByte)),
    "no magic" -> (bytes => bytes.updated(secondBlock(bytes), 'x'.toByte)),
    "an unknown header" -> (bytes => bytes.updated(secondBlock(bytes) + 29, 9.toByte)),
    "more headers than there are" -> (bytes => bytes.updated(secondBlock(bytes) + 25, 99.toByte)),
    "a header that is longer than its block" -> (bytes => bytes.updated(secondBlock(bytes) + 31, 0x7f.toByte)),
    "no format that is known" -> (bytes => bytes.updated(secondBlock(bytes) + 17, 9.toByte)),
    "a block of change data" -> (bytes => bytes.updated(secondBlock(bytes) + 21, 6.toByte)))

  test("damage in the log of a completed write is an error that names the file, never rows without its blocks") {
    for ((name, change) <- changes) {
      val table = new LoggedTable(base, schema, None)
      table.append(Data(Seq(Seq("a", 2L, "first"))), Data(Seq(Seq("a", 3L, "second"))))
      assertEquals(rows(table), Seq("a 3 second"))
      val log = table.lastLog
      rewrite(table)(change)
      val error = conditionOf(rows(table))
      assertEquals(error.condition, "CORRUPT_FILE", name)
      assert(error.parameters("path").endsWith(log.getFileName.toString), s"$name: $error")
    }
  }

  test("a damaged record in a whole block is an error that names the file, never half a row") {
    val table = new LoggedTable(base, schema, None)
    table.append(Data(Seq(Seq("a", 2L, "text that will be garbled"))))
    rewrite(table) { bytes =>
      val at = new String(bytes, "ISO-8859-1").indexOf("text that will")
      bytes.updated(at - 1, 0x7e.toByte) // its length
    }
    val error = conditionOf(rows(table))
    assertEquals(error.condition, "CORRUPT_FILE")
    assert(error.parameters("path").endsWith(table.lastLog.getFileName.toString))
  }

  test("a column that cannot be read as the table's type is named, with its file") {
    val table = new LoggedTable(base, schema, None)
    val other = new Schema.Parser().parse(
      io.hudilite.spark.row.SchemaConversion.toAvro(StructType.fromDDL("id STRING, ts STRING"), "t", withMeta = true))
    table.append(Data(Seq(Seq("a", "yesterday")), schema = Some(other)))
    val error = conditionOf(rows(table))
    assertEquals(error.condition, "UNSUPPORTED_SCHEMA")
    assert(error.parameters("column").startsWith("ts in the log file "))
    assertEquals(table.read().select("id").collect().map(_.getString(0)).toSeq, Seq("a"))
  }

  test("a narrower type is widened and a missing column is null") {
    val table = new LoggedTable(base, schema, None)
    val older = new Schema.Parser().parse(
      io.hudilite.spark.row.SchemaConversion.toAvro(StructType.fromDDL("id STRING, ts INT"), "t", withMeta = true))
    table.append(Data(Seq(Seq("a", 7), Seq("b", 8)), schema = Some(older)))
    assertEquals(rows(table), Seq("a 7 null", "b 8 null"))
  }
}

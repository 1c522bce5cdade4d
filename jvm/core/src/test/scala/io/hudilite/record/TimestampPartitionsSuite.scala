package io.hudilite.record

import io.hudilite.error.InvalidInput

import java.time.{Instant, LocalDate}
import java.util.TimeZone

import munit.FunSuite

/** Expected paths are those that Apache Hudi 1.2.0 made of the same values and settings, in the zone of New York. */
class TimestampPartitionsSuite extends FunSuite {

  private def partitions(settings: (String, String)*): TimestampPartitions =
    TimestampPartitions.of(settings.map { case (k, v) => s"hoodie.keygen.timebased.$k" -> v }.toMap)

  private def inNewYork[T](body: => T): T = {
    val before = TimeZone.getDefault
    TimeZone.setDefault(TimeZone.getTimeZone("America/New_York"))
    try body
    finally TimeZone.setDefault(before)
  }

  private val unixHours = Seq("timestamp.type" -> "UNIX_TIMESTAMP", "output.dateformat" -> "yyyy-MM-dd HH")
  private val strings = Seq("timestamp.type" -> "DATE_STRING", "input.dateformat" -> "yyyy-MM-dd HH:mm:ss",
    "output.dateformat" -> "yyyy-MM-dd HH")
  private val manyFormats = Seq("timestamp.type" -> "DATE_STRING",
    "input.dateformat" -> "yyyy-MM-dd'T'HH:mm:ssZ,yyyy-MM-dd'T'HH:mm:ss.SSSZ,yyyyMMdd",
    "output.dateformat" -> "yyyyMMddHH")

  test("seconds are written in the JVM's zone when no zone is set; a missing value counts as 1") {
    inNewYork {
      val p = partitions(unixHours: _*)
      assertEquals(Seq[Any](1700000000L, 0L, -1L, null).map(p.format),
        Seq("2023-11-14 17", "1969-12-31 19", "1969-12-31 18", "1969-12-31 19"))
    }
  }

  test("a zone of the output, or of both, is used instead") {
    val both = partitions(unixHours :+ ("timezone" -> "GMT+8:00"): _*)
    assertEquals(Seq[Any](1700000000L, null).map(both.format), Seq("2023-11-15 06", "1970-01-01 08"))
    val output = partitions(unixHours :+ ("output.timezone" -> "Asia/Tokyo"): _*)
    assertEquals(Seq[Any](1700000000L, null).map(output.format), Seq("2023-11-15 07", "1970-01-01 09"))
  }

  test("numbers are read in the unit of the type") {
    def format(kind: String, pattern: String, value: Any, more: (String, String)*): String =
      partitions(Seq("timestamp.type" -> kind, "output.dateformat" -> pattern, "timezone" -> "UTC") ++ more: _*).format(
        value)
    assertEquals(format("EPOCHMILLISECONDS", "yyyy/MM/dd", 1700000000000L), "2023/11/14")
    assertEquals(format("EPOCHMICROSECONDS", "yyyyMMddHHmmssSSS", 1700000000000000L), "20231114221320000")
    assertEquals(format("EPOCHMICROSECONDS", "yyyyMMddHHmmssSSS", null), "19700101000000000")
    assertEquals(format("SCALAR", "yyyy-MM-dd", 19000, "timestamp.scalar.time.unit" -> "days"), "2022-01-08")
    assertEquals(format("SCALAR", "yyyy-MM-dd", null, "timestamp.scalar.time.unit" -> "days"), "1970-01-02")
    assertEquals(format("SCALAR", "yyyy-MM-dd", 1700000000L), "2023-11-14")
    assertEquals(format("UNIX_TIMESTAMP", "yyyy-MM-dd HH", 1700000000.7), "2023-11-14 22")
    assertEquals(format("EPOCHMILLISECONDS", "yyyy-MM-dd HH", 1700000000000000L), "55840-11-08 22")
  }

  test("dates are days, timestamps are microseconds") {
    val days = partitions("timestamp.type" -> "SCALAR", "timestamp.scalar.time.unit" -> "days",
      "output.dateformat" -> "yyyy-MM-dd HH", "timezone" -> "UTC")
    assertEquals(days.format(LocalDate.of(2023, 11, 14)), "2023-11-14 00")
    val micros =
      partitions("timestamp.type" -> "EPOCHMICROSECONDS", "output.dateformat" -> "yyyy-MM-dd HH", "timezone" -> "UTC")
    assertEquals(micros.format(Instant.ofEpochSecond(1700000000L)), "2023-11-14 22")
  }

  test("date strings are read in the input zone and written in the output zone") {
    def format(value: Any, zones: (String, String)*): String = partitions(strings ++ zones: _*).format(value)
    assertEquals(format("2023-11-14 22:13:20", "input.timezone" -> "Asia/Tokyo", "output.timezone" -> "UTC"),
      "2023-11-14 13")
    assertEquals(format("2023-11-14 22:13:20", "input.timezone" -> "Asia/Tokyo", "timezone" -> "UTC"), "2023-11-14 22")
    assertEquals(format(null, "input.timezone" -> "Asia/Tokyo", "output.timezone" -> "UTC"), "1970-01-01 00")
    inNewYork {
      assertEquals(format("2023-11-14 22:13:20"), "2023-11-14 22")
      assertEquals(format(null), "1970-01-01 00")
    }
  }

  test("the first of several patterns that fits is used, and an offset in the string counts") {
    inNewYork {
      val utc = partitions(manyFormats ++ Seq("input.timezone" -> "", "output.timezone" -> "UTC"): _*)
      assertEquals(Seq[Any]("2020-04-01T13:01:33.428Z", "2020-04-01T13:01:33Z", "2020-04-01T13:01:33-05:00", "20200401")
          .map(utc.format), Seq("2020040113", "2020040113", "2020040118", "2020040104"))
      val own = partitions(manyFormats: _*)
      assertEquals(Seq[Any]("2020-04-01T13:01:33.428Z", "2020-04-01T13:01:33-05:00", "20200401").map(own.format),
        Seq("2020040113", "2020040113", "2020040100"))
    }
  }

  test("letters of the pattern have Joda-Time's meaning") {
    val p = partitions("timestamp.type" -> "MIXED", "input.dateformat" -> "yyyy-MM-dd'T'HH:mm:ssZ",
      "output.dateformat" -> "YYYY-MM-dd HH z Z ZZ")
    assertEquals(p.format("2023-11-14T22:13:20Z").replace(" Z ", " UTC "), "2023-11-14 22 UTC +0000 +00:00")
    val days = partitions("timestamp.type" -> "SCALAR", "timestamp.scalar.time.unit" -> "DAYS", "timezone" -> "UTC",
      "output.dateformat" -> "yy-M-d 'o''clock' EEE MMM DDD hh a")
    assertEquals(days.format(19000), "22-1-8 o'clock Sat Jan 008 12 AM")
  }

  private def condition(body: => Any): String = intercept[InvalidInput](body).condition

  test("a value that does not fit is refused") {
    assertEquals(condition(partitions(strings: _*).format("yesterday")), "INVALID_PARTITION_VALUE")
    assertEquals(condition(partitions(strings: _*).format("")), "INVALID_PARTITION_VALUE")
    assertEquals(condition(partitions(strings: _*).format(17L)), "INVALID_PARTITION_VALUE")
    assertEquals(condition(partitions(unixHours: _*).format("2023-11-14")), "INVALID_PARTITION_VALUE")
    assertEquals(condition(partitions(unixHours: _*).format(Instant.EPOCH)), "INVALID_PARTITION_VALUE")
  }

  test("settings that are missing or wrong are refused") {
    assertEquals(condition(partitions("output.dateformat" -> "yyyy")), "MISSING_OPTION")
    assertEquals(condition(partitions("timestamp.type" -> "UNIX_TIMESTAMP")), "MISSING_OPTION")
    assertEquals(condition(partitions("timestamp.type" -> "DATE_STRING", "output.dateformat" -> "yyyy")),
      "MISSING_OPTION")
    assertEquals(condition(partitions("timestamp.type" -> "TODAY", "output.dateformat" -> "yyyy")),
      "INVALID_OPTION_VALUE")
    assertEquals(condition(partitions("timestamp.type" -> "SCALAR", "timestamp.scalar.time.unit" -> "WEEKS",
          "output.dateformat" -> "yyyy")), "INVALID_OPTION_VALUE")
    assertEquals(condition(partitions("timestamp.type" -> "UNIX_TIMESTAMP", "output.dateformat" -> "qq")),
      "INVALID_OPTION_VALUE")
    assertEquals(condition(partitions("timestamp.type" -> "UNIX_TIMESTAMP", "output.dateformat" -> "yyyy'x")),
      "INVALID_OPTION_VALUE")
  }

  test("the settings are found under their old spelling") {
    val p = TimestampPartitions.of(Map("hoodie.deltastreamer.keygen.timebased.timestamp.type" -> "UNIX_TIMESTAMP",
        "hoodie.deltastreamer.keygen.timebased.output.dateformat" -> "yyyy",
        "hoodie.deltastreamer.keygen.timebased.timezone" -> "UTC"))
    assertEquals(p.format(1700000000L), "2023")
  }
}

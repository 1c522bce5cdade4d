package io.hudilite.timeline

import io.hudilite.error.InvalidInput

import java.time.{Clock, DateTimeException, Instant => EpochInstant, ZoneId, ZoneOffset}

import munit.FunSuite

class InstantTimeSuite extends FunSuite {

  private val utc = ZoneOffset.UTC

  private def at(time: String, zone: ZoneId): Clock = Clock.fixed(EpochInstant.parse(time), zone)

  test("a time is the clock's, on the wall of its zone") {
    assertEquals(InstantTime.after("", at("2026-11-22T20:15:01.002Z", utc)), "20261122201501002")
    assertEquals(InstantTime.after("", at("2026-11-22T20:15:01.002Z", ZoneId.of("Asia/Tokyo"))), "20261123051501002")
  }

  test("a time exceeds its floor even when our clock is behind") {
    val tokyo = at("2026-11-22T20:15:01.002Z", ZoneId.of("Asia/Tokyo"))
    assertEquals(InstantTime.after("29991231235959999", tokyo), "30000101000000000")
    assertEquals(InstantTime.after("20261123051501002", tokyo), "20261123051501003")
    assertEquals(InstantTime.after("20261123051501", tokyo), "20261123051501002", "the end of that second is not over")
    assertEquals(InstantTime.after("20261123051502", tokyo), "20261123051503000")
  }

  test("the end of summer time does not turn times back") {
    val berlin = ZoneId.of("Europe/Berlin")
    val summer = InstantTime.after("", at("2026-10-25T00:30:00Z", berlin))
    assertEquals(summer, "20261025023000000")
    val winter = InstantTime.after(summer, at("2026-10-25T01:20:00Z", berlin))
    assertEquals(winter, "20261025023000001")
    assertEquals(InstantTime.after(winter, at("2026-10-25T01:31:00Z", berlin)), "20261025023100000")
  }

  test("nothing follows the last time that can be written, or what is no time") {
    for (floor <- Seq("99991231235959999", "99999999999999999", "99999"))
      intercept[DateTimeException](InstantTime.after(floor, at("2026-11-22T20:15:01Z", utc)))
  }

  test("times are on the wall clock of the zone") {
    assertEquals(InstantTime.fromEpochMillis(0L, ZoneId.of("Asia/Tokyo")), "19700101090000000")
    assertEquals(InstantTime.toEpochMillis("19700101090000001", ZoneId.of("Asia/Tokyo")), 1L)
  }

  test("a time of 14 digits means the end of its second") {
    assertEquals(InstantTime.toEpochMillis("19700101000000", utc), 999L)
    assertEquals(InstantTime.toEpochMillis("00000000000001", utc), 0L) // of a bootstrap
  }

  test("users may write instants and times in the forms that Hudi knows") {
    val rows = Seq(
      "20260102030405006" -> "20260102030405006",
      "20260102030405" -> "20260102030405",
      "00000000000001" -> "00000000000001",
      "2026-01-02" -> "20260102000000000",
      "2026-01-02 03:04:05" -> "20260102030405000",
      "2026-01-02 03:04:05.6" -> "20260102030405600",
      " 2026-01-02 03:04:05.006 " -> "20260102030405006",
      "2026-01-02T03:04:05.006" -> "20260102030405006",
      "2026-01-02T03:04:05+02:00" -> "20260102010405000",
      "2026-01-02T03:04:05Z" -> "20260102030405000")
    rows.foreach { case (text, instant) => assertEquals(InstantTime.parseUserInput(text, utc), instant, text) }
  }

  test("text that is no time is refused") {
    Seq("", "yesterday", "2026-13-01", "20261301000000000", "2026-01-02 25:00:00", "123").foreach { text =>
      val e = intercept[InvalidInput](InstantTime.parseUserInput(text, utc))
      assertEquals((e.condition, e.parameters), ("INVALID_INSTANT", Map("text" -> text)))
    }
  }

  test("an instant of a timeline has a time up to the last of each field, and no later one") {
    val days = Seq("20260101", "20260228", "20240229", "20260131", "20261231")
    for (day <- days; time <- Seq("000000", "235959", "000000000", "235959999"))
      assert(InstantTime.isOfTimeline(day + time), day + time)
    for (day <- Seq("20260001", "20261301", "20260100", "20260132"))
      assert(!InstantTime.isOfTimeline(day + "000000000"), day)
    for (time <- Seq("240000001", "250000", "236000", "235960", "236000000", "235960000"))
      assert(!InstantTime.isOfTimeline("20260101" + time), time)
  }
}

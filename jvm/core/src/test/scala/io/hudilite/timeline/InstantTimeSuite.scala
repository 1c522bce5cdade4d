package io.hudilite.timeline

import io.hudilite.error.InvalidInput

import java.time.{Clock, Instant => EpochInstant, ZoneId, ZoneOffset}
import java.util.concurrent.{Callable, Executors}

import munit.FunSuite

class InstantTimeSuite extends FunSuite {

  private val utc = ZoneOffset.UTC

  test("times of many threads are distinct and have 17 digits") {
    val pool = Executors.newFixedThreadPool(8)
    try {
      val tasks = (1 to 8).map(_ =>
        pool.submit(new Callable[Seq[String]] {
          override def call(): Seq[String] = (1 to 500).map(_ => InstantTime.now(utc))
        }))
      val perThread = tasks.map(_.get())
      assertEquals(perThread.flatten.toSet.size, 4000)
      perThread.foreach(times => assertEquals(times, times.sorted))
      assert(perThread.flatten.forall(t => t.length == 17 && InstantTime.isValid(t)))
    } finally pool.shutdown()
  }

  test("a time exceeds its floor even when our clock is behind") {
    assertEquals(InstantTime.after("29991231235959999", ZoneId.of("Asia/Tokyo")), "30000101000000000")
  }

  test("the end of summer time does not turn times back") {
    val berlin = ZoneId.of("Europe/Berlin")
    def at(utcTime: String): String = InstantTime.next(Clock.fixed(EpochInstant.parse(utcTime), berlin), "")
    assertEquals(at("2200-10-26T00:30:00Z"), "22001026023000000")
    assertEquals(at("2200-10-26T01:30:00Z"), "22001026023000001")
  }

  test("times are on the wall clock of the zone") {
    assertEquals(InstantTime.fromEpochMillis(0L, ZoneId.of("Asia/Tokyo")), "19700101090000000")
    assertEquals(InstantTime.toEpochMillis("19700101090000001", ZoneId.of("Asia/Tokyo")), 1L)
  }

  test("a time of 14 digits means the end of its second") {
    assertEquals(InstantTime.toEpochMillis("19700101000000", utc), 999L)
  }

  test("users may write instants and times in the forms that Hudi knows") {
    val rows = Seq(
      "20260102030405006" -> "20260102030405006",
      "20260102030405" -> "20260102030405",
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
}

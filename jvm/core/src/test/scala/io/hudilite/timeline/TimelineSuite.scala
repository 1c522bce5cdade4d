package io.hudilite.timeline

import munit.FunSuite

class TimelineSuite extends FunSuite {

  private def instant(time: String, action: String = "commit", state: State = State.Completed): Instant =
    Instant(time, action, state, if (state == State.Completed) Some(time + "9") else None, s"$time.$action")

  private val timeline = Timeline(Seq(
      instant("10"), instant("20", "clean"), instant("30", "deltacommit"), instant("40", "compaction", State.Requested),
      instant("50", "replacecommit"), instant("60", "commit", State.Inflight)))

  test("writes are completed commits of all three kinds") {
    assertEquals(timeline.writes.map(_.time), Seq("10", "30", "50"))
    assertEquals(timeline.pendingWrites.map(_.time), Seq("40", "60"))
    assertEquals(timeline.pendingCompactions.map(_.time), Seq("40"))
    assertEquals(timeline.lastCompleted.map(_.time), Some("50"))
    assertEquals(timeline.lastTime, Some("60"))
  }

  test("committed is what completed, or is older than the active timeline") {
    Seq("05" -> true, "10" -> true, "20" -> false, "25" -> false, "30" -> true, "40" -> false, "60" -> false,
      "70" -> false).foreach { case (time, committed) => assertEquals(timeline.isCommitted(time), committed, time) }
  }

  test("the timeline begins at its first write, pending ones included, services and savepointed stragglers not") {
    assertEquals(Timeline(Seq(instant("05", "clean"), instant("10", "commit", State.Inflight), instant("20")))
        .firstWriteInstant.map(_.time), Some("10"))
    val straggler = Timeline(Seq(instant("10"), instant("10", "savepoint"), instant("30")))
    assertEquals(straggler.firstWriteInstant.map(_.time), Some("30"))
    assertEquals(Seq("05", "10", "20", "40").map(straggler.isCommitted), Seq(true, true, true, false))
    assertEquals(straggler.savepoints, Seq("10"))
  }

  test("nothing is committed in an empty timeline") {
    assert(!Timeline.Empty.isCommitted("10"))
    assertEquals(Timeline.Empty.lastTime, None)
  }

  test("a reader at an instant sees it and what was before") {
    assertEquals(timeline.upTo("30").instants.map(_.time), Seq("10", "20", "30"))
  }
}

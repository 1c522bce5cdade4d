package io.hudilite.service.compact

import io.hudilite.config.service.{CompactionOptions, TriggerConf}
import io.hudilite.timeline.{Action, Instant, InstantTime, State, Timeline}

import java.time.ZoneOffset

import munit.FunSuite

class CompactionTriggerSuite extends FunSuite {

  import CompactionOptions._

  test("each trigger at its limits") {
    val below = DeltaProgress(4, 4, 59)
    val enough = DeltaProgress(5, 4, 59)
    val requested = DeltaProgress(4, 5, 59)
    val late = DeltaProgress(4, 4, 60)
    val both = DeltaProgress(6, 6, 61)
    val expected = Seq(
      NumCommits -> Seq(false, true, false, false, true),
      NumCommitsAfterLastRequest -> Seq(false, false, true, false, true),
      TimeElapsed -> Seq(false, false, false, true, true),
      NumAndTime -> Seq(false, false, false, false, true),
      NumOrTime -> Seq(false, true, false, true, true))
    assertEquals(expected.map(_._1), Triggers)
    for ((strategy, due) <- expected) assertEquals(
      Seq(below, enough, requested, late, both).map(_.isDue(TriggerConf(strategy, 5, 60))), due,
      strategy)
  }

  test("a new table is not due, and one delta commit can be") {
    val one = TriggerConf(NumCommits, 1, 1)
    assert(!DeltaProgress(0, 0, 0).isDue(one))
    assert(DeltaProgress(1, 1, 0).isDue(one))
  }

  private def at(minute: Int): String = f"202601010${minute / 60}%01d${minute % 60}%02d00000"
  private def delta(minute: Int, completed: Int): Instant =
    Instant(at(minute), Action.DeltaCommit, State.Completed, Some(at(completed)), "")
  private def compacted(minute: Int): Instant =
    Instant(at(minute), Action.Commit, State.Completed, Some(at(minute + 1)), "")
  private def requested(minute: Int): Instant = Instant(at(minute), Action.Compaction, State.Requested, None, "")

  private def progress(instants: Instant*): DeltaProgress =
    DeltaProgress.of(Timeline(instants), InstantTime.toEpochMillis(at(60), ZoneOffset.UTC), ZoneOffset.UTC)

  test("progress counts what completed since the last compaction and since the last request") {
    assertEquals(progress(), DeltaProgress(0, 0, 0))
    assertEquals(progress(delta(1, 2), delta(3, 4)), DeltaProgress(2, 2, 59 * 60))
    assertEquals(progress(delta(1, 2), compacted(10), delta(20, 21)), DeltaProgress(1, 1, 50 * 60))
    assertEquals(progress(delta(1, 2), compacted(10), delta(20, 21), requested(30)), DeltaProgress(1, 0, 50 * 60))
    // Begun before the compaction was requested and completed after it: its log files are not part of the compaction.
    assertEquals(progress(delta(9, 15), compacted(10)), DeltaProgress(1, 1, 50 * 60))
    assertEquals(progress(delta(9, 15), requested(10), delta(11, 12)), DeltaProgress(2, 2, 51 * 60))
  }
}

package io.hudilite.metadata

import io.hudilite.timeline.{Action, Instant, State, Timeline}

import munit.FunSuite

class MetadataInstantsSuite extends FunSuite {

  private def time(n: Int): String = f"202601010000000$n%02d"

  private def done(time: String, action: String = Action.DeltaCommit, completed: Option[String] = None): Instant =
    Instant(time, action, State.Completed, completed, time)

  private def begun(time: String): Instant = Instant(time, Action.DeltaCommit, State.Inflight, None, time)

  private val made = done("00000000000000000", completed = Some(time(1)))

  test(
    "records of a write that is still pending in the table do not count, nor those of a write that has not completed") {
    val instants = new MetadataInstants(Timeline(Seq(done(time(2)), begun(time(4)))),
      Timeline(Seq(made, done(time(2)), begun(time(3)), done(time(4)))))
    assertEquals(Seq(made.time, time(2), time(3), time(4)).map(instants.counts), Seq(true, true, false, false))
  }

  test("records of a complete write count beside a pending savepoint of it") {
    val savepoint = Instant(time(2), Action.Savepoint, State.Inflight, None, time(2))
    val instants = new MetadataInstants(Timeline(Seq(done(time(2)), savepoint)), Timeline(Seq(made, done(time(2)))))
    assert(instants.counts(time(2)))
  }

  test("records of a write that left both timelines count") {
    val (data, own) = (Timeline(Seq(done(time(5)))), Timeline(Seq(made, done(time(5)))))
    assertEquals(Seq(3, 5, 6).map(n => new MetadataInstants(data, own).counts(time(n))), Seq(true, true, false))
  }

  test("writes and cleanings that the metadata table does not know are told, but those from before it was made") {
    val data = Timeline(Seq(done(time(0), completed = Some(time(1).init + "0")),
        done(time(3), completed = Some(time(4))),
        done(time(5), Action.Clean), done(time(6), Action.Rollback), done(time(7), Action.Savepoint),
        done(time(8), Action.Commit)))
    def unknown(own: Instant*): Seq[String] =
      new MetadataInstants(data, Timeline(made +: own)).unknown(hasArchive = false).map(_.time)
    assertEquals(unknown(done(time(3)), done(time(5)), done(time(8))), Nil)
    assertEquals(unknown(), Seq(time(3), time(5), time(8)))
    assertEquals(unknown(done(time(3)), begun(time(5)), done(time(8))), Seq(time(5)))
  }

  test("cleanings before all that is left need not be in a timeline of which some have been archived, writes must") {
    val data = Timeline(Seq(done(time(1), Action.Clean), done(time(2)), done(time(3)), done(time(4), Action.Clean)))
    def unknown(hasArchive: Boolean): Seq[String] =
      new MetadataInstants(data, Timeline(Seq(done(time(3)), done(time(4))))).unknown(hasArchive).map(_.time)
    assertEquals(unknown(hasArchive = true), Seq(time(2)))
    assertEquals(unknown(hasArchive = false), Seq(time(1), time(2)))
  }

  test(
    "writes and cleanings that left the timeline must be known, too, unless they are older than the metadata table") {
    val born = made.copy(completionTime = Some(time(2)))
    val instants = new MetadataInstants(Timeline(Seq(done(time(6)))), Timeline(Seq(born, done(time(5)), done(time(6)))))
    val left = Seq(done(time(0), completed = Some(time(1))), done(time(3), completed = Some(time(4))),
      done(time(4), Action.Rollback), done(time(5)))
    assertEquals(instants.unknown(left, Seq.empty).map(_.time), Seq(time(3)))
    assertEquals(instants.unknown(left, Seq(done(time(3)))), Nil)
    // Its beginning may have left its timeline.
    val later = new MetadataInstants(Timeline(Seq(done(time(6)))), Timeline(Seq(done(time(5)), done(time(6)))))
    assertEquals(later.unknown(left, Seq(born, done(time(3)))), Nil)
    assertEquals(later.unknown(left, Seq(done(time(3)))).map(_.time), Seq(time(0)))
  }

  test("before version 8 the first instant says which write was the newest when the metadata table was made") {
    val data = Timeline((1 to 4).map(n => done(time(n))))
    def unknown(first: String, others: Int*): Seq[String] =
      new MetadataInstants(data, Timeline(done(first) +: others.map(n => done(time(n))))).unknown(hasArchive = false)
        .map(_.time)
    assertEquals(unknown(s"${time(2)}010", 3, 4), Nil)
    assertEquals(unknown(s"${time(2)}010", 4), Seq(time(3)))
    assertEquals(unknown("00000000000000010", 3, 4), Seq(time(1), time(2)))
  }

  test("the instant of a bootstrap has fewer digits, also before those of an initialisation") {
    val (bootstrap, initial) = ("00000000000001", "00000000000001010")
    val instants =
      new MetadataInstants(Timeline(Seq(done(bootstrap), done(time(1)))), Timeline(Seq(done(initial), done(time(1)))))
    assertEquals(instants.ahead, None)
    assertEquals(instants.unknown(hasArchive = false), Nil)
    assertEquals(Seq(initial, "00000000000000010", s"${time(1)}010", bootstrap, time(1), s"${time(1)}001")
        .map(MetadataInstants.isMade), Seq(true, true, true, false, false, false))
  }
}

package io.hudilite.service.archive

import io.hudilite.config.service.ArchiveConf
import io.hudilite.service.Services
import io.hudilite.timeline.{Action, Instant, State, Timeline}

import munit.FunSuite

class ArchivePlannerSuite extends FunSuite {

  private val conf = Services.of().archiving.copy(minCommits = 2, maxCommits = 4)
  private val copyOnWrite = ArchiveFacts(layout = 2, mergeOnRead = false)
  private val mergeOnRead = ArchiveFacts(layout = 2, mergeOnRead = true)

  private def time(number: Int): String = f"20260101000000$number%03d"

  private def instant(number: Int, action: String = Action.Commit, state: State = State.Completed): Instant =
    Instant(time(number), action, state, None, "")

  private def commits(numbers: Int*): Seq[Instant] = numbers.map(instant(_))

  private def planned(instants: Seq[Instant], facts: ArchiveFacts = copyOnWrite, conf: ArchiveConf = conf)
      : Seq[Int] =
    ArchivePlanner.plan(Timeline(instants.sortBy(i => (i.time, i.action))), conf, facts).map(
      _.time.takeRight(3).toInt)

  test("nothing is archived up to the greatest number of commits") {
    for (n <- Seq(0, 1, 2, 3, 4)) assertEquals(planned(commits(1 to n: _*)), Nil)
  }

  test("beyond it the oldest commits are, down to the least number") {
    assertEquals(planned(commits(1 to 5: _*)), Seq(1, 2, 3))
    assertEquals(planned(commits(1 to 9: _*)), (1 to 7).toList)
  }

  test("a write stays as long as others that stay completed before it") {
    def done(number: Int, at: Int): Instant = instant(number).copy(completionTime = Some(time(at)))
    val overlapping = Seq(done(1, 2), done(3, 9), done(4, 5), done(6, 7)) ++ (10 to 13).map(n => done(n, n))
    assertEquals(planned(overlapping.take(7)), Seq(1, 3, 4, 6, 10))
    assertEquals(planned(overlapping.take(5)), Seq(1))
    assertEquals(planned(overlapping.take(6)), Seq(1, 3, 4, 6))
    // Each completes behind the next one.
    val always = (1 to 9).map(n => done(n * 10, n * 10 + 15))
    val nested = always :+ done(5, 99)
    assertEquals(planned(nested.take(8) :+ done(5, 99)), (Seq(5) ++ (1 to 6).map(_ * 10)))
    assertEquals(planned(nested.take(7) :+ done(5, 99)), Nil)
  }

  test("commits of all kinds count") {
    val mixed =
      Seq(instant(1), instant(2, Action.ReplaceCommit), instant(3, Action.DeltaCommit), instant(4), instant(5))
    assertEquals(planned(mixed), Seq(1, 2, 3))
  }

  test("other actions do not count") {
    val others = Seq(Action.Clean, Action.Rollback, Action.Restore, Action.Savepoint, Action.Indexing)
    for (action <- others) assertEquals(planned(commits(11 to 14: _*) ++ (1 to 9).map(instant(_, action))), Nil)
  }

  test("the write before the first pending action stays, and all later ones") {
    for (action <- Action.all.toSeq.sorted.filterNot(_ == Action.Savepoint);
      state <- Seq(State.Requested, State.Inflight))
      assertEquals(planned(commits(1, 2, 3, 5, 6, 7, 8) ++ Seq(instant(4, action, state))), Seq(1, 2),
        s"$action $state")
  }

  test("a pending action before all commits leaves them alone") {
    assertEquals(planned(instant(1, Action.DeltaCommit, State.Inflight) +: commits(2 to 9: _*)), Nil)
    assertEquals(planned(commits(1 to 8: _*) ++ Seq(instant(2, Action.Rollback, State.Inflight))), Nil)
  }

  test("the first savepoint and all that is newer stays, complete or not") {
    for (state <- Seq(State.Inflight, State.Completed))
      assertEquals(
        planned(commits(1 to 9: _*) ++ Seq(instant(3, Action.Savepoint, state), instant(5, Action.Savepoint))),
        Seq(1, 2))
  }

  test("beyond savepoints only what is saved stays, and does not count") {
    val beyond = conf.copy(beyondSavepoint = true)
    val saved = Seq(instant(1, Action.Savepoint), instant(3, Action.Savepoint))
    assertEquals(planned(commits(1 to 9: _*) ++ saved, conf = beyond), Seq(2, 4, 5, 6, 7))
    assertEquals(planned(commits(1 to 6: _*) ++ saved, conf = beyond), Nil)
  }

  test("a commit that replaced file groups stays until their files are cleaned, and all later ones") {
    assertEquals(planned(commits(1 to 9: _*), copyOnWrite.copy(uncleaned = Set(time(4), time(6)))), Seq(1, 2, 3))
    assertEquals(planned(commits(1 to 9: _*), copyOnWrite.copy(uncleaned = Set(time(1)))), Nil)
    assertEquals(planned(commits(1 to 9: _*), copyOnWrite.copy(uncleaned = Set(time(8)))), (1 to 7).toList)
  }

  test("the newest write that tells Apache Hudi the columns stays, and all later ones") {
    assertEquals(planned(commits(1 to 9: _*), copyOnWrite.copy(columns = Some(time(4)))), Seq(1, 2, 3))
    assertEquals(planned(commits(1 to 9: _*), copyOnWrite.copy(columns = Some(time(9)))), (1 to 7).toList)
  }

  test("what cleaning retains stays") {
    assertEquals(planned(commits(1 to 9: _*), copyOnWrite.copy(retained = Some(time(4)))), Seq(1, 2, 3))
    assertEquals(planned(commits(1 to 9: _*), copyOnWrite.copy(retained = Some(time(9)))), (1 to 7).toList)
  }

  test("the newest clean that says what it did stays, whatever comes after it") {
    val cleans = Seq(2, 3, 4).map(instant(_, Action.Clean))
    val blank = Seq(5, 6).map(instant(_, Action.Clean).copy(fileBytes = 0L))
    assertEquals(planned(commits(1, 7, 8, 9, 10, 11) ++ cleans), Seq(1, 2, 3, 7, 8, 9))
    assertEquals(planned(commits(1, 7, 8, 9, 10, 11) ++ cleans ++ blank), Seq(1, 2, 3, 5, 6, 7, 8, 9))
    assertEquals(planned(commits(1, 7, 8, 9, 10, 11) ++ blank), Seq(1, 5, 6, 7, 8, 9))
  }

  private def deltas(numbers: Int*): Seq[Instant] = numbers.map(instant(_, Action.DeltaCommit))

  test("the last compaction stays until the next is due by the delta commits alone") {
    def with3(instants: Seq[Instant]) = planned(instants, mergeOnRead, conf.copy(deltaCommits = Some(3)))
    assertEquals(with3(deltas(1, 2, 4, 5) ++ commits(3)), Seq(1, 2))
    assertEquals(with3(deltas(1, 2, 3, 5, 6) ++ commits(4)), Seq(1, 2, 3))
    assertEquals(with3(deltas(1, 2, 4, 5, 6) ++ commits(3)), Seq(1, 2, 3))
    assertEquals(with3(deltas(1, 2, 4, 5, 6, 7, 8, 9) ++ commits(3)), (1 to 6).toList)
  }

  test("without a compaction as many delta commits stay as make one due") {
    val many = conf.copy(deltaCommits = Some(8))
    assertEquals(planned(deltas(1 to 7: _*), mergeOnRead, many), Nil)
    assertEquals(planned(deltas(1 to 10: _*), mergeOnRead, many), Seq(1, 2))
  }

  test("a trigger that goes by time keeps the compaction that it measures from") {
    val byTime = conf.copy(deltaCommits = None)
    assertEquals(planned(deltas(1 to 9: _*), mergeOnRead, byTime), Nil)
    assertEquals(planned(deltas(1, 2, 4, 5, 6, 7, 8) ++ commits(3), mergeOnRead, byTime), Seq(1, 2))
  }

  private def cleans(numbers: Int*): Seq[Instant] = numbers.map(instant(_, Action.Clean))
  private def rollbacks(numbers: Int*): Seq[Instant] = numbers.map(instant(_, Action.Rollback))

  test("layout 2: cleans and rollbacks go with the commits that they are older than, but for the newest clean") {
    val even = commits(2, 4, 6, 8, 10)
    assertEquals(planned(even ++ cleans(1, 3, 7) ++ rollbacks(5, 9)), Seq(1, 2, 3, 4, 5, 6))
    assertEquals(planned(even ++ cleans(1)), Seq(2, 4, 6))
    assertEquals(planned(commits(2, 4, 6, 8) ++ cleans(1, 3, 5)), Nil)
  }

  test("layout 1: cleans and rollbacks go by their own count, as far as the commits have gone") {
    val layout1 = copyOnWrite.copy(layout = 1)
    assertEquals(planned(commits(11 to 14: _*) ++ cleans(1 to 4: _*), layout1), Nil)
    assertEquals(planned(commits(11 to 14: _*) ++ cleans(1 to 5: _*), layout1), Seq(1, 2, 3))
    assertEquals(planned(commits(11 to 14: _*) ++ rollbacks(1 to 5: _*), layout1), Seq(1, 2, 3))
    assertEquals(planned(commits(3, 11, 12) ++ cleans(1, 2, 4, 5, 6, 7), layout1), Seq(1, 2))
    assertEquals(planned(commits(1, 3, 4, 5, 6) ++ cleans(2), layout1), Seq(1, 3, 4))
  }

  test("savepoints and restores are never archived") {
    val others = Seq(instant(1, Action.Restore), instant(2, Action.Indexing))
    for (layout <- Seq(1, 2))
      assertEquals(planned(others ++ commits(3 to 9: _*), copyOnWrite.copy(layout = layout)), (3 to 7).toList)
  }

  test("only triggers that count delta commits keep as many") {
    def kept(trigger: String) = Services.of("hoodie.compact.inline.trigger.strategy" -> trigger).archiving.deltaCommits
    assertEquals((kept("NUM_COMMITS"), kept("TIME_ELAPSED")), (Some(5), None))
  }
}

package io.hudilite.transaction

import io.hudilite.TestTables
import io.hudilite.config.TableType
import io.hudilite.error.{CommitConflict, CommitStateUnknown, InvalidInput}
import io.hudilite.service.{Services, TextServices}
import io.hudilite.service.cluster.PendingClusterings
import io.hudilite.service.compact.{CompactionKind, CompactionScheduler, PendingCompactions}
import io.hudilite.service.doctor.Doctor
import io.hudilite.storage.{MemoryStorage, Storage}
import io.hudilite.table.Table
import io.hudilite.timeline.{CommitMetadata, WriteStat}
import io.hudilite.transaction.rollback.Heartbeat

import munit.FunSuite

/** Runs of a plan that are held for so long that another process takes them for dead, no lock being between them, and runs
  * the plan itself.
  */
class TakenOverSuite extends FunSuite {

  private val path = "/t"
  private var now = 1767225600000L
  private val (ours, theirs) = (TwoProcesses.options("a"), TwoProcesses.options("b"))

  private def open(storage: Storage): Table = Table.open(storage, path)

  private def expire(): Unit = now += 2 * Heartbeat.ExpiryMs

  /** A table with a plan. */
  private def planned(kind: String, version: Int): (MemoryStorage, String) = {
    val storage = new MemoryStorage(() => now)
    TextWrites.table(storage, path, version, TableType.MergeOnRead)
    val plan =
      if (kind == "clustering") {
        TextWrites.insert("h-0").run(open(storage))
        TextServices.planClustering(open(storage))
      } else {
        TextWrites.append.run(open(storage))
        CompactionScheduler.schedule(open(storage),
          Services.of("hoodie.compact.inline.max.delta.commits" -> "1").compaction).get.instant
      }
    (storage, plan.get)
  }

  /** A run of the plan by one process, step by step.
    *
    * @param attempt
    *   of its tasks, so that each run has files of its own
    */
  private final class Run(kind: String, storage: Storage, time: String, attempt: Int, options: TransactionOptions) {
    private val table = open(storage)
    private val isClustering = kind == "clustering"
    private val instant =
      if (isClustering) PendingClusterings.named(table, time) else PendingCompactions.named(table, time)
    private val replaced =
      if (isClustering) PendingClusterings.open(table, instant).replaced else Map.empty[String, Seq[String]]

    val running: Transaction = Transaction.resume(table, instant,
      if (isClustering) CommitMetadata.Cluster else CompactionKind.Base.operation, options)
    var stats: Seq[WriteStat] = Nil

    def write(): Unit = stats =
      if (isClustering) replaced.keys.toSeq.map(TestTables.writeFile(table, time, _, s"c-$time", None, attempt))
      else PendingCompactions.open(table, instant).slices.map(s =>
        TestTables.writeFile(table, time, s.partition, s.fileId, Some(s.instant), attempt))

    def commit(): String =
      try {
        LateFiles.delete(table, running, Seq("p"), stats)
        running.commit(stats, replaced)
        "committed"
      } catch {
        case _: CommitConflict => running.rollback(); "conflict"
        case _: CommitStateUnknown => "unknown"
      }
  }

  /** A process that is held once: before its call of a number, of those that are counted.
    *
    * @param meanwhile
    *   runs until it goes on
    */
  private final class Held(storage: Storage, number: Int)(meanwhile: => Unit) {
    private var calls = 0
    private var counts = false
    var wasHeld = false

    val view = new ProcessView(storage,
      _ =>
        if (counts) {
          calls += 1
          if (calls == number) {
            counts = false
            wasHeld = true
            expire()
            meanwhile
          }
        })

    def counting[T](step: => T): T = {
      counts = !wasHeld
      try step
      finally counts = false
    }
  }

  /** The first number of a call at which `run` says that nobody was held. */
  private def heldAtEach(run: Int => Boolean): Int = Iterator.from(1).find(!run(_)).get

  private def begun(run: => Run): Option[Run] =
    try Some(run)
    catch { case _: CommitConflict | _: InvalidInput => None } // it is being run, or has completed

  /** The files that count are those of the run that was told that it had completed; without one the plan can be run. */
  private def check(storage: MemoryStorage, kind: String, time: String, ended: Seq[(Run, String)], clue: String)
      : Unit = {
    val told = ended.collect { case (run, "committed") => run.stats.map(_.path).toSet }
    val counts = open(storage).timeline.write(time).map(open(storage).store.readCommit(_).allPaths)
    assertEquals(counts.toSeq, told, clue)
    counts.foreach(_.foreach(file => assert(storage.exists(s"$path/$file"), s"$clue: $file")))
    expire()
    if (counts.isEmpty) {
      val again = new Run(kind, storage, time, 3, TransactionOptions())
      again.write()
      assertEquals(again.commit(), "committed", clue)
    } else TextWrites.insert("z-0").run(open(storage))
    val left = storage.paths.filter(_.endsWith(s"_$time.parquet"))
    assertEquals(left.size, told.headOption.fold(1)(_.size), s"$clue: $left")
    assertEquals(new Doctor(storage, path, TransactionOptions(), TextServices.deleting).run(fix = false), Nil, clue)
  }

  for (version <- Seq(6, 9); kind <- Seq("compaction", "clustering"); ends <- Seq(true, false)) {
    val meanwhile = if (ends) "has run the plan" else "runs the plan"

    test(
      s"version $version: a $kind that is held at any call while another process $meanwhile does not count beside it") {
      var outcomes = Set.empty[String]
      val number = heldAtEach { number =>
        val (storage, time) = planned(kind, version)
        var other: Option[Run] = None
        var ended = Seq.empty[(Run, String)]
        def end(): Unit = other.foreach { run =>
          val outcome = run.commit()
          ended = ended :+ (run -> outcome)
        }
        val process = new Held(storage, number)({
          other = begun(new Run(kind, new ProcessView(storage), time, 2, theirs))
          other.foreach(_.write())
          if (ends) end()
        })
        process.counting(begun(new Run(kind, process.view, time, 1, ours))).foreach { held =>
          if (other.isEmpty) held.write()
          val outcome = process.counting(held.commit())
          ended = ended :+ (held -> outcome)
        }
        if (!ends) end()
        outcomes ++= ended.collect { case (run, outcome) if other.forall(_ ne run) => outcome }
        check(storage, kind, time, ended, s"held at call $number of it, $ended")
        process.wasHeld
      }
      assert(number > 20, s"$number calls")
      assert(Set("committed", "conflict").subsetOf(outcomes), outcomes)
    }
  }

  for (version <- Seq(6, 9))
    test(s"version $version: a clustering that is held at any call while its plan is withdrawn does not hide rows") {
      var outcomes = Set.empty[String]
      val number = heldAtEach { number =>
        val (storage, time) = planned("clustering", version)
        val process = new Held(storage, number)(
          try PendingClusterings.withdraw(open(new ProcessView(storage)), time, theirs)
          catch { case _: CommitConflict | _: InvalidInput => }) // it has completed
        begun(new Run("clustering", process.view, time, 1, ours)).foreach { held =>
          held.write()
          val outcome = process.counting(held.commit())
          outcomes += outcome
          val clue = s"held at call $number: $outcome"
          val complete = open(storage).timeline.write(time).map(open(storage).store.readCommit(_).allPaths)
          assertEquals(complete.isDefined, outcome == "committed", clue)
          complete.foreach(_.foreach(file => assert(storage.exists(s"$path/$file"), s"$clue: $file")))
        }
        process.wasHeld
      }
      assert(number > 10, s"$number calls")
      assert(Set("committed", "conflict").subsetOf(outcomes), outcomes)
    }

  for (version <- Seq(6, 9); kind <- Seq("compaction", "clustering");
    (who, by) <- Seq("another" -> theirs, "its" -> ours))
    test(s"version $version: a $kind that fails while $who process runs the plan again leaves that run alone") {
      val (storage, time) = planned(kind, version)
      val failing = new Run(kind, new ProcessView(storage), time, 1, ours)
      failing.write()
      expire()
      // It takes the run back to its plan.
      Transaction.prepared(open(new ProcessView(storage)), theirs)(_ => ())
      val other = new Run(kind, new ProcessView(storage), time, 2, by)
      other.write()
      val before = storage.paths
      failing.running.rollback(failing.stats)
      assertEquals((storage.paths, failing.running.isRolledBack), (before, true))
      Transaction.prepared(open(new ProcessView(storage)), by)(_ => ())
      check(storage, kind, time, Seq(other -> other.commit()), "")
    }
}

package io.hudilite.service.doctor

import io.hudilite.TestTables
import io.hudilite.config.TableType
import io.hudilite.service.TextServices
import io.hudilite.storage.{FaultyStorage, MemoryStorage, Storage}
import io.hudilite.table.Table
import io.hudilite.timeline.{Action, CleanPlan, State, WriteFolders}
import io.hudilite.timeline.plan.{ClusteringInput, ClusteringPlan}
import io.hudilite.transaction.{Processes, TextWrites, TransactionOptions}
import io.hudilite.transaction.rollback.{ForeignWrites, Heartbeat}

import munit.FunSuite

/** A table with many faults, whose doctor fails, or is killed, at each of its storage calls; and the next one. */
class DoctorFaultSuite extends FunSuite {

  override def munitTimeout: scala.concurrent.duration.Duration = scala.concurrent.duration.Duration(5, "min")

  private val path = "/t"
  private val start = 1767225600000L
  private var now = start
  private val gone = Processes.gone()

  private def table(storage: Storage): Table = Table.open(storage, path)

  private def doctor(storage: Storage, options: TransactionOptions = TransactionOptions()): Doctor =
    new Doctor(storage, path, options, TextServices.deleting)

  private def next(storage: Storage): String = table(storage).store.newInstantTime(table(storage).timeline.lastTime.get)

  /** A clustering that another program began, with a file that it wrote; and with its heartbeat, when it had any. */
  private def foreignClustering(storage: MemoryStorage, beats: Boolean): String = {
    val before = table(storage)
    val time = next(storage)
    val inputs = before.slices(Seq("q"))("q").map(s => ClusteringInput("q", s.fileId, s.base.map(_.name), Nil))
    before.store.requestClustering(time, ClusteringPlan(Seq(inputs), ""))
    before.store.toInflight(time, if (before.config.layout == 1) Action.ReplaceCommit else Action.Clustering)
    TestTables.writeFile(before, time, "q", "c-0")
    if (beats) storage.replace(s"${WriteFolders.heartbeats(path)}/$time", Array.emptyByteArray)
    time
  }

  private def later(): Unit = now += 2 * Heartbeat.ExpiryMs

  private def healthy(version: Int): MemoryStorage = {
    now = start
    val storage = new MemoryStorage(() => now)
    TextWrites.table(storage, path, version, TableType.CopyOnWrite)
    TextWrites.rewrite.run(table(storage))
    TestTables.write(table(storage), "q" -> "q-0", "q" -> "r-0")
    storage
  }

  private def damaged(version: Int): MemoryStorage = {
    val storage = healthy(version)
    foreignClustering(storage, beats = true)
    val old = storage.paths.filter(p => p.startsWith(s"$path/p/") && p.endsWith(".parquet")).min.stripPrefix(s"$path/")
    val (store, clean) = (table(storage).store, next(storage))
    store.requestClean(clean, CleanPlan("KEEP_LATEST_COMMITS", None, "", Map("p" -> Seq(old))))
    store.toInflight(clean, Action.Clean)
    val undone = TextWrites.insert("h-0").begin(table(storage))
    undone.rollback()
    TestTables.writeFile(table(storage), undone.instant, "p", "h-0")
    store.toInflight(table(storage).timeline.writes.last.time, Action.Savepoint)
    val dead = TextWrites.rewrite.begin(table(storage), TransactionOptions(process = gone))
    TextWrites.rewrite.stage(table(storage), dead.instant)
    storage
  }

  /** A copy of the table whose files are all old, of one age. */
  private def aged(storage: MemoryStorage): MemoryStorage = {
    now = start
    val copy = new MemoryStorage(() => now)
    storage.paths.foreach(p => copy.createNew(p, storage.read(p).get))
    later()
    copy
  }

  for (version <- Seq(6, 9)) {
    test(s"version $version: a mend that fails or is killed at any call loses nothing, and the next one ends it") {
      val visible = TestTables.visible(table(healthy(version)))
      val origin = damaged(version)
      val counting = new FaultyStorage(aged(origin), _ => false, () => new IllegalStateException, afterEffect = false)
      val found = doctor(counting).run(fix = true)
      assertEquals(found.map(_.kind.name).distinct.sorted,
        Seq("DEAD_WRITER", "LEFT_TRACES", "STRAY_FILES", "UNFINISHED_ACTION"))
      assert(found.forall(_.isMended), found.toString)
      val shown = visible.map(_.takeWhile(_ != '@'))
      for (number <- 1 to counting.calls) {
        // The other half in the other version.
        val after = (number + version / 9) % 2 == 0
        val (name, failure) = FaultyStorage.Failures(number % FaultyStorage.Failures.size)
        val lasting = number / FaultyStorage.Failures.size % 2 == 0
        val hint = s"$name at call $number, after its effect: $after, and all later ones: $lasting"
        val storage = aged(origin)
        val fails = (n: Int) => if (lasting) n >= number else n == number
        try doctor(new FaultyStorage(storage, fails, failure, after)).run(fix = true)
        catch { case _: Throwable => }
        finally { Thread.interrupted(); () }
        assertEquals(TestTables.visible(table(storage)).map(_.takeWhile(_ != '@')), shown, hint)
        later()
        doctor(storage).run(fix = true)
        assertEquals(doctor(storage).run(fix = false), Nil, hint)
        assertEquals(TestTables.visible(table(storage)).map(_.takeWhile(_ != '@')), shown, hint)
        assertEquals(table(storage).timeline.pending.map(_.state), Seq(State.Requested: State), hint)
      }
    }

    test(s"version $version: a clustering that another program runs is told, and becomes a plan when it is dead") {
      val storage = healthy(version)
      val time = foreignClustering(storage, beats = false)
      assertEquals(doctor(storage).run(fix = true), Nil, "it may have just begun")
      later()
      val unknown = doctor(storage).run(fix = true)
      assertEquals(unknown.map(f => (f.kind.name, f.subject, f.isMended)), Seq(("UNKNOWN_WRITER", time, false)))
      assert(unknown.head.what.contains("updates of its file groups are refused"), unknown.head.what)
      val eager = doctor(storage, TransactionOptions(foreignWrites = ForeignWrites.All))
      assertEquals(eager.run(fix = true).map(f => (f.kind.name, f.isMended)), Seq(("DEAD_WRITER", true)))
      assertEquals(table(storage).timeline.pending.map(i => (i.time, i.state)), Seq((time, State.Requested: State)))
      assertEquals(storage.paths.filter(_.contains("c-0")), Nil)
      assertEquals(table(storage).pendingClusterings.size, 2)
    }
  }
}

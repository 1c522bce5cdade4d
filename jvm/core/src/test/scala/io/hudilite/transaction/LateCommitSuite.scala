package io.hudilite.transaction

import io.hudilite.TestTables
import io.hudilite.config.TableType
import io.hudilite.error.{CommitConflict, CommitStateUnknown, HudiliteException}
import io.hudilite.service.{Services, TextServices}
import io.hudilite.service.compact.{CompactionKind, CompactionScheduler, PendingCompactions}
import io.hudilite.service.doctor.{Doctor, FindingKind}
import io.hudilite.service.undo.Rollbacks
import io.hudilite.storage.{CountingStorage, MemoryStorage, Storage}
import io.hudilite.table.{IncrementalRange, Table}
import io.hudilite.timeline.{Action, Instant, InstantStates}
import io.hudilite.transaction.rollback.Heartbeat

import java.util.concurrent.CountDownLatch

import munit.FunSuite

/** Writers that are held for so long that others take them for dead, no lock being between them, and that go on. */
class LateCommitSuite extends FunSuite {

  private val path = "/t"
  private var now = 1767225600000L
  private val hosts = Seq("a", "b").map(TwoProcesses.options)

  private def open(storage: Storage): Table = Table.open(storage, path)

  private def expire(): Unit = now += 2 * Heartbeat.ExpiryMs

  private def memory(version: Int, tableType: TableType = TableType.CopyOnWrite): MemoryStorage = {
    val storage = new MemoryStorage(() => now)
    TextWrites.table(storage, path, version, tableType)
    storage
  }

  private def groups(storage: Storage): Seq[String] =
    TestTables.visible(open(storage)).map(_.takeWhile(_ != '@').drop(2))

  private def completes(instant: String)(call: String): Boolean = !call.startsWith("list") &&
    call.contains(s"/$instant") && Action.Writes.exists(a => call.endsWith(s".$a"))

  private def doctor(storage: Storage, fix: Boolean): Seq[FindingKind] =
    new Doctor(storage, path, TransactionOptions(), TextServices.deleting).run(fix).map(_.kind)

  /** A write that is held before its completing file, while another process rolls it back and writes.
    *
    * @param after
    *   called when its completing file is there
    */
  private def late(storage: MemoryStorage, after: () => Unit = () => ()): (Transaction, () => Unit) = {
    var instant = ""
    val process = new ProcessView(storage,
      call =>
        if (call.startsWith("create") && completes(instant)(call)) {
          expire()
          TextWrites.insert("b-0").run(open(new ProcessView(storage)), hosts(1))
        },
      call => if (call.startsWith("create") && completes(instant)(call)) after())
    val table = open(process)
    val write = TextWrites.insert("a-0").begin(table, hosts.head)
    instant = write.instant
    (write, () => TextWrites.insert("a-0").commit(table, write))
  }

  for (version <- Seq(6, 9)) {

    test(
      s"version $version: a writer that was rolled back before it completed is told so, and its write counts for nobody") {
      val storage = memory(version)
      val (write, commit) = late(storage)
      assertEquals(intercept[CommitConflict](commit()).condition, "COMMIT_CONFLICT")
      val seen = open(storage)
      assertEquals(seen.timeline.late.map(_.time), Seq(write.instant))
      assert(!seen.timeline.contains(write.instant) && !seen.timeline.isCommitted(write.instant))
      assertEquals(groups(storage), Seq("b-0", "g-0"))
      assert(!seen.incremental(IncrementalRange("0")).instants(write.instant))
      write.rollback()
      assert(write.isRolledBack)
      assertEquals(open(storage).timeline.late, Nil)
      assertEquals(storage.paths.filter(_.contains(write.instant)).filterNot(_.contains("rollback")), Nil)
      assertEquals(doctor(storage, fix = false), Nil)
    }

    test(s"version $version: what a late writer left that died then goes with the next write, or by the doctor") {
      for (mends <- Seq(true, false)) {
        val storage = memory(version)
        var dead = false
        val (write, commit) = late(storage, () => { dead = true; throw new OutOfMemoryError("killed") })
        intercept[HudiliteException with Throwable](commit())
        assert(dead)
        assertEquals(open(storage).timeline.late.map(_.time), Seq(write.instant))
        assertEquals(groups(storage), Seq("b-0", "g-0"))
        expire()
        if (mends) {
          assertEquals(doctor(storage, fix = false), Seq[FindingKind](FindingKind.LateCommit))
          doctor(storage, fix = true)
        } else TextWrites.rewrite.run(open(storage), hosts(1))
        assertEquals(open(storage).timeline.late, Nil)
        assertEquals(storage.paths.filter(_.contains(write.instant)).filterNot(_.contains("rollback")), Nil)
        assertEquals(doctor(storage, fix = false), Nil)
      }
    }

    test(
      s"version $version: a write that completes while it is being rolled back is of unknown state, and stays as it ends") {
      val storage = memory(version)
      val (held, released) = (new CountDownLatch(1), new CountDownLatch(1))
      val table = open(new ProcessView(storage,
          call =>
            if (call.startsWith("create") && call.endsWith("commit")) {
              held.countDown()
              released.await()
            }))
      val write = TextWrites.insert("a-0").begin(table, hosts.head)
      var told: Option[HudiliteException] = None
      val writer = new Thread(() =>
        told = Some(intercept[CommitStateUnknown](TextWrites.insert("a-0").commit(table, write))))
      writer.start()
      held.await()
      expire()
      // The writer goes on when the rollback has found it pending and is about to take its first file.
      val other = new ProcessView(storage,
        call =>
          if (told.isEmpty && call.startsWith("delete") && call.endsWith(".parquet")) {
            released.countDown()
            writer.join()
          })
      TextWrites.insert("b-0").run(open(other), hosts(1))
      assertEquals(told.map(_.condition), Some("COMMIT_STATE_UNKNOWN"))
      assert(!write.isRolledBack)
      assertEquals(groups(storage), Seq("b-0", "g-0"))
    }

    test(
      s"version $version: whoever is held at any call and taken for dead is not told that it committed what nobody sees") {
      for (held <- Seq("writer", "other")) {
        var number = 0
        var outcomes = Set.empty[String]
        var done = false
        while (!done) {
          number += 1
          val storage = memory(version)
          var calls = 0
          var holds = false
          var meanwhile: () => Unit = () => ()
          def hold(call: String): Unit = if (holds) {
            calls += 1
            if (calls == number) { holds = false; meanwhile() }
          }
          val ours = open(new ProcessView(storage, call => if (held == "writer") hold(call)))
          val write = TextWrites.insert("a-0").begin(ours, hosts.head)
          def other(): Unit = {
            expire()
            try TextWrites.insert("b-0").run(
                open(new ProcessView(storage, call => if (held == "other") hold(call))), hosts(1))
            catch { case _: CommitConflict => () }
          }
          var outcome = ""
          def commit(): Unit = outcome =
            try { TextWrites.insert("a-0").commit(ours, write); "committed" }
            catch {
              case _: CommitConflict => write.rollback(); "conflict"
              case _: CommitStateUnknown => "unknown"
            }
          meanwhile = if (held == "writer") () => other() else () => commit()
          holds = true
          if (held == "writer") commit() else other()
          done = calls < number
          if (!done) {
            val seen = groups(storage)
            if (outcome == "committed") assert(seen.contains("a-0"), s"$held held at call $number: $seen")
            if (outcome == "conflict") assert(!seen.contains("a-0"), s"$held held at call $number: $seen")
            outcomes += outcome
            expire()
            TextWrites.rewrite.run(open(storage), hosts(1))
            assertEquals(groups(storage), seen, s"$held held at call $number")
            assertEquals(open(storage).timeline.late, Nil)
          }
        }
        assert(number > 10, s"$number calls")
        assert(outcomes.contains("conflict") && outcomes.size > 1, outcomes)
      }
    }

    test(s"version $version: a compaction that was taken back before it completed is a plan again, which is run") {
      val storage = memory(version, TableType.MergeOnRead)
      TextWrites.append.run(open(storage))
      val planned = CompactionScheduler.schedule(open(storage),
        Services.of("hoodie.compact.inline.max.delta.commits" -> "1").compaction).get.instant.get
      val process = new ProcessView(storage,
        call =>
          if (call.startsWith("create") && completes(planned)(call)) {
            expire()
            TextWrites.insert("b-0").run(open(new ProcessView(storage)), hosts(1))
          })
      val table = open(process)
      val running = Transaction.resume(table, PendingCompactions.named(table, planned), CompactionKind.Base.operation,
        hosts.head)
      val stat = TestTables.writeFile(table, planned, "p", "g-0", Some(table.timeline.writes.head.time))
      intercept[CommitConflict](running.commit(Seq(stat)))
      running.rollback()
      assertEquals(open(storage).timeline.pendingCompactions.map(_.time), Seq(planned))
      assertEquals(groups(storage), Seq("b-0", "g-0"))
      TextServices.compact(open(storage))
      assertEquals(open(storage).timeline.pendingCompactions, Nil)
      assert(open(storage).timeline.isCompleted(planned))
      assertEquals(doctor(storage, fix = false), Nil)
    }

    test(
      s"version $version: what was taken back and put into the timeline again does not count, but for what is run again") {
      val storage = memory(version, TableType.MergeOnRead)
      val write = TextWrites.insert("a-0").begin(open(storage))
      TextWrites.insert("a-0").commit(open(storage), write)
      val files = storage.paths.filter(_.contains(write.instant)).map(p => p -> storage.read(p).get)
      Rollbacks.run(open(storage), None)
      files.foreach { case (file, content) => storage.replace(file, content) }
      assertEquals(open(storage).timeline.late.map(_.time), Seq(write.instant))
      assertEquals(groups(storage), Seq("g-0"))
      TextWrites.append.run(open(storage))
      TextServices.compact(open(storage))
      val compaction: Instant = open(storage).timeline.writes.last
      Rollbacks.run(open(storage), Some(compaction.time))
      TextServices.compact(open(storage))
      assert(open(storage).timeline.isCompleted(compaction.time))
      assertEquals(open(storage).timeline.late, Nil)
      assertEquals(doctor(storage, fix = false), Nil)
      // An archiving that is cut off leaves some of its files.
      val (seen, folder) = (groups(storage), open(storage).store.folder)
      var looks = 0
      val archiving = new ProcessView(storage,
        after = call =>
          if (call.startsWith("delete") && !completes(compaction.time)(call)) {
            looks += 1
            assertEquals((open(storage).timeline.late, groups(storage)), (Nil, seen), call)
          })
      InstantStates.delete(archiving,
        InstantStates.of(storage, folder, open(storage).timeline.writes.filter(_.time == compaction.time)))
      assertEquals(looks, 2)
    }

    test(s"version $version: an archive that holds a late write and its rollback does not count the write") {
      val storage = memory(version, TableType.MergeOnRead)
      TextWrites.append.run(open(storage))
      TextServices.compact(open(storage))
      val compaction = open(storage).timeline.writes.last.time
      Rollbacks.run(open(storage), Some(compaction))
      TextServices.compact(open(storage))
      val write = TextWrites.insert("a-0").begin(open(storage))
      TextWrites.insert("a-0").commit(open(storage), write)
      val file = storage.paths.find(completes(write.instant)).get
      val content = storage.read(file).get
      Rollbacks.run(open(storage), None)
      storage.replace(file, content)
      val now = open(storage)
      val gone = now.timeline.instants.filter(_.isCompleted) ++ now.timeline.late
      // Another program archives all there is.
      val states = InstantStates.of(storage, now.store.folder, gone)
      now.store.archive.append(states)
      // A process reads each of its files once, and none again until there is another one.
      val asked = new CountingStorage(new ProcessView(storage))
      val store = open(asked).store
      def reads(): Seq[String] = asked.during(store.archivedCompleted())._2.paths("get")
        .filter(p => p.endsWith(".parquet") || p.contains(".archive."))
      assertEquals((reads().size, reads()), (1, Nil))
      now.store.archive.append(states.takeRight(1))
      val again = reads()
      assertEquals((again.size, again.distinct, reads()), (2, again, Nil))
      InstantStates.delete(storage, states)
      for (archived <- Seq(now.store, store).map(_.archivedCompleted().map(_.time))) {
        assert(archived.contains(compaction) && !archived.contains(write.instant), archived)
        assertEquals(archived.toSet, gone.map(_.time).toSet - write.instant)
      }
    }
  }
}

package io.hudilite.service.undo

import io.hudilite.TestTables
import io.hudilite.config.TableProperties
import io.hudilite.error.{CommitConflict, InvalidInput}
import io.hudilite.filegroup.FileSlice
import io.hudilite.service.{Services, StoredTables, TextServices}
import io.hudilite.service.clean.CleanScheduler
import io.hudilite.service.compact.CompactionScheduler
import io.hudilite.storage.{GoldenTables, MemoryStorage, Storage}
import io.hudilite.table.Table
import io.hudilite.timeline._
import io.hudilite.timeline.plan.{
  ClusteringInput,
  ClusteringPlan,
  CompactionOperation,
  CompactionPlan,
  InstantName,
  RestorePlan,
  RollbackPlan
}
import io.hudilite.transaction.{TextWrites, Transaction, TransactionOptions}
import io.hudilite.transaction.rollback.{ForeignWrites, Heartbeat, Rollback}

import java.util.concurrent.CancellationException

/** Restores that meet what others have begun or that are stopped, and rollbacks that were cut off. */
class InterruptedUndoSuite extends StoredTables {

  private def versions(name: String)(body: (Int, MemoryStorage) => Unit): Unit = versions(6, 8, 9)(name)(body)

  private def data(storage: MemoryStorage): Seq[String] = storage.paths.filter(_.endsWith(".parquet"))

  private def state(storage: Storage): Seq[String] =
    table(storage).allSlices().values.flatten.map(_.toString).toSeq.sorted

  private def group(storage: Storage): FileSlice = table(storage).slices(Seq("p"))("p").head

  private def instant(storage: Storage): String =
    table(storage).store.newInstantTime(table(storage).timeline.lastTime.getOrElse(""))

  /** An action of this name that another program has begun, with a file that it wrote. */
  private def foreign(storage: MemoryStorage, action: String): String = {
    val (time, store, slice) = (instant(storage), table(storage).store, group(storage))
    if (action == Action.Compaction)
      store.requestCompaction(time,
        CompactionPlan(Seq(CompactionOperation("p", slice.fileId, slice.instant,
              slice.base.map(_.name), Nil))))
    else
      store.requestClustering(time,
        ClusteringPlan(Seq(Seq(ClusteringInput("p", slice.fileId, slice.base.map(_.name), Nil)))))
    val isReplace = action == Action.Clustering && store.config.layout == 1
    store.toInflight(time, if (isReplace) Action.ReplaceCommit else action)
    TestTables.writeFile(table(storage), time, "p", if (action == Action.Compaction) slice.fileId else "c-0")
    storage.paths.filter(_.contains(s"/.temp/$time")).foreach(storage.delete)
    time
  }

  private def restored(storage: Storage, to: String, policy: ForeignWrites.Policy): Seq[String] =
    Restores.run(table(storage), to, TransactionOptions(foreignWrites = policy)).writes.map(_.time)

  for (action <- Seq(Action.Compaction, Action.Clustering)) {
    versions(s"a restore leaves nothing of a $action that a program which is dead had begun") { (_, storage) =>
      val (to, before, files) = (table(storage).timeline.writes.last.time, state(storage), data(storage))
      for (policy <- Seq[ForeignWrites.Policy](ForeignWrites.Expired, ForeignWrites.All)) {
        TextWrites.insert("h-0").run(table(storage))
        val theirs = foreign(storage, action)
        def refused(body: => Any): Unit = {
          val e = intercept[InvalidInput](body)
          assertEquals(e.condition, "RESTORE_NOT_POSSIBLE")
          assert(e.getMessage.contains(theirs) && e.getMessage.contains("under way"), e.getMessage)
          assert(data(storage).exists(_.contains(theirs)))
          assertEquals(
            table(storage).timeline.pending.map(i => (i.time, i.state: State)), Seq((theirs, State.Inflight: State)))
        }
        refused(Restores.preview(table(storage), to))
        refused(restored(storage, to, ForeignWrites.Expired)) // nothing tells whether it is alive
        // All need no sign that it is dead, but heed one that it is alive.
        storage.replace(s"${WriteFolders.heartbeats(path)}/$theirs", Array.emptyByteArray)
        refused(restored(storage, to, policy))
        if (policy == ForeignWrites.All) storage.delete(s"${WriteFolders.heartbeats(path)}/$theirs")
        else now += 2 * Heartbeat.ExpiryMs
        refused(restored(storage, to, ForeignWrites.Keep))
        restored(storage, to, policy)
        assertEquals((state(storage), data(storage)), (before, files))
        assertEquals(table(storage).timeline.pending, Nil: Seq[Instant])
      }
      TextWrites.rewrite.run(table(storage))
      TextServices.clean(table(storage))
    }

    versions(s"a restore that another program had begun is ended with the files of its $action, too") { (_, storage) =>
      val (to, before, files) = (table(storage).timeline.writes.last.time, state(storage), data(storage))
      TextWrites.insert("h-0").run(table(storage))
      val theirs = foreign(storage, action)
      val targets = Restores.later(table(storage), to).map(i => InstantName(i.time, i.action))
      assertEquals(targets.map(_.time).head, theirs)
      val restore = instant(storage)
      table(storage).store.requestRestore(restore, RestorePlan(targets, to))
      assertEquals(Restores.run(table(storage), to).instant, restore)
      assertEquals((state(storage), data(storage)), (before, files))
      assertEquals(table(storage).timeline.pending, Nil: Seq[Instant])
    }
  }

  versions("a restore does not take the plan from a compaction that is at work") { (_, storage) =>
    val to = table(storage).timeline.writes.last.time
    TextWrites.append.run(table(storage))
    CompactionScheduler.schedule(table(storage), Services.of().compaction)
    val running = Transaction.resume(table(storage), table(storage).timeline.pendingCompactions.head, "COMPACT")
    for (policy <- Seq[ForeignWrites.Policy](ForeignWrites.Expired, ForeignWrites.All))
      assert(intercept[InvalidInput](restored(storage, to, policy)).getMessage.contains(running.instant))
    val slice = group(storage)
    running.commit(Seq(TestTables.writeFile(table(storage), running.instant, "p", slice.fileId, Some(slice.instant))))
    assert(restored(storage, to, ForeignWrites.Expired).contains(running.instant))
  }

  versions("a restore that is stopped ends before the next write, and is ended by the next one") { (_, storage) =>
    val (to, before) = (table(storage).timeline.writes.last.time, state(storage))
    TextWrites.rewrite.run(table(storage))
    TextWrites.append.run(table(storage))
    TextWrites.insert("h-0").run(table(storage))
    val (written, paths) = (state(storage), storage.paths)
    intercept[CancellationException](Restores.run(table(storage), to, isStopped = () => true))
    assertEquals((state(storage), storage.paths), (written, paths))
    for (left <- Seq(3, 2, 1)) {
      var asked = 0 // the first time whether to begin at all
      val e = intercept[CommitConflict](
        Restores.run(table(storage), to, isStopped = () => { asked += 1; asked == 2 }))
      assertEquals(e.condition, "RESTORE_PENDING")
      assert(e.getMessage.contains(to), e.getMessage)
      assertEquals(table(storage).timeline.writes.count(_.time > to), left)
      assertEquals(intercept[CommitConflict](TextWrites.append.run(table(storage))).condition, "RESTORE_PENDING")
    }
    assertEquals(Restores.run(table(storage), to).writes.size, 3)
    assertEquals(state(storage), before)
    assertEquals(table(storage).timeline.pending, Nil: Seq[Instant])
    TextWrites.rewrite.run(table(storage))
  }

  for ((name, undo) <- Seq[(String, Table => Any)](
      "rollback" -> (Rollbacks.run(_, None)),
      "restore" -> (table => Restores.run(table, table.timeline.writes.init.last.time))))
    versions(
      s"a $name takes the plan of a cleaning away whose files come to life, and does not meet one that is begun") {
      (_, storage) =>
        val one = Services.of("hoodie.clean.fileversions.retained" -> "1").cleaning
        TextWrites.rewrite.run(table(storage))
        val before = state(storage)
        TextWrites.rewrite.run(table(storage))
        val planned = CleanScheduler.schedule(table(storage), one).get._1
        table(storage).store.toInflight(planned.time, Action.Clean)
        val e = intercept[InvalidInput](undo(table(storage)))
        assert(e.getMessage.contains(s"the cleaning ${planned.time} has begun to delete files"), e.getMessage)
        table(storage).store.withdraw(planned.time, Action.Clean, State.Inflight)
        undo(table(storage))
        assertEquals((state(storage), table(storage).timeline.pending), (before, Nil: Seq[Instant]))
        // A plan for what stays old may wait.
        val old = CleanScheduler.schedule(table(storage), one).get._1
        TextWrites.rewrite.run(table(storage))
        undo(table(storage))
        assertEquals((state(storage), table(storage).timeline.pending.map(_.time)), (before, Seq(old.time)))
    }

  for (version <- Seq(6, 9))
    test(s"version $version: the archive is asked once for the write of a rollback that took nothing, and not again") {
      val (golden, base, storage) =
        (GoldenTables.storage, GoldenTables.basePath(s"archived-v$version"), new MemoryStorage())
      golden.paths.filter(_.startsWith(s"$base/")).foreach(p => storage.replace(p, golden.read(p).get))
      def opened: Table = Table.load(storage, base, TableProperties.read(storage, base))
      val archived = opened.store.archivedCompleted().filter(i => Action.Writes(i.action)).last
      val newest = Rollbacks.preview(opened, None)
      val time = opened.store.newInstantTime(opened.timeline.lastTime.get)
      opened.store.requestRollback(time, RollbackPlan(InstantName(archived.time, archived.action), Nil))
      assertEquals(Rollbacks.preview(opened, None), newest, "that write stays")
      Rollback.endAll(opened.store)
      assert(!opened.timeline.contains(time))
      assert(opened.store.archivedCompleted().contains(archived))
      val store = opened.store
      val reads = storage.reads
      Rollback.endAll(store)
      assertEquals(storage.reads, reads)
    }
}

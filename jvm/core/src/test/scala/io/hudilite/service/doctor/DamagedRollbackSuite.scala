package io.hudilite.service.doctor

import io.hudilite.TestTables
import io.hudilite.error.CorruptTable
import io.hudilite.service.{StoredTables, TextServices}
import io.hudilite.storage.{FaultyStorage, MemoryStorage, Storage}
import io.hudilite.timeline._
import io.hudilite.timeline.plan.{InstantName, RollbackPlan}
import io.hudilite.transaction.{Processes, TextWrite, TextWrites, Transaction, TransactionOptions}
import io.hudilite.transaction.rollback.{ForeignWrites, Heartbeat}

/** Rollbacks whose plans a crash of the store has damaged: what they were to take back is taken back all the same. */
class DamagedRollbackSuite extends StoredTables {

  override def munitTimeout: scala.concurrent.duration.Duration = scala.concurrent.duration.Duration(5, "min")

  // A process of this machine that is not there any more.
  private val gone = Processes.gone()

  private val damages = Seq[(String, (Storage, String) => Any)](
    "empty" -> ((storage, plan) => storage.replace(plan, Array.emptyByteArray)),
    "cut off" -> ((storage, plan) => storage.replace(plan, storage.read(plan).get.dropRight(20))),
    "no plan at all" -> ((storage, plan) => storage.replace(plan, "no Avro".getBytes)),
    "gone" -> ((storage, plan) => storage.delete(plan)))

  private def cut(storage: Storage, rollback: String): Unit = {
    damages(1)._2(storage, planOf(storage, rollback))
    ()
  }

  private def doctor(storage: Storage, policy: ForeignWrites.Policy = ForeignWrites.Expired): Doctor =
    new Doctor(storage, path, TransactionOptions(foreignWrites = policy), TextServices.deleting)

  private def later(): Unit = now += Heartbeat.ExpiryMs + 1000L

  private def data(storage: MemoryStorage): Seq[String] = storage.paths.filter(_.endsWith(".parquet"))

  private def planOf(storage: Storage, rollback: String): String =
    s"${table(storage).store.folder}/$rollback.rollback.requested"

  private def pending(storage: Storage): Seq[Instant] = table(storage).timeline.pending

  private def begun(storage: Storage): Seq[Instant] =
    pending(storage).filter(i => i.action == Action.Rollback && i.state == State.Inflight)

  private def copied(storage: MemoryStorage): MemoryStorage = {
    val copy = new MemoryStorage(() => now)
    storage.paths.foreach(p => copy.createNew(p, storage.read(p).get))
    copy
  }

  /** A table with a write whose process is gone. */
  private def withDeadWrite(storage: MemoryStorage, write: TextWrite): String = {
    val dead = write.begin(table(storage), TransactionOptions(process = gone))
    write.stage(table(storage), dead.instant)
    dead.instant
  }

  /** The tables that recoveries leave that are killed at one of their calls while a rollback is under way. */
  private def killedRollbacks(storage: MemoryStorage): Seq[MemoryStorage] = {
    def recover(faulty: FaultyStorage): Unit = Transaction.prepared(table(faulty), TransactionOptions())(_ => ())
    val counting = new FaultyStorage(copied(storage), _ => false, () => new IllegalStateException, afterEffect = false)
    recover(counting)
    (1 to counting.calls).flatMap { number =>
      val copy = copied(storage)
      try recover(new FaultyStorage(copy, _ >= number, () => new java.io.IOException("killed"), number % 2 == 0))
      catch { case _: Exception => }
      if (begun(copy).isEmpty) None else Some(copy)
    }
  }

  for ((kind, write) <- Seq("rewrite" -> TextWrites.rewrite, "append" -> TextWrites.append))
    versions(6, 8, 9)(s"the rollback of a dead $kind that was killed anywhere and lost its plan is done anew") {
      (_, storage) =>
        val (visible, files) = (TestTables.visible(table(storage)), data(storage))
        withDeadWrite(storage, write)
        val killed = killedRollbacks(storage)
        assert(killed.size > 2, killed.size)
        for ((left, number) <- killed.zipWithIndex; (name, damage) <- damages) {
          val (hint, found) = (s"at step $number, its plan $name", copied(left))
          val rollback = begun(found).head.time
          damage(found, planOf(found, rollback))
          assertEquals(doctor(found).run(fix = true).filter(_.subject == rollback).map(_.isMended).distinct.filter(
              identity), Nil, s"$hint: somebody may be at it")
          later()
          val before = found.paths
          val told = doctor(found).run(fix = false).filter(_.subject == rollback)
          assertEquals(told.map(_.mend.map(_.toString.takeWhile(_ != '('))), Seq(Some("DropFromTimeline")), hint)
          assertEquals(found.paths, before, hint)
          val mended = doctor(found).run(fix = true)
          assert(mended.nonEmpty && mended.forall(_.isMended), s"$hint: $mended")
          assertEquals(doctor(found).run(fix = false), Nil, hint)
          assertEquals((pending(found), data(found)), (Nil: Seq[Instant], files), hint)
          assertEquals(TestTables.visible(table(found)), visible, hint)
          TextWrites.rewrite.run(table(found))
        }
    }

  /** A rollback that was begun, by its time. */
  private def rollbackOf(storage: Storage, target: InstantName): String = {
    val store = table(storage).store
    val time = store.newInstantTime(table(storage).timeline.lastTime.get)
    store.requestRollback(time, RollbackPlan(target, Nil))
    store.toInflight(time, Action.Rollback)
    time
  }

  versions(6, 8, 9)("a write that may be alive does not complete behind a rollback that may be its own") {
    (_, storage) =>
      val (visible, files) = (TestTables.visible(table(storage)), data(storage))
      val write = TextWrites.insert("h-0")
      val alive = write.begin(table(storage))
      val stats = write.stage(table(storage), alive.instant)
      val rollback = rollbackOf(storage, InstantName(alive.instant, alive.action))
      cut(storage, rollback)
      later()
      val before = storage.paths
      val found = doctor(storage).run(fix = true)
      assertEquals(found.map(f => (f.kind.name, f.subject, f.isMended)), Seq(("DAMAGED_INSTANT", rollback, false)))
      assert(found.head.what.endsWith(s"what is pending: ${alive.instant}."), found.head.what)
      assertEquals(storage.paths, before)
      val e = intercept[CorruptTable](alive.commit(stats)).getMessage
      assert(e.contains("run the doctor") && !e.contains("\n"), e)
      intercept[CorruptTable](alive.rollback())
      later()
      val mended = doctor(storage).run(fix = true)
      assert(mended.size == 2 && mended.forall(_.isMended), mended.toString)
      assertEquals((pending(storage), data(storage)), (Nil: Seq[Instant], files))
      assertEquals(TestTables.visible(table(storage)), visible)
  }

  versions(6, 8, 9)("a completed write stays whose rollback had taken nothing when its plan was damaged") {
    (_, storage) =>
      val (visible, files) = (TestTables.visible(table(storage)), data(storage))
      val newest = table(storage).timeline.writes.last
      for (isBegun <- Seq(true, false)) {
        val rollback = rollbackOf(storage, InstantName(newest.time, newest.action))
        if (!isBegun) table(storage).store.withdraw(rollback, Action.Rollback, State.Inflight)
        cut(storage, rollback)
        assertEquals(doctor(storage).run(fix = true), Nil, "somebody may be at it")
        later()
        val mended = doctor(storage).run(fix = true)
        assertEquals(mended.map(f => (f.kind.name, f.subject, f.isMended)), Seq(("DAMAGED_INSTANT", rollback, true)))
        assertEquals((pending(storage), data(storage)), (Nil: Seq[Instant], files))
        assertEquals(TestTables.visible(table(storage)), visible)
      }
  }

  for ((kind, write) <- Seq("rewrite" -> TextWrites.rewrite, "append" -> TextWrites.append))
    versions(6, 8, 9)(s"a $kind that a rollback without plan has made pending goes when writers expect no other") {
      (version, storage) =>
        val visible = TestTables.visible(table(storage))
        write.run(table(storage))
        val newest = table(storage).timeline.writes.last
        val rollback = rollbackOf(storage, InstantName(newest.time, newest.action))
        table(storage).store.withdraw(newest.time, newest.action, State.Completed)
        cut(storage, rollback)
        later()
        val before = storage.paths
        val found = doctor(storage).run(fix = true)
        assertEquals(found.map(f => (f.kind.name, f.subject, f.isMended)).sorted,
          Seq(("DAMAGED_INSTANT", rollback, false), ("UNKNOWN_WRITER", newest.time, false)))
        assert(found.forall(_.advice.contains("hoodie.clean.failed.writes.policy=EAGER")), found.toString)
        assertEquals(storage.paths, before)
        val eager = doctor(storage, ForeignWrites.All).run(fix = true)
        // In version 6 nothing but the plan, or the markers of a write, tells in which log files its blocks are.
        val isLost = version == 6 && write == TextWrites.append
        assertEquals(eager.map(_.isMended), Seq(!isLost, !isLost), eager.toString)
        assertEquals(TestTables.visible(table(storage)), visible)
        if (!isLost) {
          assertEquals((pending(storage), storage.paths.filter(_.contains(newest.time))), (Nil: Seq[Instant], Nil))
          assertEquals(doctor(storage).run(fix = false), Nil)
          TextWrites.rewrite.run(table(storage))
        }
    }

  versions(6, 9)("a mend of a rollback without plan that fails anywhere is ended by the next one") { (_, storage) =>
    val (visible, files) = (TestTables.visible(table(storage)), data(storage))
    val dead = withDeadWrite(storage, TextWrites.rewrite)
    cut(storage, rollbackOf(storage, InstantName(dead, Action.Commit)))
    later()
    def aged(storage: MemoryStorage): MemoryStorage = {
      val copy = copied(storage)
      later()
      copy
    }
    val probe = new FaultyStorage(aged(storage), _ => false, () => new IllegalStateException, afterEffect = false)
    assert(doctor(probe).run(fix = true).forall(_.isMended))
    for (number <- 1 to probe.calls) {
      val (failed, after) = (aged(storage), number % 2 == 0)
      val (name, failure) = FaultyStorage.Failures(number % FaultyStorage.Failures.size)
      val hint = s"$name at call $number, after its effect: $after"
      try doctor(new FaultyStorage(failed, _ >= number, failure, after)).run(fix = true)
      catch { case _: Throwable => }
      finally { Thread.interrupted(); () }
      assertEquals(TestTables.visible(table(failed)), visible, hint)
      later()
      doctor(failed).run(fix = true)
      assertEquals(doctor(failed).run(fix = false), Nil, hint)
      assertEquals((pending(failed), data(failed)), (Nil: Seq[Instant], files), hint)
    }
  }
}

package io.hudilite.service

import io.hudilite.TestTables
import io.hudilite.config.service.ExpiryConf
import io.hudilite.error.{CommitConflict, InvalidInput}
import io.hudilite.service.archive.Archiver
import io.hudilite.service.clean.{CleanScheduler, Cleaning}
import io.hudilite.service.cluster.{ClusteringRequest, ClusteringScheduler, PendingClusterings}
import io.hudilite.service.compact.{CompactionKind, CompactionScheduler, PendingCompactions}
import io.hudilite.service.partition.{PartitionDrops, PartitionExpiry}
import io.hudilite.service.undo.{EndedWrites, Restores, Rollbacks, Savepoints}
import io.hudilite.storage.{CountingStorage, ForwardingStorage, MemoryStorage, Storage}
import io.hudilite.table.Table
import io.hudilite.timeline.{Action, WriteFolders}
import io.hudilite.transaction.{Processes, Transaction, TransactionOptions}
import io.hudilite.transaction.TextWrites.{append, insert, rewrite}
import io.hudilite.transaction.rollback.{ForeignWrites, Heartbeat}

import java.time.{Clock, Instant => Moment, ZoneId}

/** Services that only say what they would do, beside writes whose writers are dead. */
class DryRunSuite extends StoredTables {

  // A process of this machine that is not there any more.
  private val gone = TransactionOptions(process = Processes.gone())

  /** Answer of `ask`, which must neither write nor delete. */
  private def asked[T](storage: Storage)(ask: Table => T): T = {
    val atOneClock = new ForwardingStorage(storage) {
      override def clock: Clock = Clock.fixed(Moment.ofEpochMilli(now), ZoneId.of("UTC"))
    }
    val counting = new CountingStorage(atOneClock)
    val calls = new ForwardingStorage(counting) { override def clock: Clock = atOneClock.clock }
    try ask(table(calls))
    finally assertEquals(counting.calls.all.filterNot(c => Set("list", "get", "head")(c.kind)), Nil)
  }

  private def died(storage: Storage): String = {
    val transaction = insert("d-0").begin(table(storage), gone)
    insert("d-0").stage(table(storage), transaction.instant)
    transaction.instant
  }

  /** Of another program, which has beaten once. */
  private def foreign(storage: MemoryStorage): String = {
    val store = table(storage).store
    val time = store.newInstantTime(table(storage).timeline.lastTime.get)
    store.request(time, Action.Commit)
    store.toInflight(time, Action.Commit)
    storage.replace(s"${WriteFolders.heartbeats(path)}/$time", Array.emptyByteArray)
    time
  }

  versions(6, 8, 9)("a rollback names the dead writes that go before the newest write, and takes them then") {
    (_, storage) =>
      val newest = table(storage).timeline.writes.last.time
      val ours = died(storage)
      val theirs = foreign(storage)
      now += Heartbeat.ExpiryMs + 1000L
      for (instant <- Seq(None, Some(newest))) {
        val told = asked(storage)(Rollbacks.preview(_, instant))
        assertEquals((told.instant, told.write, told.files, told.deadWrites), ("", newest, 1, Seq(theirs, ours)))
      }
      assertEquals(table(storage).timeline.pendingWrites.map(_.time), Seq(ours, theirs))
      val done = Rollbacks.run(table(storage), None)
      assertEquals((done.write, done.deadWrites), (newest, Seq(theirs, ours)))
      assertEquals(table(storage).timeline.pending.map(_.time), Nil)
      val next = asked(storage)(Rollbacks.preview(_, None))
      assert(next.write < newest && next.deadWrites.isEmpty, next.toString)
  }

  versions(6, 8, 9)("a write that may be alive, or that is to be kept, keeps a dry run from a rollback, too") {
    (_, storage) =>
      foreign(storage)
      def refused(options: TransactionOptions = TransactionOptions()): Unit = {
        val e = intercept[InvalidInput](asked(storage)(Rollbacks.preview(_, None, options)))
        assertEquals(e.condition, "ROLLBACK_NOT_POSSIBLE")
        intercept[Exception](Rollbacks.run(table(storage), None, options))
        ()
      }
      refused()
      now += Heartbeat.ExpiryMs + 1000L
      refused(TransactionOptions(foreignWrites = ForeignWrites.Keep))
      assert(asked(storage)(Rollbacks.preview(_, None)).deadWrites.nonEmpty)
      val running = insert("r-0").begin(table(storage))
      refused()
      running.rollback()
  }

  versions(6, 8, 9)("a restore names what dead writers left, and the plans that go with the writes") { (_, storage) =>
    val to = table(storage).timeline.writes.last.time
    append.run(table(storage))
    val later = table(storage).timeline.writes.last.time
    CompactionScheduler.schedule(table(storage), Services.of().compaction)
    val plan = table(storage).timeline.pendingCompactions.head.time
    Transaction.resume(table(storage), table(storage).timeline.pendingCompactions.head, "COMPACT", gone)
    val dead = died(storage)
    val told = asked(storage)(Restores.preview(_, to))
    assertEquals((told.writes.map(_.time), told.deadWrites), (Seq(plan, later), Seq(dead, plan)))
    val done = Restores.run(table(storage), to)
    assertEquals((done.writes.map(_.time), done.deadWrites), (Seq(later), Seq(dead, plan)))
    assertEquals(table(storage).timeline.pending.map(_.time), Nil)
    val e = intercept[InvalidInput](asked(storage)(Restores.preview(_, to)))
    assert(e.getMessage.contains("no later write"), e.getMessage)
  }

  versions(6, 8, 9)("a restore that was begun is what a dry run tells, and no other") { (_, storage) =>
    val writes = table(storage).timeline.writes.map(_.time)
    rewrite.run(table(storage))
    val later = table(storage).timeline.writes.last.time
    var asks = 0 // at its beginning, and before each write
    intercept[CommitConflict](
      Restores.run(table(storage), writes.last, isStopped = () => { asks += 1; asks == 2 }))
    assertEquals(asked(storage)(Restores.preview(_, writes.last)).writes.map(_.time), Seq(later))
    val e = intercept[CommitConflict](asked(storage)(Restores.preview(_, writes.head)))
    assertEquals((e.condition, e.parameters("instant")), ("RESTORE_PENDING", writes.last))
  }

  versions(6, 8, 9)("a planned clustering whose run died can be taken back, one that runs cannot") { (_, storage) =>
    insert("h-0").run(table(storage))
    val plan = TextServices.planClustering(table(storage)).get
    def told(table: Table): Seq[String] = {
      val (now, dead) = EndedWrites.preview(table, TransactionOptions())
      PendingClusterings.withdrawable(now, plan)
      dead
    }
    assertEquals(asked(storage)(told), Nil)
    Transaction.resume(table(storage), PendingClusterings.named(table(storage), plan), "CLUSTER", gone)
    assertEquals(asked(storage)(told), Seq(plan))
    PendingClusterings.withdraw(table(storage), plan)
    val again = TextServices.planClustering(table(storage)).get
    val running = Transaction.resume(table(storage), PendingClusterings.named(table(storage), again), "CLUSTER")
    intercept[CommitConflict](asked(storage)(t => PendingClusterings.withdrawable(t, again)))
    running.rollback()
  }

  private val clustering = ClusteringRequest(Services.of().clustering)

  private val services: Seq[(String, Table => Any)] = Seq(
    "clean" ->
      (t =>
        (Cleaning.planned(t), CleanScheduler.preview(t, Services.of("hoodie.clean.commits.retained" -> "1").cleaning))),
    "compact" -> (t => CompactionScheduler.preview(PendingCompactions.withoutOutdated(t), Services.of().compaction)),
    "fold logs" ->
      (t =>
        CompactionScheduler.preview(PendingCompactions.withoutOutdated(t),
          Services.of("hoodie.log.compaction.blocks.threshold" -> "2").compaction, CompactionKind.Log)),
    "cluster" -> (t => (PendingClusterings.runnable(t), ClusteringScheduler.preview(t, clustering))),
    "archive" -> (t => new Archiver(t, Services.of().archiving.copy(minCommits = 1, maxCommits = 2)).preview()),
    "drop" -> (t => PartitionDrops.preview(t, Seq("q"))),
    "expire" -> (t => PartitionExpiry.preview(t, ExpiryConf(inline = false, -1, Some(Seq("q")), 1))),
    "savepoint" -> (t => Savepoints.preview(t, None, "me", "")),
    "delete savepoint" -> (t => Savepoints.find(t, t.timeline.savepoints.head)),
    "rollback" -> (t => Rollbacks.preview(t, None)),
    "restore" -> (t => Restores.preview(t, t.timeline.savepoints.head)))

  for ((name, preview) <- services)
    versions(6, 8, 9)(s"a dry run of $name writes and deletes nothing, whatever is pending") { (_, storage) =>
      Savepoints.create(table(storage), None, "me", "")
      TestTables.write(table(storage), "q" -> "q-0")
      append.run(table(storage))
      append.run(table(storage))
      val isAlone = Set("rollback", "drop", "expire")(name) // which a plan stands against
      if (!isAlone) TextServices.planClustering(table(storage))
      if (name != "rollback") {
        CleanScheduler.schedule(table(storage), Services.of("hoodie.clean.commits.retained" -> "1").cleaning)
        insert("h-0").run(table(storage))
      }
      died(storage)
      foreign(storage)
      now += Heartbeat.ExpiryMs + 1000L
      asked(storage)(preview)
    }
}

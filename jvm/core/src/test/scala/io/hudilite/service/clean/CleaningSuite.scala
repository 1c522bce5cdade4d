package io.hudilite.service.clean

import io.hudilite.TestTables
import io.hudilite.config.TableType
import io.hudilite.config.service.CleanConf
import io.hudilite.error.InvalidInput
import io.hudilite.service.{Services, TextServices}
import io.hudilite.storage.{Caches, CountingStorage, ForwardingStorage, MemoryStorage, Storage}
import io.hudilite.table.Table
import io.hudilite.timeline.{Action, CleanPlan, State}
import io.hudilite.timeline.plan.SavepointMetadata
import io.hudilite.transaction.{TextWrites, Transaction, TransactionOptions}

import java.util.concurrent.CancellationException

import munit.FunSuite

/** Cleanings of tables in memory whose data files hold text. */
class CleaningSuite extends FunSuite {

  private val path = "/t"
  private val two = Services.of("hoodie.clean.commits.retained" -> "2").cleaning

  private def versions(name: String)(body: Int => Unit): Unit =
    for (version <- Seq(6, 8, 9)) test(s"version $version: $name")(body(version))

  private def clean(storage: Storage, conf: CleanConf = two): Seq[FinishedCleaning] =
    new Cleaning(TransactionOptions(), TextServices.deleting).run(Table.open(storage, path), conf)

  private def table(storage: Storage): Table = Table.open(storage, path)

  private def rewritten(storage: Storage, times: Int): Unit = (1 to times).foreach(_ =>
    TextWrites.rewrite.run(table(storage)))

  private def data(storage: MemoryStorage): Seq[String] =
    storage.paths.filterNot(p => p.contains("/.hoodie/") || p.endsWith("_metadata"))

  private def names(finished: Seq[FinishedCleaning]): Seq[String] = finished.flatMap(_.partitions).flatMap(_.deleted)

  versions("a cleaning deletes what only older states need, and says so") { version =>
    val storage = new MemoryStorage()
    TextWrites.table(storage, path, version, TableType.CopyOnWrite)
    rewritten(storage, 4)
    val writes = table(storage).timeline.writes.map(_.time)
    val finished = clean(storage)
    assertEquals(names(finished), writes.take(2).reverse.map(t => s"g-0_0-0-0_$t.parquet"))
    assertEquals(finished.map(_.earliestRetained), Seq(writes(3)))
    assertEquals(data(storage).size, 3)
    val after = table(storage)
    val cleaned = after.store.readClean(after.timeline.completed.filter(_.action == Action.Clean).last)
    assertEquals((cleaned.earliestCommitToRetain, cleaned.lastCompletedCommit), (writes(3), writes.last))
    assertEquals(cleaned.partitions.map(p => (p.partition, p.policy, p.deleted.size)),
      Seq(("p", "KEEP_LATEST_COMMITS", 2)))
    assertEquals(TestTables.visible(after), Seq(s"p/g-0@${writes.last}"))
    after.checkRetained(writes(3))
    assertEquals(intercept[InvalidInput](after.checkRetained(writes(1))).condition, "STATE_NOT_RETAINED")
  }

  versions("a second cleaning, and one of a table that only grows, leave nothing and list no partition") { version =>
    val storage = new MemoryStorage()
    TextWrites.table(storage, path, version, TableType.CopyOnWrite)
    rewritten(storage, 4)
    assertEquals(clean(storage).size, 1)
    val before = storage.paths
    assertEquals(clean(storage), Nil)
    assertEquals(storage.paths, before)
    (1 to 4).foreach(n => TextWrites.insert(s"new-$n").run(table(storage)))
    assertEquals(clean(storage).size, 1, "what was replaced before has become old")
    (5 to 9).foreach(n => TextWrites.insert(s"new-$n").run(table(storage)))
    val counting = new CountingStorage(storage)
    assertEquals(clean(counting), Nil)
    assertEquals(counting.calls.all.filter(c => c.kind == "list" && !c.path.contains("/.hoodie")), Nil)
  }

  versions("another process knows from the last cleaning and the commits where to look") { version =>
    val storage = new MemoryStorage()
    val made = TextWrites.table(storage, path, version, TableType.CopyOnWrite)
    TestTables.write(made, "q" -> "q-0")
    rewritten(storage, 4)
    clean(storage)
    rewritten(storage, 1)
    val elsewhere = new CountingStorage(storage)
    val other = new ForwardingStorage(elsewhere) { override val caches: Caches = new Caches }
    assertEquals(names(clean(other)).size, 1)
    val listed = elsewhere.calls.all.filter(c => c.kind == "list" && !c.path.contains("/.hoodie")).map(_.path).distinct
    assertEquals(listed, Seq("/t/p"))
  }

  versions("a write under way holds back what it may read") { version =>
    val storage = new MemoryStorage()
    TextWrites.table(storage, path, version, TableType.CopyOnWrite)
    val under = TestTables.begin(table(storage))
    rewritten(storage, 4)
    assertEquals(clean(storage), Nil)
    under.rollback()
    assertEquals(names(clean(storage)).size, 2)
  }

  versions("what a savepoint names stays, and goes once the savepoint is gone") { version =>
    val storage = new MemoryStorage()
    TextWrites.table(storage, path, version, TableType.CopyOnWrite)
    val first = table(storage)
    val saved = first.timeline.writes.last.time
    val name = first.slices(Seq("p"))("p").head.base.get.name
    first.store.savepoint(saved, SavepointMetadata("me", 1L, "", Map("p" -> Seq(name))))
    rewritten(storage, 4)
    assertEquals(names(clean(storage)).size, 1)
    assert(storage.exists(s"$path/p/$name"))
    TextWrites.insert("later").run(table(storage))
    val now = table(storage)
    now.store.delete(now.timeline.instants.find(_.action == Action.Savepoint).get)
    assert(names(clean(storage)).contains(name))
  }

  versions("a partition whose rows are all gone loses its folder") { version =>
    val storage = new MemoryStorage()
    val made = TextWrites.table(storage, path, version, TableType.CopyOnWrite)
    TestTables.write(made, "q" -> "q-0")
    val now = table(storage)
    val dropping = Transaction.begin(now, Action.ReplaceCommit, "DELETE_PARTITION")
    dropping.commit(Nil, Map("q" -> Seq("q-0")))
    rewritten(storage, 3)
    val finished = clean(storage)
    assertEquals(finished.flatMap(_.partitions).filter(_.partitionDeleted).map(_.partition), Seq("q"))
    assertEquals(storage.paths.filter(_.startsWith("/t/q")), Nil)
    assertEquals(table(storage).partitions(), Seq("p"))
  }

  versions("by versions so many slices stay, and replaced groups go at once") { version =>
    val storage = new MemoryStorage()
    TextWrites.table(storage, path, version, TableType.CopyOnWrite)
    rewritten(storage, 3)
    val versions = Services.of("hoodie.clean.fileversions.retained" -> "2").cleaning
    assertEquals(names(clean(storage, versions)).size, 2)
    assertEquals(clean(storage, versions), Nil)
    TextWrites.overwrite.run(table(storage))
    assertEquals(names(clean(storage, versions)).size, 2)
    assertEquals(data(storage).size, 1)
  }

  versions("a cleaning that was planned is run first, whatever became of its files") { version =>
    val storage = new MemoryStorage()
    TextWrites.table(storage, path, version, TableType.CopyOnWrite)
    rewritten(storage, 4)
    val planned = CleanScheduler.schedule(table(storage), two).get._1
    assertEquals(planned.state, State.Requested: State)
    storage.delete(s"$path/p/g-0_0-0-0_${table(storage).timeline.writes.head.time}.parquet")
    val finished = clean(storage)
    assertEquals(finished.map(_.instant), Seq(planned.time))
    assertEquals(data(storage).size, 3)
    assertEquals(table(storage).timeline.pending, Nil)
  }

  versions("cleanings that are stopped between two plans leave the second planned") { version =>
    val storage = new MemoryStorage()
    TextWrites.table(storage, path, version, TableType.CopyOnWrite)
    rewritten(storage, 4)
    val store = table(storage).store
    val plans = table(storage).timeline.writes.take(2).map { write =>
      val time = store.newInstantTime(table(storage).timeline.lastTime.get)
      val old = Map("p" -> Seq(s"p/g-0_0-0-0_${write.time}.parquet"))
      store.requestClean(time, CleanPlan("KEEP_LATEST_COMMITS", None, "", old)).time
    }
    var asked = 0
    val stopped = new Cleaning(TransactionOptions(), TextServices.deleting, () => { asked += 1; asked == 2 })
    intercept[CancellationException](stopped.runPending(table(storage)))
    assertEquals(table(storage).timeline.pending.map(i => (i.time, i.state)), Seq((plans.last, State.Requested: State)))
    assertEquals(data(storage).size, 4)
    assertEquals(clean(storage).map(_.instant), Seq(plans.last))
    assertEquals(data(storage).size, 3)
  }

  versions("a plan from before a rollback takes nothing that is live again, nor what was saved since") { version =>
    val storage = new MemoryStorage()
    TextWrites.table(storage, path, version, TableType.CopyOnWrite)
    rewritten(storage, 2)
    CleanScheduler.schedule(table(storage), Services.of("hoodie.clean.fileversions.retained" -> "1").cleaning).get
    val before = table(storage)
    val writes = before.timeline.writes
    val (first, second, third) = (writes.head, writes(1), writes(2))
    before.store.savepoint(first.time,
      SavepointMetadata("me", 1L, "", Map("p" -> Seq(s"g-0_0-0-0_${first.time}.parquet"))))
    before.store.delete(third)
    storage.delete(s"$path/p/g-0_0-0-0_${third.time}.parquet")
    assertEquals(names(clean(storage)), Nil)
    assertEquals(TestTables.visible(table(storage)), Seq(s"p/g-0@${second.time}"))
    assertEquals(data(storage).size, 2)
  }

  versions("log files of a slice that a pending compaction reads stay, older slices go") { version =>
    val storage = new MemoryStorage()
    val made = TestTables.create(storage, path, version, TableType.MergeOnRead)
    TextWrites.insert("g-0").run(made)
    def compacted(): Unit = {
      TextWrites.append.run(table(storage))
      val now = table(storage)
      val planned =
        io.hudilite.service.compact.CompactionScheduler.schedule(now, Services.of().compaction).get.instant.get
      val pending = table(storage).timeline.pendingCompactions.find(_.time == planned).get
      val transaction = Transaction.resume(table(storage), pending, "COMPACT")
      val slice = table(storage).slices(Seq("p"))("p").head
      transaction.commit(Seq(TestTables.writeFile(now, planned, "p", "g-0", Some(slice.instant))))
      ()
    }
    (1 to 3).foreach(_ => compacted())
    TextWrites.append.run(table(storage))
    io.hudilite.service.compact.CompactionScheduler.schedule(table(storage), Services.of().compaction)
    val kept = table(storage).slices(Seq("p"))("p").head
    val finished = clean(storage, Services.of("hoodie.clean.fileversions.retained" -> "1").cleaning)
    assertEquals(names(finished).size, 6, "three slices of a base and a log file")
    assertEquals(table(storage).slices(Seq("p"))("p").head, kept)
    assertEquals(data(storage).size, 2)
  }

  versions("a write after which nothing is old that was replaced is worth no look") { version =>
    val storage = new MemoryStorage()
    TextWrites.insert("g-0").run(TestTables.create(storage, path, version, TableType.MergeOnRead))
    def append(times: Int): Unit = (1 to times).foreach(_ => TextWrites.append.run(table(storage)))
    def mayFindMore(): Boolean = CleanScheduler.mayFindMore(table(storage), two)
    append(3)
    assert(mayFindMore(), "nobody has looked")
    assertEquals(clean(storage), Nil)
    append(2)
    assert(!mayFindMore(), "log files replace nothing")
    TextServices.compact(table(storage))
    assert(!mayFindMore(), "the compaction will still be one of those whose states stay")
    append(1)
    assert(mayFindMore(), "it will be no longer")
    append(1)
    assert(names(clean(storage)).nonEmpty)
    assert(!mayFindMore(), "it was looked at")
    val saved = table(storage).timeline.writes.last
    table(storage).store.savepoint(saved.time, SavepointMetadata("me", 0L, "", Map.empty))
    assert(mayFindMore(), "what savepoints keep has changed")
  }

  test("a cleaning is worth a look when there are more commits than stay, and some are new") {
    val storage = new MemoryStorage()
    TextWrites.table(storage, path, 9, TableType.CopyOnWrite)
    def due(more: Int, options: (String, String)*): Boolean =
      CleanScheduler.isDue(table(storage).timeline,
        Services.of(("hoodie.clean.commits.retained" -> "2") +: options: _*).cleaning, more)
    assert(!due(1))
    assert(due(2))
    rewritten(storage, 2)
    assert(due(0))
    rewritten(storage, 2)
    clean(storage)
    assert(!due(0))
    assert(due(1))
    assert(!due(1, "hoodie.clean.trigger.max.commits" -> "2"))
  }
}

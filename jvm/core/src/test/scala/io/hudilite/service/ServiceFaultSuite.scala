package io.hudilite.service

import io.hudilite.TestTables
import io.hudilite.config.TableType
import io.hudilite.error.{CommitConflict, CommitStateUnknown}
import io.hudilite.service.cluster.PendingClusterings
import io.hudilite.service.partition.{ExpirySettings, PartitionDrops, PartitionExpiry}
import io.hudilite.service.undo.{Restores, Rollbacks, Savepoints}
import io.hudilite.table.Table
import io.hudilite.timeline.Action
import io.hudilite.transaction.{Fault, TextWrite, TextWrites, TransactionOptions, World}

import munit.FunSuite

/** A service, and a table that it has something to do on.
  *
  * @param prepare
  *   done to a table with the file group g-0, with data files that hold text
  * @param run
  *   all of it, from its plan on, or what an earlier run left of it
  */
private final case class Served(name: String, tableType: TableType, prepare: Table => Unit,
    run: (Table, TransactionOptions) => Unit)

/** What a table is to its users.
  *
  * @param rows
  *   slices, with the number of their blocks
  * @param plans
  *   pending actions and their states, and savepoints
  * @param files
  *   that hold data
  */
private final case class Seen(rows: Seq[String], plans: Seq[String], files: Seq[String])

/** Each service fails, or is killed, at each of its storage calls; and then the next one runs. Archiving and the doctor
  * have suites of their own for that.
  */
class ServiceFaultSuite extends FunSuite {

  override val munitTimeout = scala.concurrent.duration.Duration(5, "min")

  private val path = "/t"

  private def after(writes: TextWrite*)(table: Table): Unit = writes.foreach(_.run(table.refresh()))

  private def first(table: Table): String = table.timeline.writes.head.time

  private def save(instant: Table => String)(table: Table): Unit = {
    val now = table.refresh()
    Savepoints.create(now, Some(instant(now)), "me", "")
    ()
  }

  private def withPartitions(table: Table): Unit = {
    TestTables.write(table.refresh(), "q" -> "q-0", "q" -> "q-1")
    TestTables.write(table.refresh(), "q" -> "q-2")
    ()
  }

  import TextWrites.{append, insert, overwrite, rewrite}

  private val copyOnWrite = Seq[(String, Table => Unit, (Table, TransactionOptions) => Unit)](
    ("a cleaning beside a savepoint",
      table => {
        save(first)(table)
        after(rewrite, rewrite, insert("h-0"), overwrite)(table)
      },
      TextServices.clean(_, _)),
    ("a clustering", after(insert("h-0")), TextServices.cluster(_, _)),
    ("a partition that is dropped", withPartitions,
      (table, options) => { PartitionDrops.run(table, Seq("q"), options); () }),
    // Everything is older than tomorrow.
    ("a partition that expires", withPartitions,
      (table, options) => { PartitionExpiry.run(table, ExpirySettings(-1, Some(Seq("q")), 1), options); () }),
    ("a savepoint", after(rewrite), (table, options) => { Savepoints.create(table, None, "me", "", options); () }),
    ("a savepoint that is given free", save(first),
      (table, options) => { Savepoints.delete(table, first(table), options); () }),
    ("a rollback", after(rewrite, rewrite), (table, options) => { Rollbacks.run(table, None, options); () }),
    ("a rollback of a clustering", clustered, (table, options) => { Rollbacks.run(table, None, options); () }),
    ("a restore over a clustering",
      table => {
        clustered(table)
        after(insert("i-0"))(table)
      },
      (table, options) => { Restores.run(table, first(table), options); () }),
    ("a planned clustering that is taken back",
      table => {
        after(insert("h-0"))(table)
        TextServices.planClustering(table.refresh())
        ()
      },
      (table, options) => PendingClusterings.withdraw(table, table.pendingClusterings.values.head, options)))

  private def clustered(table: Table): Unit = {
    after(insert("h-0"))(table)
    TextServices.cluster(table.refresh())
  }

  private val mergeOnRead = Seq[(String, Table => Unit, (Table, TransactionOptions) => Unit)](
    ("a compaction", after(append, append), TextServices.compact(_, _)),
    ("a log compaction", after(append, append), TextServices.compactLogs(_, _)),
    ("a cleaning after a compaction",
      table => {
        after(append, append)(table)
        TextServices.compact(table.refresh())
        after(append)(table)
      },
      TextServices.clean(_, _)),
    ("a rollback of log files", after(append, append), (table, options) => { Rollbacks.run(table, None, options); () }),
    ("a restore over a compaction and a log compaction",
      table => {
        after(append)(table)
        TextServices.compact(table.refresh())
        after(append, append)(table)
        TextServices.compactLogs(table.refresh())
      },
      (table, options) => { Restores.run(table, table.timeline.writes(1).time, options); () }))

  private val all = copyOnWrite.map { case (n, p, r) => Served(n, TableType.CopyOnWrite, p, r) } ++
    mergeOnRead.map { case (n, p, r) => Served(n, TableType.MergeOnRead, p, r) }

  for (version <- Seq(6, 9); service <- all)
    test(
      s"version $version: ${service.name} that fails or is killed at any call has happened or not, and can be ended") {
      new Trial(version, service).run()
    }

  private final class Trial(version: Int, service: Served) {

    private val origin = new World(path,
      storage => service.prepare(TextWrites.table(storage, path, version, service.tableType)))
    private val known = origin.timeline.instants.map(_.time).toSet

    def run(): Unit = {
      val whole = copyOfOrigin()
      val before = seen(whole)
      val calls = whole.calls(storage => service.run(Table.open(storage, path), World.Gone))
      val done = seen(whole)
      assert(before != done, "it has something to do")
      assert(calls > 5)
      Fault.inTurn(calls, version).foreach(fault => tried(fault, before, done))
    }

    private def tried(fault: Fault, before: Seen, done: Seen): Unit = {
      val world = copyOfOrigin()
      // A process that fails goes on to live, and is the next one itself.
      val self = if (fault.lasting) World.Gone else World.Next
      val failure = world.failing(fault)(storage => service.run(Table.open(storage, path), self))
      val clue = s"${fault.name}: $failure"
      val shown = seen(world)
      // What is between the two only a restore shows.
      assert(isRestoring(world) || shown.rows == before.rows || shown.rows == done.rows, s"$clue: ${shown.rows}")
      assertSaved(world, clue)
      if (failure.isEmpty) assertEquals(shown, done, clue)
      // One that does not know itself how it ended leaves that to those who come when it is gone.
      val isUnknown = failure.exists(_.isInstanceOf[CommitStateUnknown])
      if (fault.lasting || isUnknown) world.later()
      val next = if (isUnknown) World.Last else World.Next
      // The one who called it may call it again at once, or others go on.
      if (fault.number % 2 == 0) assertEquals(nextWriter(world, next), shown.rows, clue)
      if (seen(world) != done) service.run(world.table, next)
      if (fault.number % 2 == 1) assertEquals(nextWriter(world, next), done.rows, clue)
      assertEquals(seen(world), done, clue)
      assertEquals(world.files.filter(isTrace), Nil, clue)
      assertSaved(world, clue)
      insert("later").run(world.table, next)
    }

    /** What readers see after a write has begun. Only a restore may stand against that. */
    private def nextWriter(world: World, next: TransactionOptions): Seq[String] = {
      val restoring = isRestoring(world)
      try {
        insert("next").begin(world.table, next).rollback()
        assert(!restoring)
      } catch { case e: CommitConflict if restoring => assertEquals(e.condition, "RESTORE_PENDING") }
      seen(world).rows
    }

    private def isRestoring(world: World): Boolean = world.timeline.pending.exists(_.action == Action.Restore)

    private def copyOfOrigin(): World =
      new World(path, copy => origin.memory.paths.foreach(p => copy.createNew(p, origin.memory.read(p).get)))

    private def seen(world: World): Seen = {
      val plans = world.timeline.pending.map(i => s"${i.time} ${i.action} ${i.state}") ++ world.timeline.savepoints
      Seen(world.visible.map(named), plans.map(named),
        world.files.filterNot(_.contains("/.hoodie/")).map(named).sorted)
    }

    /** With one name for all instants that were not there before, and whatever number a log file got. */
    private def named(text: String): String =
      "\\d{17}".r.replaceAllIn(text, m => if (known(m.matched)) m.matched else "new").replaceAll("\\.log\\.\\d+",
        ".log")

    private def assertSaved(world: World, clue: String): Unit =
      for (saved <- world.timeline.completed.filter(_.action == Action.Savepoint)) {
        val files = world.table.store.readSavepoint(saved).files
        for ((partition, names) <- files; name <- names) assert(world.memory.exists(s"$path/$partition/$name"), clue)
      }
  }

  private def isTrace(file: String): Boolean =
    Seq("/.temp/", "/.heartbeat/", "/.hudilite/").exists(file.contains(_))
}

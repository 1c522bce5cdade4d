package io.hudilite.service

import io.hudilite.TestTables
import io.hudilite.config.TableType
import io.hudilite.config.service.ExpiryConf
import io.hudilite.service.cluster.PendingClusterings
import io.hudilite.service.partition.{PartitionDrops, PartitionExpiry}
import io.hudilite.service.undo.{Restores, Rollbacks, Savepoints}
import io.hudilite.table.Table
import io.hudilite.transaction.{TextWrite, TextWrites, TransactionOptions, World}

/** A service, and a table that it has something to do on.
  *
  * @param prepare
  *   done to a table with the file group g-0, with data files that hold text
  * @param run
  *   all of it, from its plan on, or what an earlier run left of it
  */
private[service] final case class Served(name: String, tableType: TableType, prepare: Table => Unit,
    run: (Table, TransactionOptions) => Unit)

/** A table as its users see it.
  *
  * @param rows
  *   slices, with the number of their blocks
  * @param plans
  *   pending actions and their states, and savepoints
  * @param files
  *   that hold data
  */
private[service] final case class Seen(rows: Seq[String], plans: Seq[String], files: Seq[String])

/** The look of tables, with one name for all new instants, and without the numbers of log files. */
private[service] final class Look(origin: World) {

  private val known = origin.timeline.instants.map(_.time).toSet

  def seen(world: World): Seen = {
    val plans = world.timeline.pending.map(i => s"${i.time} ${i.action} ${i.state}") ++ world.timeline.savepoints
    Seen(world.visible.map(named), plans.map(named),
      world.files.filterNot(_.contains("/.hoodie/")).map(named).sorted)
  }

  private def named(text: String): String =
    "\\d{17}".r.replaceAllIn(text, m => if (known(m.matched)) m.matched else "new").replaceAll("\\.log\\.\\d+",
      ".log")
}

private[service] object Served {

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
      (table, options) => {
        PartitionExpiry.run(table, ExpiryConf(inline = false, -1, Some(Seq("q")), 1), options); ()
      }),
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
    ("a compaction that begins as it is planned", after(append, append), TextServices.compactAtOnce(_, _)),
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

  /** Every service. */
  val all: Seq[Served] = copyOnWrite.map { case (n, p, r) => Served(n, TableType.CopyOnWrite, p, r) } ++
    mergeOnRead.map { case (n, p, r) => Served(n, TableType.MergeOnRead, p, r) }

  /** The folder of the tables. */
  val Path = "/t"

  /** A table that the service has something to do on. */
  def origin(version: Int, service: Served): World =
    new World(Path, storage => service.prepare(TextWrites.table(storage, Path, version, service.tableType)))

  /** True for the traces that a service or a write keeps while it runs. */
  def isTrace(file: String): Boolean = Seq("/.temp/", "/.heartbeat/", "/.hudilite/").exists(file.contains(_))
}

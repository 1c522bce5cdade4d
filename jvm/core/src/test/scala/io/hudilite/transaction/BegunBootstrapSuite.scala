package io.hudilite.transaction

import io.hudilite.TestTables
import io.hudilite.TestTables.writeFile
import io.hudilite.config.CommitNotes
import io.hudilite.error.UnsupportedTable
import io.hudilite.storage.{Caches, CountingStorage, ForwardingStorage}
import io.hudilite.table.Table
import io.hudilite.timeline.{Action, CommitMetadata, InstantTime}

import munit.FunSuite

/** Bootstraps whose second write has not come. */
class BegunBootstrapSuite extends FunSuite {

  private def write(table: Table, options: TransactionOptions, at: Option[String] = None,
      notes: CommitNotes = CommitNotes.Empty): Unit = {
    val run = Transaction.begin(table.refresh(), Action.DeltaCommit, "BULK_INSERT", options, at)
    try {
      run.commit(Seq(writeFile(table, run.instant, "p", s"f-${run.instant}")), assumption = Assumption.Nothing,
        notes = notes)
      ()
    } finally run.rollback()
  }

  private def begun: Table = {
    val table = TestTables.createMergeOnRead(9)
    write(table, TransactionOptions(), Some(InstantTime.OfSkeletons),
      CommitNotes(BegunBootstrap.entries(2), None))
    table
  }

  test("no other write ends a bootstrap, nor goes on while one is under way") {
    val table = begun
    // A program that does not know of bootstraps under way.
    table.store.request("20250101000000000", Action.ReplaceCommit)
    table.store.toInflight("20250101000000000", Action.ReplaceCommit)
    table.store.complete("20250101000000000", Action.ReplaceCommit,
      CommitMetadata(CommitMetadata.Cluster, Map.empty, Map.empty, Map.empty))
    def refused(options: TransactionOptions = TransactionOptions()): Unit = {
      val now = table.refresh()
      val first = now.timeline.writes.head
      Seq[() => Any](
        () => write(table, options),
        () => Transaction.planned(now, "CLUSTER", options)(_ => fail("a plan is asked for"))).foreach { use =>
        assert(intercept[UnsupportedTable](use()).getMessage.contains("rows of 2 partitions"))
      }
      assertEquals(first.time, InstantTime.OfSkeletons)
      assertEquals(table.refresh().timeline, now.timeline)
    }
    refused()
    refused(TransactionOptions(copies = Some("a token of nobody")))
    intercept[UnsupportedTable](BegunBootstrap.completing(table)(_ => ())) // rows that did not come
    BegunBootstrap.completing(table) { token =>
      refused()
      intercept[UnsupportedTable](write(begun, TransactionOptions(copies = Some(token)))) // it is of one table
      write(table, TransactionOptions(copies = Some(token)))
    }
    write(table, TransactionOptions())
  }

  test("the first commit of a bootstrap that has ended is read by one write more, and no archive is asked again") {
    val table = begun
    BegunBootstrap.completing(table)(token => write(table, TransactionOptions(copies = Some(token))))
    write(table, TransactionOptions())
    // The commit that brought the rows is gone with its archive, and the first one stays for a savepoint.
    val second = table.refresh().timeline.writes(1)
    table.store.delete(second)
    assertEquals(table.refresh().timeline.writes.map(_.time).contains(second.time), false)
    val log =
      new CountingStorage(new ForwardingStorage(TestTables.storage) { override val caches: Caches = new Caches })
    write(Table.open(log, table.basePath), TransactionOptions())
    assertEquals(log.calls.paths("get").filter(path => path.split('/').last.startsWith(InstantTime.OfSkeletons)), Nil,
      log.calls.details)
  }

  test("each commit on top of a bootstrap without rows to come says so, and none of another table") {
    val table = TestTables.createMergeOnRead(9)
    write(table, TransactionOptions(), Some(InstantTime.OfSkeletons))
    write(table, TransactionOptions())
    val now = table.refresh()
    assertEquals(now.store.readCommit(now.timeline.writes.last).extra.get("hudilite.bootstrap.came"), Some("true"))
    val other = TestTables.createMergeOnRead(9)
    write(other, TransactionOptions())
    write(other, TransactionOptions())
    val without = other.refresh()
    assertEquals(without.store.readCommit(without.timeline.writes.last).extra.get("hudilite.bootstrap.came"), None)
  }

  test("a plan is not taken up before the rows have come") {
    val table = begun
    val time = table.store.newInstantTime(table.refresh().timeline.lastTime.get)
    table.store.request(time, Action.Compaction)
    val now = table.refresh()
    val plan = now.timeline.pending.find(_.time == time).get
    intercept[UnsupportedTable](Transaction.resume(now, plan, "COMPACT"))
    assertEquals(table.refresh().timeline, now.timeline)
  }
}

package io.hudilite.transaction

import io.hudilite.TestTables
import io.hudilite.TestTables.writeFile
import io.hudilite.config.CommitNotes
import io.hudilite.error.UnsupportedTable
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

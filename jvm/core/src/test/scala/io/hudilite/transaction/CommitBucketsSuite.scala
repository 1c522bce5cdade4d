package io.hudilite.transaction

import io.hudilite.TestTables
import io.hudilite.TestTables.writeFile
import io.hudilite.config.BucketRule
import io.hudilite.error.{CommitConflict, CorruptTable}
import io.hudilite.index.BucketIndex
import io.hudilite.service.partition.PartitionDrops
import io.hudilite.service.undo.Rollbacks
import io.hudilite.storage.HadoopStorage
import io.hudilite.table.{StatedBuckets, Table}
import io.hudilite.timeline.{Action, CommitMetadata, TimelineStore, WriteStat}

import munit.FunSuite
import org.apache.hadoop.conf.Configuration

/** Which bucket index a table has by what its commits say. */
class CommitBucketsSuite extends FunSuite {

  private val four = BucketIndex(4, Seq("id"))

  private def versions(name: String)(body: Table => Unit): Unit =
    for (version <- Seq(6, 9)) test(s"version $version: $name")(body(TestTables.create(version)))

  private def write(table: Table, buckets: Option[BucketIndex], id: String, action: String = Action.Commit,
      replaced: Map[String, Seq[String]] = Map.empty): String = {
    val run = Transaction.begin(table.refresh(), action, "UPSERT")
    run.commit(Seq(writeFile(table, run.instant, "p", id)), replaced, assumption = Assumption.Nothing,
      buckets = buckets).time
  }

  private def stated(table: Table): Option[BucketIndex] = table.refresh().statedBuckets

  private def ofAllRows(table: Table): Option[BucketIndex] = {
    val now = table.refresh()
    StatedBuckets.ofAllRows(now.store, now.timeline)
  }

  /** A commit of another writer, which states nothing. */
  private def foreign(table: Table, ids: Seq[String], action: String = Action.Commit,
      replaced: Map[String, Seq[String]] = Map.empty, operation: String = "UPSERT"): Unit = {
    val now = table.refresh()
    val time = now.store.newInstantTime(now.timeline.lastTime.getOrElse(""))
    now.store.request(time, action)
    now.store.begin(time, action)
    val stats =
      if (ids.isEmpty) Map.empty[String, Seq[WriteStat]] else Map("p" -> ids.map(writeFile(now, time, "p", _)))
    now.store.complete(time, action, CommitMetadata(operation, stats, Map.empty, replaced))
    ()
  }

  versions("a reader may go by buckets until another writer brings rows, and again once these are replaced") { table =>
    assertEquals(ofAllRows(table), None)
    write(table, Some(four), "00000001-0")
    write(table, None, "00000002-0")
    assertEquals(ofAllRows(table), Some(four))
    foreign(table, Nil)
    foreign(table, Nil, Action.ReplaceCommit, Map("p" -> Seq("00000002-0")), "DELETE_PARTITION")
    foreign(table, Seq("00000001-0"), operation = CommitMetadata.Compact)
    assertEquals(ofAllRows(table), Some(four))
    val before = table.refresh().lastInstant.get.time
    foreign(table, Seq("00000003-0"))
    write(table, Some(four), "00000000-0")
    assertEquals(stated(table), Some(four))
    assertEquals(ofAllRows(table), None)
    assertEquals(StatedBuckets.ofAllRows(table.store, table.refresh().timeline.upTo(before)), Some(four))
    val run = Transaction.begin(table.refresh(), Action.ReplaceCommit, CommitMetadata.InsertOverwriteTable)
    run.commit(Seq(writeFile(table, run.instant, "p", "00000005-0")),
      Map("p" -> Seq("00000000-0", "00000001-0", "00000003-0")), assumption = Assumption.Nothing,
      buckets = Some(four.copy(count = 8)))
    assertEquals(ofAllRows(table), Some(four.copy(count = 8)))
  }

  versions("of a table without buckets the newest commit alone is read") { table =>
    foreign(table, Seq("plain-0"))
    val first = table.refresh()
    val commits = first.storage.list(first.store.folder).filter(_.name.endsWith(".commit"))
    assertEquals(commits.size, 1)
    foreign(table, Seq("plain-1"))
    first.storage.replace(commits.head.path, "no commit".getBytes)
    val store = new TimelineStore(new HadoopStorage(new Configuration()), table.basePath, table.config)
    assertEquals(StatedBuckets.of(store, store.load(), mayHaveRings = false), None)
    intercept[CorruptTable](StatedBuckets.of(store, store.load(), mayHaveRings = true))
  }

  versions("rows that another writer may bring at an older instant keep readers from going by buckets") { table =>
    val now = table.refresh()
    val older = now.store.newInstantTime("")
    val run = Transaction.begin(table.refresh(), Action.Commit, "UPSERT")
    now.store.request(older, Action.Commit)
    now.store.begin(older, Action.Commit)
    run.commit(Seq(writeFile(table, run.instant, "p", "00000001-0")), assumption = Assumption.Nothing,
      buckets = Some(four))
    now.store.complete(older, Action.Commit,
      CommitMetadata("UPSERT", Map("q" -> Seq(writeFile(now, older, "q", "00000001-0"))), Map.empty))
    assertEquals(ofAllRows(table), None)
  }

  versions("a commit without rows at an older instant states nothing about the buckets of a newer one") { table =>
    write(table, Some(four), "00000001-0")
    val older = Transaction.begin(table.refresh(), Action.Commit, "UPSERT")
    write(table, Some(four.copy(count = 8)), "00000005-0", Action.ReplaceCommit, Map("p" -> Seq("00000001-0")))
    older.commit(Nil, assumption = Assumption.Nothing)
    assertEquals(stated(table), Some(four.copy(count = 8)))
    assertEquals(StatedBuckets.of(table.store, table.refresh().timeline.upTo(older.instant), mayHaveRings = false),
      Some(four))
  }

  versions("a write by another number is refused once another one has dealt rows by the old number") { table =>
    write(table, Some(four), "00000001-0")
    PartitionDrops.run(table.refresh(), Seq("p"))
    val late = Transaction.begin(table.refresh(), Action.Commit, "UPSERT")
    write(table, Some(four), "00000003-0")
    val error = intercept[CommitConflict](late.commit(Seq(writeFile(table, late.instant, "q", "00000005-0")),
        assumption = Assumption.Nothing, buckets = Some(four.copy(count = 8))))
    assert(error.getMessage.contains("to other buckets meanwhile"), error.getMessage)
  }

  private def move(table: Table, run: Transaction, to: BucketIndex, from: String): Unit = {
    run.commit(Seq(writeFile(table, run.instant, "p", s"00000001-${run.instant}")), Map("p" -> Seq(from)),
      assumption = Assumption.Nothing, buckets = Some(to))
    ()
  }

  private def moving(table: Table): Transaction =
    Transaction.begin(table.refresh(), Action.ReplaceCommit, CommitMetadata.Cluster)

  versions("partitions that are moved keep readers by buckets, where these were right for all rows before") { table =>
    val moved = four.copy(rule = BucketRule.of("^p$,2"))
    write(table, Some(four), "00000001-0")
    move(table, moving(table), moved, "00000001-0")
    assertEquals((stated(table), ofAllRows(table)), (Option(moved), Option(moved)))
    write(table, Some(moved), "00000000-0")
    assertEquals(ofAllRows(table), Some(moved))
    foreign(table, Seq("00000002-0"))
    assertEquals(ofAllRows(table), None)
    val again = four.copy(rule = BucketRule.of("^p$,3"))
    move(table, moving(table), again, "00000000-0")
    assertEquals((stated(table), ofAllRows(table)), (Option(again), None))
    val outrun = moving(table)
    write(table, Some(again), "00000003-0")
    val error = intercept[CommitConflict](move(table, outrun, moved, "00000002-0"))
    assert(error.getMessage.contains("by the former numbers"), error.getMessage)
    outrun.rollback()
    assertEquals(stated(table), Some(again))
  }

  versions("every commit of ours states the buckets that one has stated, with or without rows") { table =>
    assertEquals(stated(table), None)
    write(table, Some(four), "00000001-0")
    assertEquals(stated(table), Some(four))
    ColumnAlteration.grow(table.refresh(), TestTables.schema, TransactionOptions())
    write(table, None, "00000002-0")
    PartitionDrops.run(table.refresh(), Seq("p"))
    val commits = table.refresh().store.readCommits(table.refresh().timeline.writes).map(_._2)
    assertEquals(commits.map(_.extra.get(StatedBuckets.Count)), Seq.fill(4)(Option("4")))
    assertEquals(commits.map(_.extra.get(StatedBuckets.HashFields)), Seq.fill(4)(Option("id")))
  }

  versions("commits state numbers of buckets by partition, too") { table =>
    val byPartition = four.copy(rule = BucketRule.of("a,3;b,2"))
    write(table, Some(byPartition), "00000001-0")
    write(table, None, "00000002-0")
    assertEquals(stated(table), Some(byPartition))
    val last = table.refresh()
    assertEquals(last.store.readCommit(last.lastInstant.get).extra.get(StatedBuckets.Count), None)
  }

  versions(
    "commits of others leave the word to those before them, unless they replace file groups or know no buckets") {
    table =>
      write(table, Some(four), "00000001-0")
      foreign(table, Seq("00000002-0"))
      assertEquals(stated(table), Some(four))
      foreign(table, Seq("00000003-0"), Action.ReplaceCommit, Map("p" -> Seq("00000001-0")))
      assertEquals(stated(table), None)
      write(table, Some(four), "00000000-0")
      foreign(table, Seq("abcd-0"))
      assertEquals(stated(table), None)
  }

  versions(
    "a write that deals rows by an index is refused once another one is stated, and a rollback takes its word back") {
    table =>
      write(table, Some(four), "00000001-0")
      val late = Transaction.begin(table.refresh(), Action.Commit, "UPSERT")
      val eight = write(table, Some(four.copy(count = 8)), "00000005-0", Action.ReplaceCommit,
        Map("p" -> Seq("00000001-0")))
      val error = intercept[CommitConflict](late.commit(Seq(writeFile(table, late.instant, "q", "00000002-0")),
          assumption = Assumption.Nothing, buckets = Some(four)))
      assert(error.getMessage.contains("to other buckets meanwhile"), error.getMessage)
      late.rollback()
      assertEquals(stated(table), Some(four.copy(count = 8)))
      Rollbacks.run(table.refresh(), Some(eight))
      assertEquals(stated(table), Some(four))
  }
}

package io.hudilite.transaction

import io.hudilite.TestTables
import io.hudilite.config.TableType
import io.hudilite.error.CommitConflict
import io.hudilite.service.Services
import io.hudilite.service.compact.{CompactionKind, CompactionScheduler}
import io.hudilite.storage.MemoryStorage
import io.hudilite.table.Table
import io.hudilite.timeline.{Action, WriteStat}

import java.nio.charset.StandardCharsets.UTF_8
import java.nio.file.{Files, Paths}
import java.util.UUID

import munit.FunSuite

import scala.collection.JavaConverters._

/** The table of docs/format.md that says which of two writes on one snapshot gives way: each of its cells is run. */
class ConcurrencySuite extends FunSuite {

  import TextWrites._

  private val path = "/t"

  private def changes(table: Table): TextWrite =
    if (table.config.tableType == TableType.MergeOnRead) append else rewrite

  private def packed(table: Table, instant: String): WriteStat =
    TestTables.writeFile(table, instant, "p", "small-0", Some("x")).copy(numInserts = 1, numUpdateWrites = 1)

  /** The operations by their names in the table. */
  private val operations: Map[String, Table => TextWrite] = Map(
    "insert" -> (_ => insert(s"new-insert-${UUID.randomUUID()}")),
    "insert into a small file" -> (_ => TextWrite("insert", Action.Commit, (t, i) => Seq(packed(t, i)))),
    "upsert of new keys" -> (_ => insert("new-upsert", Assumption.KeysAbsent(anywhere = false)).copy(name = "upsert")),
    "change of rows" -> (changes(_)),
    "change of rows in a small file" ->
      (_ =>
        TextWrite("upsert", Action.Commit, (t, i) => Seq(packed(t, i).copy(numInserts = 0)),
          assumption = Assumption.KeysAbsent(anywhere = false))),
    "insert_overwrite" -> (_ => overwrite),
    "insert_overwrite_table" ->
      (_ =>
        overwrite.copy(name = "insert_overwrite_table",
          replaced = t => t.allSlices().map { case (p, slices) => p -> slices.map(_.fileId) },
          assumption = Assumption.Replaces(_ => true))),
    "delete_partition" -> (_ => overwrite.copy(name = "delete_partition", stage = (_, _) => Nil)))

  private lazy val documented: Seq[(String, String, String)] = {
    val lines = Files.readAllLines(Paths.get("docs", "format.md"), UTF_8).asScala.toSeq
    val rows = lines.dropWhile(!_.startsWith("| later")).takeWhile(_.startsWith("|"))
      .map(_.split('|').toSeq.drop(1).map(_.trim))
    for (row <- rows.drop(2); (first, cell) <- rows.head.tail.zip(row.tail)) yield (row.head, first, cell)
  }

  test("the table names every operation, and each pair of them") {
    val names = documented.map(_._1).distinct
    assertEquals(names.toSet, operations.keySet)
    assertEquals(documented.map { case (later, first, _) => (later, first) }.toSet,
      (for (a <- names; b <- names) yield (a, b)).toSet)
    assert(documented.forall { case (_, _, cell) => Set("both", "first")(cell) })
  }

  for (version <- Seq(6, 9); tableType <- TableType.all; laterBegins <- Seq(true, false))
    test(s"version $version, $tableType: of two writes on one snapshot both commit, or the first (later begins " +
      s"${if (laterBegins) "first" else "second"})") {
      for ((later, first, expected) <- documented) {
        val made = TextWrites.table(new MemoryStorage(), path, version, tableType)
        TextWrites.insert("small-0").run(made)
        val now = made.refresh()
        val (a, b) = (operations(first)(now), operations(later)(now))
        val begun = if (laterBegins) Seq(b, a).map(_.begin(now)).reverse else Seq(a, b).map(_.begin(now))
        a.commit(now, begun.head)
        val before = TestTables.visible(now)
        val outcome = try { b.commit(now, begun(1)); "both" }
        catch { case _: CommitConflict => begun(1).rollback(); "first" }
        assertEquals(outcome, expected, s"$later behind $first")
        if (outcome == "first") assertEquals(TestTables.visible(now), before, s"$later behind $first")
      }
    }

  test("a key that has one row in the whole table conflicts with new rows anywhere, one of its partition does not") {
    for ((anywhere, commits) <- Seq(true -> false, false -> true)) {
      val now = TextWrites.table(new MemoryStorage(), path, 9, TableType.CopyOnWrite)
      val upsert = insert("a-0", Assumption.KeysAbsent(anywhere))
      val transaction = upsert.begin(now)
      TestTables.write(now, "q" -> "b-0")
      if (commits) upsert.commit(now, transaction)
      else assert(intercept[CommitConflict](upsert.commit(now, transaction)).getMessage.contains("'q'"))
      transaction.rollback()
    }
  }

  test("a write that says nothing about itself is judged as one that takes its keys to be nowhere") {
    val now = TextWrites.table(new MemoryStorage(), path, 9, TableType.CopyOnWrite)
    val transaction = Transaction.begin(now, Action.Commit, "UPSERT")
    TestTables.write(now, "q" -> "b-0")
    val stat = TestTables.writeFile(now, transaction.instant, "p", "a-0")
    intercept[CommitConflict](transaction.commit(Seq(stat)))
    transaction.rollback()
  }

  private def services(version: Int, kind: CompactionKind): Table = {
    val made = TextWrites.table(new MemoryStorage(), path, version, TableType.MergeOnRead)
    (1 to 3).foreach(_ => append.run(made.refresh()))
    CompactionScheduler.schedule(made.refresh(),
      Services.of("hoodie.log.compaction.blocks.threshold" -> "2",
        "hoodie.log.compaction.enable" -> "true").compaction, kind = kind).get
    made.refresh()
  }

  private def service(table: Table, kind: CompactionKind): TextWrite = TextWrite(kind.operation, Action.Commit,
    (t, instant) => {
      val slice = t.slices(Seq("p"))("p").find(_.fileId == "g-0").get
      if (kind == CompactionKind.Log) Seq(TestTables.appendLog(t, instant, slice, attempt = 7))
      else Seq(TestTables.writeFile(t, instant, "p", "g-0", Some(slice.instant)).copy(numInserts = 5))
    })

  for (version <- Seq(6, 9); kind <- Seq(CompactionKind.Base, CompactionKind.Log)) {

    def planned(table: Table) = (table.timeline.pendingCompactions ++ table.timeline.pendingLogCompactions).head

    test(s"version $version, ${kind.operation}: only what takes its file group away stands against it, if anything") {
      for ((first, expected) <- Seq("insert" -> "both", "upsert of new keys" -> "both", "change of rows" -> "both",
          "insert_overwrite" -> (if (kind == CompactionKind.Base) "both" else "first"),
          "delete_partition" -> (if (kind == CompactionKind.Base) "both" else "first"))) {
        val now = services(version, kind)
        val running = Transaction.resume(now, planned(now), kind.operation)
        operations(first)(now).run(now)
        val outcome = try { service(now, kind).commit(now, running); "both" }
        catch { case _: CommitConflict => running.rollback(); "first" }
        assertEquals(outcome, expected, s"behind $first")
      }
    }

    test(s"version $version, ${kind.operation}: one that was planned before stands against no write but a rewrite") {
      for ((later, expected) <- Seq("insert" -> "both", "upsert of new keys" -> "both", "change of rows" -> "both",
          "insert_overwrite" -> "both", "delete_partition" -> "both")) {
        val now = services(version, kind)
        val write = operations(later)(now)
        val transaction = write.begin(now)
        val running = Transaction.resume(now, planned(now), kind.operation)
        service(now, kind).commit(now, running)
        val outcome = try { write.commit(now, transaction); "both" }
        catch { case _: CommitConflict => transaction.rollback(); "first" }
        assertEquals(outcome, expected, later)
      }
    }
  }

  test("of many writers of one new key that try again until they commit one adds it, and no change is lost") {
    for (version <- Seq(6, 9)) {
      val table = TestTables.create(version)
      val writers = new KeyedWriters(table)
      assertEquals(writers.run(writers = 3, rounds = 4), Map("k" -> 12))
    }
  }

  test("of two first writes one makes the table, and the other one leaves it alone") {
    for (version <- Seq(6, 9)) {
      val storage = new MemoryStorage()
      val config = TextWrites.facts(version, TableType.CopyOnWrite)
      def first() = FirstWrite.create(storage, path, config, TransactionOptions())
      val made = first()
      assertEquals(intercept[io.hudilite.error.InvalidInput](first()).condition, "TABLE_ALREADY_EXISTS")
      val upsert = insert("a-0", Assumption.KeysAbsent(anywhere = false))
      val transaction = made.begin(upsert.action, "UPSERT")
      // Another writer finds the table that the first one is still filling.
      insert("b-0", Assumption.KeysAbsent(anywhere = false)).run(Table.open(storage, path))
      intercept[CommitConflict](upsert.commit(made.table, transaction))
      transaction.rollback()
      made.remove(transaction.instant)
      assertEquals(TestTables.visible(Table.open(storage, path)).map(_.take(5)), Seq("p/b-0"))
    }
  }

  test("a table that its first write made goes with it, but for what was there before") {
    val storage = new MemoryStorage()
    storage.replace("/t/notes.txt", Array[Byte](1))
    val made = FirstWrite.create(storage, path, TextWrites.facts(9, TableType.CopyOnWrite),
      TransactionOptions(amongOthers = true))
    val transaction = made.begin(Action.Commit, "INSERT")
    TestTables.writeFile(made.table, transaction.instant, "p=1/q=2", "a-0")
    transaction.rollback()
    made.remove(transaction.instant)
    assertEquals(storage.paths, Seq("/t/notes.txt"))
  }
}

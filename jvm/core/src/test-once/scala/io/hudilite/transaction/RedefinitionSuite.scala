package io.hudilite.transaction

import io.hudilite.TestTables
import io.hudilite.config.{TableConfig, TableType}
import io.hudilite.error.{CommitConflict, CommitStateUnknown, HudiliteException}
import io.hudilite.storage.Storage
import io.hudilite.table.Table
import io.hudilite.timeline.{Action, CommitMetadata}

import munit.FunSuite

/** Replacements that give a table other facts: readers see the old table or the new one, whatever fails. */
class RedefinitionSuite extends FunSuite {

  private val path = "/t"

  private def prepare(tableType: TableType)(storage: Storage): Unit = {
    val table = TextWrites.table(storage, path, 9, tableType)
    if (tableType == TableType.MergeOnRead) TextWrites.append.run(table)
  }

  /** The facts from then on: another key, another type. */
  private def facts(from: TableType): TableConfig = {
    val to = if (from == TableType.MergeOnRead) TableType.CopyOnWrite else TableType.MergeOnRead
    TableConfig.create(TextWrites.facts.copy(recordKeyFields = Seq("other"), tableType = to))
  }

  private def redefine(table: Table, facts: TableConfig, options: TransactionOptions = TransactionOptions()): Unit = {
    val write = Transaction.begin(table, Action.ReplaceCommit, CommitMetadata.InsertOverwriteTable, options)
    try {
      val stats = Seq(TestTables.writeFile(table, write.instant, "p", s"new-${write.instant}"))
      write.commit(stats, TextWrites.groupsOfPartition(table), assumption = Assumption.Replaces(_ => true),
        facts = Some(facts))
      ()
    } finally write.rollback()
  }

  /** Key fields and rows, which belong together. */
  private def seen(world: World): (Seq[String], Boolean) =
    (world.table.config.recordKeyFields, world.visible == world.visibleBefore)

  private val Old = (Seq("id"), true)
  private val New = (Seq("other"), false)

  for (tableType <- Seq(TableType.CopyOnWrite, TableType.MergeOnRead))
    test(s"a ${tableType.name} table is the old one or the new one, whatever fails at any call") {
      def whole(storage: Storage, options: TransactionOptions): Unit =
        redefine(TextWrites.reopened(storage, path), facts(tableType), options)
      val origin = new World(path, prepare(tableType))
      for (fault <- Fault.all(origin.copy().calls(whole(_, World.Gone)))) {
        val world = origin.copy()
        val opened = world.table
        val failed = world.failing(fault)(whole(_, World.Gone))
        val now = seen(world)
        assert(now == Old || now == New, s"${fault.name}: $now")
        if (failed.isEmpty) assertEquals(now, New, fault.name)
        assertEquals(world.rows(opened), world.visibleBefore, s"${fault.name}: a reader that was opened before")
        failed.foreach {
          case _: CommitStateUnknown =>
          case _ if !fault.lasting && now == Old =>
            assertEquals(world.files.filterNot(_.contains(".rollback")), world.before, fault.name)
          case _ =>
        }
        world.recover()
        assert(world.isWhole, fault.name)
        assertEquals(seen(world), now, s"${fault.name}: after a recovery")
      }
    }

  test("a replacement after another leaves one earlier timeline, and after a failed one none of its own") {
    val world = new World(path, prepare(TableType.CopyOnWrite))
    redefine(world.table, facts(TableType.CopyOnWrite))
    val second = world.table
    redefine(second, TableConfig.create(TextWrites.facts))
    assertEquals(world.table.config.recordKeyFields, Seq("id"))
    assertEquals(world.rows(world.table).size, 1)
    val folders = world.files.filter(_.contains("/.hoodie/timeline")).map(_.split('/')(3)).distinct.sorted
    assertEquals(folders, Seq(second.config.timelinePath, world.table.config.timelinePath).sorted)
    assertEquals(world.timeline.writes.size, 3)
    val first = world.timeline.writes.head.time
    val error = intercept[HudiliteException](world.table.checkRetained(first))
    assertEquals(error.condition, "STATE_NOT_RETAINED")
    world.table.checkRetained(world.timeline.writes.last.time)
  }

  test("a write that began before a replacement is refused, and a replacement beside a write as well") {
    val world = new World(path, prepare(TableType.CopyOnWrite))
    val old = world.table
    val beside = TextWrites.insert("b-0").begin(old)
    val error = intercept[CommitConflict](redefine(world.table, facts(TableType.CopyOnWrite)))
    assertEquals(error.condition, "COMMIT_CONFLICT")
    assertEquals(seen(world), Old)
    beside.rollback()
    redefine(world.table, facts(TableType.CopyOnWrite))
    assertEquals(intercept[CommitConflict](TextWrites.insert("b-0").run(old)).condition, "TABLE_CHANGED")
    assertEquals(seen(world), New)
  }

  test("what a replacement cannot do right is refused before anything is written") {
    def refused(table: Table, facts: TableConfig, reason: String): Unit = {
      val error = intercept[HudiliteException](Redefinition.check(table, facts))
      assert(error.condition == "STATEMENT_NOT_SUPPORTED" && error.getMessage.contains(reason), error.getMessage)
    }
    val world = new World(path, prepare(TableType.CopyOnWrite))
    refused(world.table, TableConfig.create(TextWrites.facts.copy(version = 8)), "leave the version out")
    refused(world.table, TableConfig.create(TextWrites.facts.copy(partitionItems = Nil)), "keep their number")
    val sixth = new World(path, storage => { TextWrites.table(storage, path, 6, TableType.CopyOnWrite); () })
    refused(sixth.table, TextWrites.facts(6, TableType.MergeOnRead), "upgrade the table")
  }
}

package io.hudilite.upkeep

import io.hudilite.EvolvedTables
import io.hudilite.EvolvedTables.Columns
import io.hudilite.error.{InvalidInput, UnsupportedTable}
import io.hudilite.metadata.{ExpressionIndex, IndexFunction, MetadataPartition}
import io.hudilite.record.KeyChange
import io.hudilite.service.undo.Rollbacks
import io.hudilite.storage.MemoryStorage
import io.hudilite.timeline.{Action, CommitMetadata}
import io.hudilite.transaction.named.{NamedIndexes, NamedValues}

import java.util.concurrent.atomic.AtomicLong

import munit.FunSuite

/** Secondary indexes of tables whose columns have been changed by their ids, or have a type that has no index. */
class EvolvedValuesSuite extends FunSuite {

  import KeyedTable.group

  private val (p1, p2) = (group("p", 1), group("p", 2))
  private val before: Columns = Seq(1 -> "id", 2 -> "note")

  private def keyed(): KeyedTable = {
    val time = new AtomicLong(1767225600000L)
    val storage = new MemoryStorage(() => time.addAndGet(10))
    val table = new KeyedTable(storage, "/t", 9, isPartitioned = false, tells = true).create()
    table.write("INSERT", Seq(p1 -> Seq("a=red", "b")), Seq("a", "b").map(KeyChange(_, "p", Some(p1.fileId))))
    table
  }

  private def index(table: KeyedTable): Unit =
    NamedValues.create(table.table, "v", "id", table.options, byBuckets = false)

  private def insert(table: KeyedTable): String =
    table.write("INSERT", Seq(p2 -> Seq("c=blue")), Seq(KeyChange("c", "p", Some(p2.fileId))))

  private def assertRefused(table: KeyedTable): Unit = {
    val (instants, listed) = (table.table.timeline.instants, table.kept.partitions)
    val error = intercept[UnsupportedTable](insert(table))
    assertEquals(error.condition, "METADATA_TABLE_LOST")
    assert(error.parameters("partitions").contains("secondary_index_v"), error.parameters)
    assertEquals((table.table.timeline.instants, table.kept.partitions), (instants, listed), "nothing has begun")
  }

  test("a column that stays while another is renamed can have an index, which a rollback makes again") {
    val table = keyed()
    EvolvedTables.alter(table.table, Seq(1 -> "id", 2 -> "memo"), "0" -> before)
    index(table)
    assertEquals(table.pairs("v"), Seq("\u0000$b", "red$a"))
    insert(table)
    assertEquals(table.pairs("v"), Seq("\u0000$b", "blue$c", "red$a"))
    Rollbacks.run(table.table, None, table.options)
    assertEquals(table.kept.partitions.sorted, Seq("files", "record_index", "secondary_index_v"))
    assertEquals(table.pairs("v"), Seq("\u0000$b", "red$a"))
  }

  test("a column that had another name has no index, and a write that would keep one up is refused") {
    val renamed = keyed()
    EvolvedTables.alter(renamed.table, Seq(1 -> "id", 2 -> "note"), "0" -> Seq(1 -> "key", 2 -> "note"))
    val error = intercept[InvalidInput](index(renamed))
    assertEquals(error.condition, "STATEMENT_NOT_SUPPORTED")
    assertEquals(error.parameters("reason"), "id has had another name or type, or has been away")
    val indexed = keyed()
    index(indexed)
    EvolvedTables.alter(indexed.table, Seq(1 -> "id", 2 -> "note"), "0" -> Seq(1 -> "key", 2 -> "note"))
    assertRefused(indexed)
  }

  test("an index of an expression outlasts a rollback where its column is as it was, and others have changed by id") {
    val lower = ExpressionIndex(MetadataPartition.of("expr_index_l").get, "id", IndexFunction.Lower)
    def create(table: KeyedTable): Unit = NamedIndexes.create(table.table, lower, "lower", Map("expr" -> "lower"),
      table.options, FactsReader.here(table.storage))
    def rolledBack(table: KeyedTable): Seq[String] = {
      insert(table)
      Rollbacks.run(table.table, None, table.options)
      assertEquals(table.kept.differences, Nil)
      table.kept.partitions.sorted
    }
    val table = keyed()
    create(table)
    EvolvedTables.alter(table.table, Seq(1 -> "id", 2 -> "memo"), "0" -> before)
    assertEquals(rolledBack(table), Seq("expr_index_l", "files", "record_index"))
    val renamed = keyed()
    create(renamed)
    EvolvedTables.alter(renamed.table, Seq(1 -> "id", 2 -> "note"), "0" -> Seq(1 -> "key", 2 -> "note"))
    assertEquals(rolledBack(renamed), Seq("files", "record_index"))
    assertEquals(intercept[InvalidInput](create(renamed)).condition, "STATEMENT_NOT_SUPPORTED")
  }

  test("a write is refused as it begins where an index is of a type that hudilite does not take") {
    val table = keyed()
    index(table)
    val schema = """{"type":"record","name":"t_record","fields":[{"name":"id","type":"double"}]}"""
    EvolvedValuesSuite.restate(table, schema)
    assertRefused(table)
  }
}

private object EvolvedValuesSuite {

  /** A commit without files after which the table has these columns, as another engine makes it. */
  def restate(table: KeyedTable, schema: String): Unit = {
    val store = table.table.store
    val instant = store.newInstantTime(table.table.timeline.lastTime.getOrElse(""))
    store.request(instant, Action.Commit)
    store.toInflight(instant, Action.Commit)
    store.complete(instant, Action.Commit,
      CommitMetadata("UPSERT", Map.empty, Map(CommitMetadata.SchemaKey -> schema)))
    ()
  }
}

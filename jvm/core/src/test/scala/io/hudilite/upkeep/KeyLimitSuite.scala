package io.hudilite.upkeep

import io.hudilite.error.{InvalidInput, UnsupportedTable}
import io.hudilite.storage.MemoryStorage
import io.hudilite.transaction.{MetadataTablePolicy, TransactionOptions}
import io.hudilite.transaction.named.NamedKeys

import java.util.concurrent.atomic.AtomicLong

import munit.FunSuite

/** Record keys that no index can have. */
class KeyLimitSuite extends FunSuite with KeyChecks {

  import KeyedTable.group

  test("a record key that is longer than a key of a file is refused by name, and the table stays as it was") {
    val long = "k" + "é" * 17000
    for (tells <- Seq(true, false)) {
      val (p1, p2) = (group("p", 1), group("p", 2))
      val time = new AtomicLong(1767225600000L)
      val storage = new MemoryStorage(() => time.addAndGet(10))
      val table = new KeyedTable(storage, "/t", 9, isPartitioned = false, tells).create()
      table.write("INSERT", Seq(p1 -> Seq("a")), come(p1, "a"))
      val (files, writes) = (table.kept.files, table.table.timeline.writes)
      def insert(options: TransactionOptions): String =
        new KeyedTable(table.storage, "/t", 9, isPartitioned = false, tells, base = options)
          .write("INSERT", Seq(p2 -> Seq(long, "b")), come(p2, "b", long))
      val refused = intercept[UnsupportedTable](insert(TransactionOptions()))
      assertEquals(refused.condition, "UNSUPPORTED_TABLE_FEATURE")
      val columns = table.table.config.recordKeyFields.mkString(", ")
      assert(Seq(s"a record index of $columns,", "begins with 'kéé", "34001 bytes", "32767", "drop the index").forall(
          refused.getMessage.contains), refused.getMessage)
      assertEquals(table.kept.files.filter(_.contains("record_index")), files.filter(_.contains("record_index")))
      assertEquals(table.table.timeline.writes, writes)
      assertWhole(table, "a refusal")
      insert(TransactionOptions(metadata = MetadataTablePolicy.DropAll))
      assertEquals(table.kept.partitions, Seq("files"))
      val tooLong = intercept[InvalidInput](NamedKeys.create(table.table, table.table.config.recordKeyFields,
          table.options, byBuckets = false))
      assertEquals(tooLong.condition, "STATEMENT_NOT_SUPPORTED")
      assertEquals(table.kept.partitions, Seq("files"))
      assertEquals(table.kept.files.filter(_.contains("record_index")), Nil)
      assertEquals(table.kept.home.timeline.pending, Nil)
      table.write("DELETE", Seq(p2 -> Seq("b")), leave("p", long)) // it asks for the index before the row is gone
      assertEquals(table.kept.partitions, Seq("files"))
      table.write("UPSERT", Seq(p1 -> Seq("a")), Nil)
      assertWhole(table, "a write that asks for the index")
    }
  }

  test("a partition with a dot is refused by name where it would have an index of its own") {
    val time = new AtomicLong(1767225600000L)
    val table =
      new KeyedTable(new MemoryStorage(() => time.addAndGet(10)), "/t", 9, isPartitioned = true, tells = true).create()
    val (p1, dotted) = (group("p", 1), group("v=1.5", 1))
    table.write("INSERT", Seq(p1 -> Seq("a")), come(p1, "a"))
    def insert(options: TransactionOptions): String =
      new KeyedTable(table.storage, "/t", 9, isPartitioned = true, tells = true, base = options)
        .write("INSERT", Seq(dotted -> Seq("b")), come(dotted, "b"))
    val refused = intercept[UnsupportedTable](insert(TransactionOptions()))
    assert(refused.getMessage.contains("with 'v=1.5' among these"), refused.getMessage)
    assertWhole(table, "a refusal")
    insert(TransactionOptions(metadata = MetadataTablePolicy.DropAll))
    assertEquals(table.kept.partitions, Seq("files"))
    intercept[InvalidInput](NamedKeys.create(table.table, table.table.config.recordKeyFields, table.options,
        byBuckets = false))
    assertEquals(table.kept.partitions, Seq("files"))
  }
}

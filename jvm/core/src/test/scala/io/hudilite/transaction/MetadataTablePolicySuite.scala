package io.hudilite.transaction

import io.hudilite.TestTables
import io.hudilite.TestTables.{begin, storage}
import io.hudilite.config.{TableKeys, TableProperties}
import io.hudilite.error.UnsupportedTable
import io.hudilite.table.Table

import munit.FunSuite

/** A table with a metadata table, which no write here can maintain. */
class MetadataTablePolicySuite extends FunSuite {

  import MetadataTablePolicy._

  private def options(policy: Policy): TransactionOptions = TransactionOptions(metadata = policy)

  private def listed(table: Table, partitions: String, key: String = TableKeys.MetadataPartitions): Table = {
    for (partition <- partitions.split(","))
      storage.replace(s"${table.basePath}/.hoodie/metadata/$partition/x.hfile", Array[Byte](1, 2))
    TableProperties.update(storage, table.basePath)(_ + (key -> partitions))
    table.refresh()
  }

  private def refused(body: => Any): Map[String, String] = {
    val error = intercept[UnsupportedTable](body)
    assertEquals(error.condition, "METADATA_TABLE_LOST")
    error.parameters
  }

  private def isThere(table: Table): Boolean = storage.exists(s"${table.basePath}/.hoodie/metadata")

  for (version <- Seq(6, 8, 9)) test(s"version $version: a commit empties the property and removes the folder") {
    val table = listed(TestTables.create(version), "column_stats,files,partition_stats")
    val transaction = begin(table)
    assertEquals(table.refresh().config.metadataPartitions, Seq("column_stats", "files", "partition_stats"))
    transaction.commit(Nil)
    assertEquals((table.refresh().config.metadataPartitions, isThere(table)), (Nil, false))
  }

  for (index <- Seq("secondary_index_by_colour", "expr_index_by_day", "not_known_yet"))
    test(s"a write that would remove $index is refused before it begins, with its name and size") {
      val table = listed(TestTables.create(9), s"files,$index")
      val told = refused(begin(table))
      assertEquals((told("partitions"), told("bytes")), (index, "2"))
      assertEquals((table.refresh().timeline.instants, isThere(table)), (Nil, true))
    }

  test("an index that is still being built is kept, too") {
    val table = listed(TestTables.create(9), "record_index", TableKeys.MetadataPartitionsInflight)
    assertEquals(refused(begin(table))("partitions"), "record_index")
  }

  test("a write that may remove any index does") {
    val table = listed(TestTables.create(9), "files,secondary_index_x")
    begin(table, options(DropAll)).commit(Nil)
    assertEquals((table.refresh().config.metadataPartitions, isThere(table)), (Nil, false))
  }

  test("a write that must keep every metadata table is refused for a listing of files") {
    val table = listed(TestTables.create(9), "column_stats,files,secondary_index_x")
    assertEquals(refused(begin(table, options(KeepAll)))("partitions"), "column_stats, files, secondary_index_x")
    assertEquals(table.refresh().timeline.instants, Nil)
  }

  test("a metadata table that appeared since the begin is kept or removed by the same rule") {
    for ((policy, partition) <- Seq(KeepAll -> "files", KeepIndexes -> "secondary_index_x")) {
      val table = TestTables.create(9)
      val transaction = begin(table, options(policy))
      listed(table, partition)
      assertEquals(refused(transaction.commit(Nil))("partitions"), partition)
      transaction.rollback()
      assertEquals((table.refresh().config.metadataPartitions, isThere(table)), (Seq(partition), true))
      assertEquals(table.refresh().timeline.writes, Nil)
    }
    val table = TestTables.create(9)
    val transaction = begin(table)
    listed(table, "files")
    transaction.commit(Nil)
    assertEquals((table.refresh().config.metadataPartitions, isThere(table)), (Nil, false))
  }

  test("a table that only lists definitions of indexes has none to lose") {
    val table = TestTables.create(9)
    storage.replace(s"${table.basePath}/.hoodie/.index_defs/index.json", "{}".getBytes("UTF-8"))
    begin(table).commit(Nil)
    assert(storage.exists(s"${table.basePath}/.hoodie/.index_defs/index.json"))
  }

  test("the names of the three policies") {
    assertEquals(Seq("true", "indexes", "false").map(policy), Seq(KeepAll, KeepIndexes, DropAll))
  }
}

package io.hudilite.transaction.named

import io.hudilite.TestTables
import io.hudilite.TestTables.{begin, storage}
import io.hudilite.config.{TableKeys, TableProperties}
import io.hudilite.error.InvalidInput
import io.hudilite.metadata.IndexDefinitions
import io.hudilite.table.Table
import io.hudilite.transaction.TransactionOptions

import munit.FunSuite

/** Indexes of a metadata table that statements name. */
class NamedIndexesSuite extends FunSuite {

  private val expression = "expr_index_by_day"
  private val secondary = "secondary_index_by_colour"

  private def listed(version: Int, partitions: String*): Table = {
    val table = TestTables.create(version)
    for (partition <- partitions)
      storage.replace(s"${table.basePath}/.hoodie/metadata/$partition/x.hfile", Array[Byte](1, 2))
    val definitions = partitions.map(name => s""""$name": {"indexName": "$name", "sourceFields": ["a"]}""")
    storage.replace(s"${table.basePath}/${IndexDefinitions.Path}",
      definitions.mkString("""{"indexDefinitions": {""", ",", "}}").getBytes("UTF-8"))
    TableProperties.update(storage, table.basePath)(_ + (TableKeys.MetadataPartitions -> partitions.mkString(",")))
    table.refresh()
  }

  private def state(table: Table): (Seq[String], Set[String], Set[String]) = {
    val now = table.refresh()
    val defined = IndexDefinitions.parse(storage.read(s"${table.basePath}/${IndexDefinitions.Path}").get).keySet
    val folders = now.config.metadataPartitions ++ defined ++ Seq(expression, secondary)
    (now.config.metadataPartitions, defined,
      folders.toSet.filter(f => storage.exists(s"${table.basePath}/.hoodie/metadata/$f/x.hfile")))
  }

  private def refused(table: Table, name: String): String = {
    val before = state(table)
    val error = intercept[InvalidInput](NamedIndexes.drop(table, name, TransactionOptions()))
    assertEquals(error.condition, "STATEMENT_NOT_SUPPORTED")
    assertEquals(error.parameters("statement"), s"DROP INDEX $name")
    assertEquals(state(table), before)
    error.parameters("reason")
  }

  for (name <- Seq("by_day", expression, "BY_DAY")) test(s"$name goes with property, definition and folder, alone") {
    val table = listed(9, "files", "not_known_yet", expression, secondary)
    assert(NamedIndexes.drop(table, name, TransactionOptions()))
    val left = Seq("files", "not_known_yet", secondary)
    assertEquals(state(table), (left, left.toSet, left.toSet))
    assert(!NamedIndexes.drop(table.refresh(), name, TransactionOptions()), "it is gone")
    assertEquals(state(table)._1, left)
  }

  test("a table whose only other index has gone is written again, and its metadata table stays listed till then") {
    val table = listed(9, "files", expression)
    intercept[Exception](begin(table))
    assert(NamedIndexes.drop(table, "by_day", TransactionOptions()))
    begin(table.refresh()).commit(Nil)
  }

  test("of two secondary indexes of a merge-on-read table both go, since one of them may be wrong") {
    val table = listed(9, "files", "record_index", secondary, "secondary_index_by_size", "secondary_index_by_ts")
    TableProperties.update(storage, table.basePath)(_ + (TableKeys.Type -> "MERGE_ON_READ"))
    assert(NamedIndexes.drop(table.refresh(), "by_ts", TransactionOptions()))
    assertEquals(state(table)._1, Seq("files", "record_index", secondary, "secondary_index_by_size"))
    assert(NamedIndexes.drop(table.refresh(), "by_size", TransactionOptions()))
    assertEquals(state(table),
      (Seq("files", "record_index"), Set("files", "record_index"), Set("files", "record_index")))
  }

  test("statistics of columns go with those of partitions") {
    val table = listed(9, "column_stats", "files", "partition_stats")
    assert(NamedIndexes.drop(table, "column_stats", TransactionOptions()))
    assertEquals(state(table)._1, Seq("files"))
    assertEquals(TestTables.create(6).config.metadataPartitions, Nil)
    assert(!NamedIndexes.drop(TestTables.create(6), "column_stats", TransactionOptions()))
  }

  test("nothing goes on which another rests, that is being built, or that two indexes may mean") {
    assert(refused(listed(9, "files", "record_index", secondary), "record_index").contains(secondary))
    assert(refused(listed(9, "files", expression), "files").contains("delete_metadata_table"))
    val both = refused(listed(9, "files", "expr_index_a", "secondary_index_a"), "a")
    assert(both.startsWith("expr_index_a and secondary_index_a"), both)
    val building = listed(9, "files")
    TableProperties.update(storage, building.basePath)(_ + (TableKeys.MetadataPartitionsInflight -> expression))
    assert(refused(building.refresh(), "by_day").contains("being built"))
  }
}

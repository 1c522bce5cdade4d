package io.hudilite.service.advise

import io.hudilite.GoldenFolder
import io.hudilite.TestTables.storage
import io.hudilite.metadata.GoldenCopy
import io.hudilite.metadata.MetadataPartition
import io.hudilite.metadata.stored.MetadataTable
import io.hudilite.table.Table

import java.nio.file.{Files, Paths}

import munit.FunSuite

/** Partitions of metadata tables that Apache Hudi wrote. */
class MetadataIndexesSuite extends FunSuite {

  private def all(basePath: String): Map[String, KnownIndex] = {
    val table = Table.open(storage, basePath)
    val metadata = new MetadataTable(table.store, table.timeline)
    new MetadataIndexes(table, _.map(metadata.records(_).size.toLong).sum).all.map(i => i.name -> i).toMap
  }

  for (version <- Seq(6, 8, 9))
    test(s"version $version: each partition is told with its size, its records and what the commits cost") {
      val basePath = GoldenFolder.table(s"metadata-table-v$version")
      val table = Table.open(storage, basePath)
      val metadata = new MetadataTable(table.store, table.timeline)
      val found = all(basePath)
      assertEquals(found.keySet, metadata.listed.toSet)
      found.foreach { case (name, index) =>
        assertEquals(index.problem, "", name)
        assertEquals(index.kind, name)
        assertEquals(index.entries, Some(metadata.records(MetadataPartition.of(name).get).size.toLong), name)
        assert(index.bytes > 0 && index.commits.map(_.bytes).sum > 0 && index.files > 0, index)
        assertEquals(index.maintained, metadata.timeline.writes.lastOption.map(_.time))
      }
      val rows = table.store.readCommits(table.timeline.writes).flatMap(_._2.allStats.map(_.numInserts)).sum
      assert(found("record_index").entries.exists(n => n > 0 && n <= rows), s"${found("record_index")}, $rows")
      assertEquals(found("record_index").columns, table.config.recordKeyFields)
      assert(found("column_stats").entries.get > found("bloom_filters").entries.get)
    }

  test("secondary and expression indexes are told with their columns") {
    val found = all(GoldenFolder.table("metadata-indexes-v9"))
    assertEquals(found("secondary_index_by_colour").kind -> found("secondary_index_by_colour").columns,
      "secondary_index" -> Seq("colour"))
    assertEquals(found("expr_index_by_day").kind, "expression_index")
  }

  test("a damaged partition is told with the reason, and the others as they are") {
    val copy = new GoldenCopy("metadata-table-v9")
    copy.files("\\.hoodie/metadata/record_index/\\.record-index-0003-0_.*").foreach(Files.delete(_))
    val found = all(copy.basePath)
    assert(found("record_index").problem.endsWith("made it, but it is gone"), found("record_index"))
    assertEquals(found("record_index").entries, None)
    assertEquals((found - "record_index").values.map(_.problem).toSet, Set(""))
  }

  test("a metadata table that is gone is told of each partition, and none of a table that has none") {
    val copy = new GoldenCopy("metadata-table-v8")
    Files.delete(Paths.get(copy.basePath, ".hoodie", "metadata", ".hoodie", "hoodie.properties"))
    val found = all(copy.basePath)
    assertEquals(found.values.map(_.problem).toSet, Set("it is listed, but not there"))
    assertEquals(found.values.map(_.commits).toSet, Set(Seq.empty[IndexCost]))
    assertEquals(all(GoldenFolder.table("cow-basic-v9")), Map.empty[String, KnownIndex])
  }
}

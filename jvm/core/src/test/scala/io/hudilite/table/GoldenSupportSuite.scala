package io.hudilite.table

import io.hudilite.{Folders, GoldenFolder, TestTables}
import io.hudilite.TestTables.{begin, storage}
import io.hudilite.config.TableProperties
import io.hudilite.error.{InvalidInput, UnsupportedTable}
import io.hudilite.timeline.{Instant, WriteStat}
import io.hudilite.transaction.{MetadataTablePolicy, TransactionOptions}

import java.nio.file.{Files, Paths, StandardCopyOption}

import munit.FunSuite

import scala.util.Try

/** Remains of Apache Hudi besides rows: cleaned states, indexes, writes that never began. */
class GoldenSupportSuite extends FunSuite {

  private def named(prefix: String): Seq[String] = {
    val found = GoldenFolder.names.filter(_.startsWith(prefix))
    assert(found.nonEmpty, s"there is no golden table $prefix")
    found
  }

  private def open(path: String): Table = Table.open(storage, path)

  private def copy(name: String): String = Folders.copy(Paths.get(GoldenFolder.table(name)),
    Files.createTempDirectory("hudilite-golden-copy").resolve("table"), StandardCopyOption.COPY_ATTRIBUTES).toString

  /** All files that a copy-on-write table consisted of after this write are still there. */
  private def isWhole(table: Table, time: String): Boolean = {
    val stats = table.store.readCommits(table.timeline.writes.filter(_.time <= time)).flatMap(_._2.allStats)
    val newest = stats.map(s => (s.partitionPath, s.fileId) -> s).toMap.values
    newest.forall(s => storage.exists(s"${table.basePath}/${s.path}"))
  }

  private def refusal(table: Table, time: String): Option[String] =
    Try(TableSupport.of(table, TableAccess.Read(Some(time)))).failed.toOption.map {
      case e: InvalidInput => e.condition
      case e => throw e
    }

  for (name <- named("cleaned-by-versions"))
    test(s"$name: a state can be read when all of its files are there, and no other") {
      val table = open(GoldenFolder.table(name))
      val writes = table.timeline.writes
      assert(writes.size > 3)
      val whole = writes.filter(i => isWhole(table, i.time))
      assert(whole.contains(writes.last) && whole.size < writes.size)
      for (i <- writes)
        assertEquals(refusal(table, i.time), if (whole.contains(i)) None else Some("STATE_NOT_RETAINED"), i)
    }

  for (name <- named("cleaned-by-commits"))
    test(s"$name: the states that the cleaner says it keeps can be read, older ones cannot") {
      val table = open(GoldenFolder.table(name))
      val writes = table.timeline.writes
      val readable = writes.filter(i => refusal(table, i.time).isEmpty)
      assert(readable.forall(i => isWhole(table, i.time)))
      assert(readable.size >= 2 && readable == writes.takeRight(readable.size))
      assertEquals(writes.diff(readable).flatMap(i => refusal(table, i.time)).distinct, Seq("STATE_NOT_RETAINED"))
    }

  for (name <- named("cleaned-by"))
    test(s"$name: a range that begins before what the cleaner keeps is refused, unless what is left will do") {
      val table = open(GoldenFolder.table(name))
      val first = table.timeline.writes.head
      val second = table.timeline.writes(1)
      def mark(i: Instant): String = if (table.config.layout == 1) i.time else i.completionTime.get
      val range = IncrementalRange(mark(first), Some(mark(second)))
      val error = intercept[InvalidInput](table.incremental(range))
      assertEquals(error.condition, "RANGE_NOT_RETAINED")
      table.incremental(range, orWhatIsLeft = true)
    }

  for (name <- named("metadata-indexes")) {
    test(s"$name: its indexes are kept unless the writer lets them go, whoever writes") {
      val base = copy(name)
      val error = intercept[UnsupportedTable](begin(open(base)))
      assertEquals(error.condition, "METADATA_TABLE_LOST")
      val told = error.parameters("partitions").split(", ").toSet
      for (index <- Seq("record_index", "secondary_index_", "expr_index_"))
        assert(told.exists(_.startsWith(index)), told)
      assertEquals(told.intersect(Set("files", "column_stats", "partition_stats", "bloom_filters")), Set.empty[String])
      assert(error.parameters("bytes").toLong > 0)
      begin(open(base), TransactionOptions(metadata = MetadataTablePolicy.DropAll)).commit(Nil)
      assertEquals(TableProperties.read(storage, base).metadataPartitions, Nil)
      assertEquals(storage.exists(s"$base/.hoodie/metadata"), false)
    }
  }

  for (name <- named("unbegun"))
    test(s"$name: a write that was only announced is rolled back by the next one") {
      val table = open(copy(name))
      assertEquals(table.timeline.pending.size, 1)
      val transaction = begin(table)
      val stat: WriteStat = TestTables.writeFile(table, transaction.instant, "2026-01-01", "new-0")
      transaction.commit(Seq(stat))
      assertEquals(table.refresh().timeline.pending, Nil)
    }
}

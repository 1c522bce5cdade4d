package io.hudilite.table

import io.hudilite.{GoldenFolder, TestTables}
import io.hudilite.config.{TableProperties, TableType}
import io.hudilite.filegroup.{FileSlice, FooterCache}
import io.hudilite.storage.{HadoopStorage, MemoryStorage}
import io.hudilite.timeline.Action
import io.hudilite.transaction.{TextWrite, TextWrites}

import munit.FunSuite
import org.apache.hadoop.conf.Configuration

/** Numbers of rows as commits count them, also those that Hudi wrote. */
class RowCountsSuite extends FunSuite {

  private val conf = new Configuration()
  private val storage = new HadoopStorage(conf)

  test("what the commits of Hudi's tables counted is what the footers say") {
    val compared = for (name <- GoldenFolder.names) yield {
      val path = GoldenFolder.table(name)
      val table = Table.load(storage, path, TableProperties.read(storage, path))
      val files = table.allSlices().values.flatten.flatMap(_.base).toList
      val counted = RowCounts.of(table, files)
      for (file <- files; rows <- counted.get(file.relativePath))
        assertEquals(rows, FooterCache.read(conf, s"$path/${file.relativePath}", file.length, withBloom = false).rows,
          s"$name: ${file.relativePath}")
      counted.size
    }
    assert(compared.count(_ > 0) > GoldenFolder.names.size / 2, compared.toString)
  }

  test("a file of another size than the commit says is not counted") {
    val path = GoldenFolder.table("cow-basic-v9")
    val table = Table.load(storage, path, TableProperties.read(storage, path))
    val file = table.allSlices().values.flatten.flatMap(_.base).head
    assertEquals(RowCounts.of(table, Seq(file)).size, 1)
    assertEquals(RowCounts.of(table, Seq(file.copy(length = file.length + 1))), Map.empty[String, Long])
  }

  test("slices that are logs alone have the rows that their commits added there") {
    for ((version, rows) <- Seq(9 -> Some(7L), 6 -> None)) {
      val made = TextWrites.table(new MemoryStorage, "/t", version, TableType.MergeOnRead)
      val log = TextWrite("insert", Action.DeltaCommit,
        (t, instant) => {
          val slice = FileSlice("p", "l-0", instant, None, Nil)
          Seq(TestTables.appendLog(t, instant, slice).copy(numInserts = 7L, numWrites = 9L))
        })
      log.run(made)
      val table = made.refresh()
      val (alone, based) = table.allSlices().values.flatten.toSeq.partition(_.base.isEmpty)
      assertEquals((alone.size, based.size), (1, 1))
      assertEquals(RowCounts.estimateOf(table, alone), rows, s"version $version")
      assertEquals(RowCounts.estimateOf(table, alone ++ based),
        RowCounts.estimateOf(table, based).map(_ + rows.getOrElse(0L)))
      assertEquals(RowCounts.estimateOf(table, Nil), Some(0L))
    }
  }
}

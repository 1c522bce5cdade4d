package io.hudilite.upkeep

import io.hudilite.error.{InvalidInput, UnsupportedTable}
import io.hudilite.filegroup.FileGroupId
import io.hudilite.metadata.IndexDefinitions
import io.hudilite.storage.{ForwardingStorage, MemoryStorage, OpenFile}
import io.hudilite.transaction.{MetadataTablePolicy, TransactionOptions}
import io.hudilite.transaction.named.{NamedIndexes, NamedValues}

import java.nio.charset.StandardCharsets.UTF_8
import java.util.concurrent.atomic.AtomicLong

import munit.FunSuite

/** Secondary indexes that hudilite keeps up, beside the rows in the files of the table. */
class PairUpkeepSuite extends FunSuite with KeyChecks {

  import KeyedTable.group

  private def valued(rows: (FileGroupId, Seq[String])*): KeyedTable = {
    val time = new AtomicLong(1767225600000L)
    val storage = new MemoryStorage(() => time.addAndGet(10))
    val table = new KeyedTable(storage, "/t", version = 9, isPartitioned = false, tells = true).create()
    rows.foreach { case (group, some) =>
      table.write("INSERT", Seq(group -> some), come(group, some.map(_.takeWhile(_ != '=')): _*))
    }
    table
  }

  private def create(table: KeyedTable): Unit =
    NamedValues.create(table.table, "v", "id", table.options, byBuckets = false)

  test("a pair that leaves stays where another row of its key has it, and goes where none has") {
    val (p1, q1) = (group("p", 1), group("q", 1))
    val table = valued(p1 -> Seq("a=red", "b=red", "c"), q1 -> Seq("a=blue", "b=red"))
    create(table)
    assertEquals(table.pairs("v"), table.expectedPairs)
    table.write("DELETE", Seq(p1 -> Seq("c")), leave("p", "a", "b"))
    assertEquals(table.places, Seq("a" -> q1, "b" -> q1, "c" -> p1))
    assertEquals(table.pairs("v"), Seq("\u0000$c", "blue$a", "red$b"))
  }

  test("a file with other rows of keys that leave is read once an action, whichever groups of the index ask") {
    val (p1, q1) = (group("p", 1), group("q", 1))
    val rows = "abcdefgh".map(letter => s"$letter=value-$letter")
    var opened = Map.empty[String, Int]
    val time = new AtomicLong(1767225600000L)
    val counting = new ForwardingStorage(new MemoryStorage(() => time.addAndGet(10))) {
      override def open(path: String): OpenFile = {
        opened += path -> (opened.getOrElse(path, 0) + 1)
        super.open(path)
      }
    }
    val table = new KeyedTable(counting, "/t", version = 9, isPartitioned = false, tells = true).create()
    Seq(p1 -> rows, q1 -> rows).foreach { case (to, some) =>
      table.write("INSERT", Seq(to -> some), come(to, some.map(_.takeWhile(_ != '=')): _*))
    }
    create(table)
    opened = Map.empty
    table.write("DELETE", Seq(p1 -> Seq("x=y")), leave("p", rows.map(_.takeWhile(_ != '=')): _*) ++ come(p1, "x"))
    assertEquals(opened.collect { case (path, times) if path.contains(s"/q/${q1.fileId}") => times }.toSeq, Seq(1))
    assertEquals(table.pairs("v"), table.expectedPairs)
  }

  test("a value that is longer than a key of a file ends a secondary index, and nothing else") {
    val (p1, p2) = (group("p", 1), group("p", 2))
    val long = "a=" + "é" * 17000
    val table = valued(p1 -> Seq(long, "b=red"))
    val (refused, files) = (intercept[InvalidInput](create(table)), table.kept.files)
    assertEquals(refused.condition, "STATEMENT_NOT_SUPPORTED")
    assert(!files.exists(_.contains("secondary_index_v")), files)
    assertEquals(table.kept.home.timeline.pending, Nil)
    assertEquals(NamedIndexes.of(table.table.config, "secondary_index_v"), Nil)
    assert(!new String(table.storage.read("/t/" + IndexDefinitions.Path).get, UTF_8).contains("secondary_index_v"))
    table.write("UPSERT", Seq(p1 -> Seq("b=red")), leave("p", "a"))
    create(table)
    assertEquals(table.pairs("v"), Seq("red$b"))
    def insert(to: KeyedTable): String = to.write("INSERT", Seq(p2 -> Seq(long)), come(p2, "a"))
    val tooLong = intercept[UnsupportedTable](insert(table))
    assertEquals(tooLong.condition, "UNSUPPORTED_TABLE_FEATURE")
    assert(Seq("column id", p2.fileId, " bytes").forall(tooLong.getMessage.contains), tooLong.getMessage)
    assertEquals(table.pairs("v"), Seq("red$b"))
    assertEquals(table.places, table.expected)
    insert(new KeyedTable(table.storage, "/t", version = 9, isPartitioned = false, tells = true,
        base = TransactionOptions(metadata = MetadataTablePolicy.DropAll)))
    assertEquals(table.kept.partitions.sorted, Seq("files", "record_index"))
    assertEquals(table.places, table.expected)
    assertEquals(table.kept.differences, Nil)
    assert(!table.kept.files.exists(_.contains("secondary_index_v")), table.kept.files)
  }
}

package io.hudilite.upkeep

import io.hudilite.error.CorruptTable
import io.hudilite.filegroup.{BaseFile, FileSlice, LogFile}
import io.hudilite.metadata.MetadataPartition
import io.hudilite.metadata.stored.MetadataTable
import io.hudilite.storage.{MemoryStorage, Storage}
import io.hudilite.timeline.WriteStat
import io.hudilite.transaction.TransactionOptions
import io.hudilite.transaction.named.{NamedIndexes, NamedKeys}

import java.io.IOException
import java.util.UUID
import java.util.concurrent.atomic.AtomicLong

import munit.FunSuite

import scala.util.Random

/** Compactions of metadata tables with a record index: when they are due, and how they end. */
class IndexCompactionSuite extends FunSuite with KeyChecks {

  import KeyedTable.group

  private def keyed(version: Int): KeyedTable = {
    val time = new AtomicLong(1767225600000L)
    new KeyedTable(new MemoryStorage(() => time.addAndGet(10)), "/t", version, isPartitioned = false, tells = true,
      deltas = 100).create()
  }

  private def uuids(seed: Int, count: Int): Seq[String] = {
    val random = new Random(seed.toLong)
    (0 until count).map(_ => new UUID(random.nextLong(), random.nextLong()).toString)
  }

  private def add(table: KeyedTable, number: Int, keys: Seq[String]): Unit = {
    val _ = table.write("INSERT", Seq(group("p", number) -> keys), come(group("p", number), keys: _*))
  }

  private def compacted(table: KeyedTable, deltas: Int, jobs: KeyJobs = DriverKeyJobs,
      pay: CompactionPay = CompactionPay(1L)): Seq[String] =
    new MetadataCompaction(table.kept.home, jobs, pay).runIfDue(table.kept.data.load(), deltas)

  test("a large index is compacted when its log files have grown, and after thrice the delta commits at the latest") {
    val table = keyed(9)
    add(table, 1, uuids(1, 12000))
    assert(compacted(table, 2, pay = CompactionPay()).nonEmpty, "a small one as soon as it is due")
    (2 to 6).foreach { n =>
      add(table, n, uuids(n, 1))
      assertEquals(compacted(table, 2), Nil, n)
    }
    assertWhole(table, "log files that stay")
    add(table, 7, uuids(7, 1))
    assert(compacted(table, 2).nonEmpty)
    add(table, 8, uuids(8, 5000))
    assertEquals(compacted(table, 2), Nil, "one is too few")
    add(table, 9, uuids(9, 1))
    assert(compacted(table, 2).nonEmpty)
    assertWhole(table, "compactions")
    table.write("UPSERT", Seq(group("p", 9) -> uuids(9, 1)), Nil)
    assert(compacted(table, 1).nonEmpty, "nothing of the index would be written")
  }

  test("a compaction is due by the log files of large base files alone") {
    def slice(base: Long, log: Long): FileSlice = FileSlice("record_index", "record-index-0000-0", "1",
      Some(BaseFile("record_index", "record-index-0000-0_0-0-0_1.hfile", "record-index-0000-0", "0-0-0", "1", base)),
      Seq(LogFile("record_index", ".record-index-0000-0_2.log.1_0-0-0", "record-index-0000-0", "2", 1, None, log)))
    val pay = CompactionPay(leastBytes = 1000, share = 4, most = 3)
    def isDue(since: Int, slices: FileSlice*): Boolean = pay.isDue(since, 10, slices)
    assertEquals((9 to 30 by 7).map(isDue(_, slice(1000, 249))), Seq(false, false, false, true))
    assertEquals(Seq(9, 10).map(isDue(_, slice(1000, 250))), Seq(false, true))
    assertEquals(Seq(9, 10).map(isDue(_, slice(999, 1))), Seq(false, true))
    assertEquals(Seq(9, 10).map(isDue(_)), Seq(false, true))
    assert(!isDue(10, slice(600, 10), slice(600, 10)), "together they are large")
    var isAsked = false
    def asked: Seq[FileSlice] = {
      isAsked = true
      Nil
    }
    assert(!pay.isDue(9, 10, asked) && !isAsked, "no storage is asked before")
    assert(!pay.isDue(1 << 30, Int.MaxValue, Nil))
  }

  for (version <- Seq(6, 9))
    test(s"version $version: a compaction whose tasks die, or run twice, leaves each key once") {
      val table = keyed(version)
      add(table, 1, uuids(1, 50))
      add(table, 2, uuids(2, 50))
      def bases: Map[String, Seq[Byte]] = table.kept.files.filter(f => f.endsWith(".hfile")).map(f =>
        f -> table.storage.read(s"/t/$f").get.toSeq).toMap
      val before = bases
      trait Jobs extends KeyJobs {
        override def run(sources: Seq[KeySource], shards: KeyShards, storage: Storage): Seq[WriteStat] =
          DriverKeyJobs.run(sources, shards, storage)
      }
      val dying = new Jobs {
        override def made(work: Seq[FileWork], storage: Storage): Seq[WriteStat] = {
          work.drop(1).foreach(_.run(storage, () => ()))
          work.head.run(storage, () => throw new IOException("killed"))
          Nil
        }
      }
      assertEquals(intercept[IOException](compacted(table, 1, dying)).getMessage, "killed")
      val left = bases -- before.keySet
      assert(left.size > 1, left.keySet)
      assertWhole(table, "a task that has died")
      // Of an attempt that had other records, and of one that ends late.
      left.keys.take(1).foreach(file => table.storage.replace(s"/t/$file", Array[Byte](1)))
      val twice = new Jobs {
        override def made(work: Seq[FileWork], storage: Storage): Seq[WriteStat] = {
          val first = work.map(_.run(storage, () => ()))
          val files = bases
          assertEquals(work.map(_.run(storage, () => ())), first)
          assertEquals(bases, files)
          (files.keySet -- before.keySet).foreach(file => table.storage.delete(s"/t/$file"))
          assertEquals(work.map(_.run(storage, () => ())), first)
          assertEquals(bases, files)
          first
        }
      }
      assertEquals(compacted(table, 1, twice).size, 1)
      assertEquals(table.kept.home.timeline.pending, Nil)
      assertWhole(table, "a compaction that ran again")
      val slices = new MetadataTable(table.table.store, table.table.timeline).slices(MetadataPartition.RecordIndex)
      assert(slices.forall(slice => slice.base.isDefined && slice.logs.isEmpty), slices.toString)
    }

  test("an index that cannot be compacted is named with a way out, and compactions go on without it") {
    val table = keyed(9)
    add(table, 1, uuids(1, 50))
    assert(compacted(table, 1).nonEmpty)
    add(table, 2, uuids(2, 50))
    table.kept.files.filter(f => f.contains("record_index") && f.endsWith(".hfile")).foreach { file =>
      val content = table.storage.read(s"/t/$file").get
      table.storage.replace(s"/t/$file", content.map(_ => 7.toByte))
    }
    val reason = intercept[CorruptTable](compacted(table, 1)).parameters("reason")
    assert(reason.contains("Until record_index is made anew, by DROP INDEX record_index and CREATE INDEX, "), reason)
    assertEquals(intercept[CorruptTable](compacted(table, 1)).parameters("reason"), reason)
    assert(table.kept.home.timeline.pending.nonEmpty)
    assert(NamedIndexes.drop(table.table, "record_index", TransactionOptions()))
    assert(compacted(table, 100).nonEmpty)
    assertEquals(table.kept.home.timeline.pending, Nil)
    NamedKeys.create(table.table, table.table.config.recordKeyFields, table.options, byBuckets = false)
    assertWhole(table, "an index that is made anew")
  }
}

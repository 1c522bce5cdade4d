package io.hudilite.service.advise

import io.hudilite.codec.bloom.BloomFilter
import io.hudilite.config.{TableConfig, TableDefinition, TableType, WriteConf}
import io.hudilite.filegroup.{BaseFile, FileGroupId, FileSlice}
import io.hudilite.index.BucketIndex
import io.hudilite.stats.{FileBounds, KeyBounds}

import java.nio.charset.StandardCharsets.UTF_8

import munit.FunSuite

/** Advice from the facts of a table. */
class IndexAdviceSuite extends FunSuite {

  private val MiB = 1L << 20

  private def base(partition: String, id: String): BaseFile =
    BaseFile(partition, s"${id}_0-0-0_1.parquet", id, "0-0-0", "1", 10 * MiB)

  private def file(partition: String, id: String, min: String, max: String, passed: Long = 0): SampledFile =
    SampledFile(FileGroupId(partition, id), 10 * MiB, 1000, Some(min), Some(max), 100, 1000, passed)

  private def spread(files: Int, passed: Long = 0): Seq[SampledFile] = (0 until files).map(n =>
    file("", s"f$n", "a", "z", passed))

  private def counts(files: Int, bytes: Long = 60 * MiB): Map[String, PartitionFiles] =
    Map("" -> PartitionFiles(files, 0, bytes, 0))

  private def config(tableType: TableType, keys: Seq[String] = Seq("id")): TableConfig =
    TableConfig.create(TableDefinition("t", keys, tableType = tableType))

  private val plain = AdvisedTable(config(TableType.CopyOnWrite), WriteConf.of(Map.empty), None, counts(6), spread(6),
    None)
  private val logged = plain.copy(config = config(TableType.MergeOnRead))

  private def upsert(keys: Long, ids: String*): Option[LastUpsert] =
    Some(LastUpsert("2", Map("" -> keys), ids.map(FileGroupId("", _)).toSet))

  private def advised(table: AdvisedTable): IndexAdvice = {
    val advice = IndexAdvice.of(table)
    assert(advice.why.startsWith(s"${advice.index}, since ") && advice.why.endsWith("."), advice.why)
    assert(!advice.why.contains("\n"), advice.why)
    advice
  }

  test("a filter is asked about keys that its file does not have, and tells when it holds too many") {
    def passed(keys: Int, entries: Int): Double = {
      val filter = BloomFilter.create(BloomFilter.Simple, entries, 0.01, entries)
      val all = (0 until keys).map(n => f"k$n%06d")
      all.foreach(key => filter.add(key.getBytes(UTF_8)))
      val facts = SampledFile.of(base("", "f"),
        FileBounds(keys.toLong, KeyBounds(all.headOption, all.lastOption, Some(filter))))
      assertEquals(facts.probes, SampledFile.Probes.toLong)
      assert(facts.filterBytes > 0)
      facts.passes
    }
    assert(passed(1000, 1000) > 0.002 && passed(1000, 1000) < 0.03, passed(1000, 1000))
    assert(passed(20000, 1000) > 0.9, passed(20000, 1000))
    val bare = SampledFile.of(base("", "f"), FileBounds(5, KeyBounds(None, None)))
    assertEquals((bare.probes, bare.filterBytes, bare.passes, bare.within(file("", "g", "a", "b"))), (0L, 0L, 1.0, 1.0))
  }

  test("ranges that have no key in common leave a key one file, and a filter nothing to do") {
    val ordered = (0 until 6).map(n => file("", s"f$n", s"k${n}0", s"k${n}9"))
    val advice = advised(plain.copy(sample = ordered, upsert = upsert(500, "f5")))
    assertEquals((advice.index, advice.probedByKey, advice.probedByUpsert), ("SIMPLE", 1.0, Some(1.0)))
    assertEquals((advice.falsePositives, advice.filesRead, advice.files), (Some(0.0), 6, 6))
    assert(advice.why.endsWith("would open 1.0 of 6 file groups; 6 of 6 footers read."), advice.why)
  }

  test("the keys of a file are taken to be spread over its range") {
    def share(min: String, max: String, otherMin: String, otherMax: String): Double =
      file("", "f", min, max).within(file("", "g", otherMin, otherMax))
    assertEquals(share("k10", "k20", "k00", "k99"), 1.0)
    assertEquals(share("k10", "k20", "k21", "k99"), 0.0)
    assertEquals(share("k10", "k10", "k10", "k99"), 1.0)
    assertEqualsDouble(share("k10", "k90", "k50", "k99"), 0.5, 0.01)
    assertEqualsDouble(share("\u4e00", "\u9fff", "\u5000", "\u6000"), 1.0, 0.0)
    val random = new scala.util.Random(7)
    val files = (0 until 10).map { n =>
      val keys = Seq.fill(100)(java.util.UUID.nameUUIDFromBytes(random.nextLong().toString.getBytes(UTF_8)).toString)
      file("", s"f$n", keys.min, keys.max)
    }
    val advice = advised(plain.copy(sample = files.map(_.copy(probes = 0)), counts = counts(10)))
    assert(advice.probedByKey > 9.5 && advice.probedByKey <= 10, advice)
  }

  test("ranges that are alike leave a key all files, of which filters leave its own") {
    val advice = advised(plain.copy(upsert = upsert(500, "f0", "f1")))
    assertEquals((advice.index, advice.probedByKey, advice.probedByUpsert), ("BLOOM", 1.0, Some(2.0)))
    assert(advice.why.contains("in the range of 6.0 of the files"), advice.why)
    assert(advice.why.contains("filters leave 1.0 of them (0 of 6,000 absent keys pass)"), advice.why)
    val leaky = advised(plain.copy(sample = spread(6, passed = 100), upsert = upsert(3, "f0")))
    assertEquals(leaky.probedByKey, 1.5)
    assertEqualsDouble(leaky.probedByUpsert.get, 1 + 5 * (1 - 0.9 * 0.9 * 0.9), 1e-9)
    assertEquals(advised(plain.copy(sample = spread(6, passed = 900))).index, "SIMPLE")
    val bare = spread(6).map(_.copy(probes = 0, filterBytes = 0))
    val without = advised(plain.copy(sample = bare))
    assertEquals((without.index, without.probedByKey, without.falsePositives), ("SIMPLE", 6.0, None))
  }

  test("files are advised to be as large as their filters carry") {
    assertEquals(advised(plain).fileBytes, 120 * MiB)
    val overfull = advised(plain.copy(sample = spread(6, passed = 100).map(_.copy(rows = 300000))))
    assertEquals(overfull.fileBytes, 16 * MiB)
    val larger = plain.copy(sample = spread(6, passed = 100).map(_.copy(rows = 30000)))
    assertEquals(advised(larger).fileBytes, (10 * MiB * 6).toDouble./(180000).*(100000).toLong)
    assert(advised(larger).why.contains("no more keys than a filter is laid out for"))
  }

  test("buckets fit a merge-on-read table whose upserts go everywhere, and keep their number while it fits") {
    val all = upsert(600, (0 until 6).map(n => s"f$n"): _*)
    val moved = advised(logged.copy(upsert = all, counts = counts(6, 300 * MiB)))
    assertEquals((moved.index, moved.buckets, moved.fileBytes, moved.probedByKey), ("BUCKET", Some(3), 100 * MiB, 1.0))
    assertEquals(moved.probedByUpsert, Some(6.0))
    Seq(plain.copy(upsert = all), logged.copy(upsert = upsert(600, "f0")),
      logged.copy(upsert = all, conf = WriteConf.of(Map("hoodie.index.type" -> "GLOBAL_BLOOM"))),
      logged.copy(upsert = all, counts = counts(6) ++ (0 until 9).map(n => s"p$n" -> PartitionFiles(1, 0, 10, 0))))
      .foreach(other => assert(advised(other).index.endsWith("BLOOM"), other))
    def having(count: Int): IndexAdvice = advised(logged.copy(buckets = Some(Right(BucketIndex(count, Seq("id")))),
        counts = counts(6, 1200 * MiB)))
    assertEquals(Seq(4, 5, 20, 21).map(having(_).buckets), Seq(Some(10), Some(5), Some(20), Some(10)))
    assertEquals(having(4).index, "BUCKET")
    assert(having(4).why.contains("10 buckets would hold 120.0 MiB each"), having(4).why)
    val unknown = advised(logged.copy(buckets = Some(Left("2, 4 would fit"))))
    assertEquals((unknown.index, unknown.buckets), ("BUCKET", None))
    assert(unknown.why.contains("2, 4 would fit"), unknown.why)
  }

  test("tables without rows, without keys and without meta columns are told so") {
    val empty = advised(plain.copy(counts = Map.empty, sample = Nil))
    assertEquals((empty.index, empty.files, empty.probedByKey, empty.buckets), ("SIMPLE", 0, 0.0, Some(1)))
    val generated = advised(plain.copy(config = config(TableType.CopyOnWrite, Nil)))
    assertEquals((generated.index, generated.buckets), ("SIMPLE", None))
    assert(generated.why.contains("generated"), generated.why)
    val bare = TableConfig(plain.config.properties + ("hoodie.populate.meta.fields" -> "false"))
    assertEquals(advised(plain.copy(config = bare)).probedByKey, 6.0)
  }

  test("keys of the whole table are looked for in the files of all partitions") {
    val global = WriteConf.of(Map("hoodie.index.type" -> "GLOBAL_SIMPLE"))
    val files = Seq("p", "q").flatMap(p => (0 until 2).map(n => file(p, s"$p$n", "a", "z")))
    val of = Seq("p", "q").map(_ -> PartitionFiles(2, 1, MiB, 0)).toMap
    val own = advised(plain.copy(sample = files, counts = of))
    val all = advised(plain.copy(sample = files, counts = of, conf = global))
    assertEquals((own.index, all.index, all.buckets), ("BLOOM", "GLOBAL_BLOOM", None))
    assert(own.why.contains("range of 3.0 of") && all.why.contains("range of 6.0 of"), own.why + all.why)
  }

  test("a sample is one of whole partitions as far as there is room, and stands for the others") {
    def counted(most: Int, first: Set[String] = Set.empty): CountedFiles = {
      val files = new CountedFiles(most, first)
      (0 until 50).foreach { p =>
        files.add(s"p$p", (0 until 4).map(n => FileSlice.ofBase(base(s"p$p", s"p$p-$n"))))
      }
      files
    }
    val ten = counted(10, Set("p7", "p31")).sample
    assertEquals(ten.size, 10)
    assertEquals(ten.groupBy(_.partition).values.map(_.size).toSeq.sorted, Seq(2, 4, 4))
    assertEquals(ten.map(_.partition).distinct.take(2).toSet, Set("p7", "p31"))
    assertEquals(counted(10, Set("p7", "p31")).sample, ten)
    assertEquals(Seq(1, 3, 4, 200, 1000).map(counted(_).sample.size), Seq(1, 3, 4, 200, 200))
    assertEquals(counted(3).byPartition.values.map(_.bases).sum, 200)
    val some = advised(plain.copy(sample = spread(3), counts = counts(300)))
    assertEquals((some.filesRead, some.files), (3, 300))
    assert(some.why.contains("range of 300.0 of"), some.why)
  }
}

package io.hudilite.metadata

import io.hudilite.metadata.MetadataAction._
import io.hudilite.metadata.MetadataPayload.Statistics
import io.hudilite.metadata.StatValue._
import io.hudilite.metadata.known.ColumnSpan
import io.hudilite.timeline.{CommitMetadata, WriteStat}

import munit.FunSuite

/** Statistics that must not claim what no file has told. */
class StatisticsRecordsSuite extends FunSuite {

  private val (earlier, t, later) = ("20260101000000000", "20260102000000000", "20260103000000000")
  private val shape = MetadataShape(Set(MetadataPartition.PartitionStats), 9, Seq("n"))
  private val int = StatType.plain(StatType.Int)

  private def facts(values: Long, nulls: Option[Long], bounds: Option[(Int, Int)], isEmpty: Boolean = false)
      : KnownFile =
    KnownFile(9,
      Map("n" -> ColumnFacts(values, nulls, 1, 1, bounds.map { case (a, b) => (Int32(a), Int32(b)) }, isEmpty, int)))

  private def told(file: String, min: Int, max: Int): (String, Seq[ColumnStatistics]) =
    file -> Seq(ColumnStatistics(file, "n", Some(Int32(min)), Some(Int32(max)), 5, 0, 1, 1, valueType = Some(int)))

  private def write(file: KnownFile, name: String, fileId: String, replaced: Seq[String] = Nil): Written = Written(t,
    CommitMetadata("UPSERT", Map("p" -> Seq(WriteStat(fileId, s"p/$name", "null", "p", fileSizeInBytes = 9))),
      Map.empty,
      if (replaced.isEmpty) Map.empty else Map("p" -> replaced)), Map(s"p/$name" -> file))

  private def ofPartition(write: Written, slices: Seq[KnownSlice], known: (String, Seq[ColumnStatistics])*)
      : ColumnStatistics =
    MetadataRecords.of(write, MetadataState(shape, Map("p" -> slices), Map("p" -> known.toMap)))
      .records(MetadataPartition.PartitionStats) match {
      case Seq(MetadataRecord(_, Statistics(of, true))) => of
      case other => fail(s"$other")
    }

  test("bounds of a partition are those of the slices that stay and of the new file, with counts") {
    val slices =
      Seq(KnownSlice("a", Some("a_old"), Seq(KnownLog(".a.log", earlier))), KnownSlice("b", Some("b_old"), Nil),
        KnownSlice("c", Some("c_old"), Nil))
    val of = ofPartition(write(facts(3, Some(1), Some((4, 6))), "a_new", "a", replaced = Seq("c")), slices,
      told("a_old", -100, 100), told(".a.log", -99, 99), told("b_old", 5, 8), told("c_old", -50, 50))
    assertEquals((of.min, of.max, of.values, of.nulls, of.isTight, of.isDeleted),
      (Option[StatValue](Int32(4)), Option[StatValue](Int32(8)), 8L, 1L, true, false))
  }

  test("a log file that completed after a compaction was planned stays on top of its base file") {
    val slices = Seq(KnownSlice("a", Some("a_old"), Seq(KnownLog(".a.log.1", earlier), KnownLog(".a.log.2", later))))
    val of = ofPartition(write(facts(3, Some(0), Some((4, 6))), "a_new", "a"), slices,
      told("a_old", -100, 100), told(".a.log.1", -99, 99), told(".a.log.2", 1, 2))
    assertEquals((of.min, of.max), (Option[StatValue](Int32(1)), Option[StatValue](Int32(6))))
  }

  test("a partition with a file that does not tell of a column has no bounds of it") {
    val slices = Seq(KnownSlice("b", Some("b_old"), Nil))
    assert(ofPartition(write(facts(3, Some(0), Some((4, 6))), "a_new", "a"), slices).isDeleted)
    // Not a number was among the values, or the writer has counted no nulls.
    assert(ofPartition(write(facts(3, Some(0), None), "a_new", "a"), slices, told("b_old", 5, 8)).isDeleted)
    assert(ofPartition(write(facts(3, None, Some((4, 6))), "a_new", "a"), slices, told("b_old", 5, 8)).isDeleted)
  }

  test("a skeleton of a bootstrap has rows, though its footer has none of the columns") {
    def withoutBounds(name: String): Option[String] = MetadataRecords.withoutBounds(
      Everything(t, Map("p" -> Map(name -> KnownFile(9), "b_new" -> facts(3, Some(0), Some((4, 6)))))),
      MetadataState(shape, Map("p" -> Seq(KnownSlice("a", Some(name), Nil), KnownSlice("b", Some("b_new"), Nil)))))
    assertEquals(withoutBounds(s"a_0-0-0_$t.parquet"), None)
    assert(withoutBounds("a_0-0-0_00000000000001.parquet").exists(_.contains("has no bounds of n")))
  }

  test("files of nulls alone, and log files of deletes alone, do not take bounds away") {
    val slices = Seq(KnownSlice("b", Some("b_old"), Seq(KnownLog(".b.log", earlier))))
    val nulls = ofPartition(write(facts(3, Some(3), None, isEmpty = true), "a_new", "a"), slices, told("b_old", 5, 8))
    assertEquals((nulls.min, nulls.max, nulls.nulls), (Option[StatValue](Int32(5)), Option[StatValue](Int32(8)), 3L))
    val deletes = ofPartition(write(KnownFile(9), ".b_new.log.1", "b"), slices, told("b_old", 5, 8))
    assertEquals((deletes.min, deletes.values, deletes.valueType), (Option[StatValue](Int32(5)), 5L, Option(int)))
  }

  test("bounds of types that do not compare are no bounds of the partition") {
    val wide = KnownFile(9,
      Map("n" -> ColumnFacts(3, Some(0), 1, 1, Some((Int64(1), Int64(2))), isEmpty = false,
        StatType.plain(StatType.Long))))
    assert(ofPartition(write(wide, "a_new", "a"), Seq(KnownSlice("b", Some("b_old"), Nil)),
        told("b_old", 5, 8)).isDeleted)
  }

  test("values of a log file are gathered with zeros of both signs, and not at all where one is no number") {
    def span(values: Option[StatValue]*): ColumnFacts = {
      val span = new ColumnSpan(StatType.plain(StatType.Double))
      values.foreach(span.add(_: Option[StatValue]))
      span.facts
    }
    val zeros = span(Some(Float64(0d)), None)
    assertEquals((zeros.values, zeros.nulls, zeros.isEmpty), (2L, Option(1L), false))
    val Float64(min) = zeros.bounds.get._1: @unchecked
    val Float64(max) = zeros.bounds.get._2: @unchecked
    assertEquals((1 / min, 1 / max), (Double.NegativeInfinity, Double.PositiveInfinity))
    val odd = span(Some(Float64(1d)), Some(Float64(Double.NaN)), Some(Float64(2d)))
    assertEquals((odd.nulls, odd.bounds, odd.isEmpty),
      (Option.empty[Long], Option.empty[(StatValue, StatValue)], false))
    assertEquals((span(None, None).isEmpty, span(None, None).nulls), (true, Option(2L)))
  }
}

package io.hudilite.metadata

import io.hudilite.metadata.MetadataPayload._
import io.hudilite.metadata.StatValue._

import munit.FunSuite

class RecordMergeSuite extends FunSuite {

  private def names(entries: (String, Long)*): Names = Names(
    entries.map { case (name, bytes) => name -> NamedFile(bytes.max(0L), isDeleted = bytes < 0) }.toMap,
    ofPartitions = false)

  private def merged(records: MetadataPayload*): Option[MetadataPayload] =
    RecordMerge.live(records.reduce(RecordMerge.merge(_, _)))

  private def statistics(min: StatValue, max: StatValue): ColumnStatistics =
    ColumnStatistics("f", "c", Some(min), Some(max), 10L, 1L, 100L, 200L)

  test("names are put together, and a file has the greatest length that is told") {
    assertEquals(merged(names("a" -> 5L, "b" -> 7L), names("a" -> 9L, "c" -> 1L), names("a" -> 6L)),
      Some(names("a" -> 9L, "b" -> 7L, "c" -> 1L)))
  }

  test("a file that is gone is gone from below, too, whichever records were merged first") {
    val (below, added, gone) = (names("a" -> 5L, "b" -> 1L), names("a" -> 6L), names("a" -> -1L))
    val left = Some(names("b" -> 1L))
    assertEquals(merged(below, added, gone), left)
    assertEquals(merged(below, RecordMerge.merge(added, gone)), left)
    assertEquals(merged(gone, names("a" -> 4L)), Some(names("a" -> 4L)))
  }

  test("statistics widen, and replace where they are tight or the older ones are deleted") {
    val (older, newer) = (statistics(Int32(3), Int32(8)), statistics(Int32(5), Int32(9)))
    val both = newer.copy(min = Some(Int32(3)), values = 20L, nulls = 2L, bytes = 200L, uncompressedBytes = 400L)
    def of(s: ColumnStatistics): Statistics = Statistics(s, ofPartition = false)
    assertEquals(merged(of(older), of(newer)), Some(of(both)))
    assertEquals(merged(of(older), of(newer.copy(isTight = true))), Some(of(newer.copy(isTight = true))))
    assertEquals(merged(of(older.copy(isDeleted = true)), of(newer)), Some(of(newer)))
    assertEquals(merged(of(older), of(newer.copy(isDeleted = true))), None)
    assertEquals(merged(of(older.copy(min = None, max = None)), of(newer)).collect { case s: Statistics => s.of.min },
      Some(Some(Int32(5))))
    intercept[IllegalArgumentException](merged(of(older), of(statistics(Text("a"), Text("b")))))
  }

  test("of filters, pairs and places the newest counts") {
    assertEquals(merged(Pair(isDeleted = true), Pair(isDeleted = false)), Some(Pair(isDeleted = false)))
    assertEquals(merged(Bloom("k", "1", "x", isDeleted = false), Bloom("", "2", "", isDeleted = true)), None)
    assertEquals(merged(Place("p", "a", None, None), Place("q", "b", None, None)), Some(Place("q", "b", None, None)))
  }

  test("values compare with values of their kind: texts as bytes, decimals by number, and no number with any") {
    assertEquals(StatValue.compare(Text("\ue000"), Text("\ud800\udc00")).exists(_ < 0), true)
    assertEquals(StatValue.compare(Octets("7f"), Octets("ff")).exists(_ < 0), true)
    assertEquals(StatValue.compare(Decimal(new java.math.BigDecimal("0.10")), Decimal(new java.math.BigDecimal("0.1"))),
      Some(0))
    assertEquals(StatValue.compare(Float64(-0.0), Float64(0.0)), Some(0))
    assertEquals(StatValue.compare(Float64(Double.NaN), Float64(1.0)), None)
    assertEquals(StatValue.compare(Int32(1), Int64(1L)), None)
  }
}

package io.hudilite.service.advise

import io.hudilite.metadata.StatValue._

import munit.FunSuite

class ColumnOverlapsSuite extends FunSuite {

  private def of(bounds: (Int, Int)*): Option[ColumnOverlaps.Overlap] =
    ColumnOverlaps.of(bounds.map { case (least, greatest) => (Int32(least), Int32(greatest)) })

  test("each bound counts the files between whose bounds it lies") {
    val found = of(1 -> 5, 3 -> 7, 7 -> 8).get
    assertEquals(found.counts, Seq(1, 1, 2, 2, 2))
    assertEquals((found.most, found.average), (2, 1.6))
    assertEquals(Seq(50, 75, 95, 99).map(found.percentile), Seq(2, 2, 2, 2))
    assertEquals(of(1 -> 1).get.counts, Seq(1))
    assertEquals(of(1 -> 1, 1 -> 1, 2 -> 3).get.counts, Seq(1, 1, 2))
    assertEquals(of(1 -> 9, 1 -> 9).get.counts, Seq(2, 2))
  }

  test("bounds of a column that became wider compare, those of other kinds do not") {
    assertEquals(ColumnOverlaps.of(Seq(Int32(1) -> Int32(3), Int64(2L) -> Int64(9L))).map(_.counts),
      Some(Seq(1, 1, 2, 2)))
    assertEquals(ColumnOverlaps.of(Seq(Int32(1) -> Int32(3), Text("a") -> Text("b"))), None)
    assertEquals(ColumnOverlaps.of(Seq(Float64(Double.NaN) -> Float64(1.0))), None)
    assertEquals(ColumnOverlaps.of(Nil), None)
  }
}

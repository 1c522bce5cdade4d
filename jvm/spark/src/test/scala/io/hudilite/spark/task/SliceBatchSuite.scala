package io.hudilite.spark.task

import io.hudilite.filegroup.{BaseFile, FileSlice}

import munit.FunSuite

class SliceBatchSuite extends FunSuite {

  private val MiB = 1L << 20

  private def slice(number: Int, mebibytes: Long): FileSlice = {
    val base = BaseFile("p", s"g-${number}_0-0-0_20260101000000000.parquet", s"g-$number", "0-0-0", "20260101000000000",
      mebibytes * MiB)
    FileSlice("p", s"g-$number", "20260101000000000", Some(base), Nil)
  }

  private def sizes(mebibytes: Seq[Long], cores: Int): Seq[Int] =
    SliceBatch.deal(mebibytes.zipWithIndex.map { case (size, i) => slice(i, size) }, cores).map(_.slices.size).sorted

  test("small slices are dealt to as many tasks as there are cores") {
    assertEquals(sizes(Seq.fill(12)(1L), cores = 4), Seq(3, 3, 3, 3))
    assertEquals(sizes(Seq.fill(3)(1L), cores = 4), Seq(1, 1, 1))
    assertEquals(sizes(Nil, cores = 4), Nil)
  }

  test("a large slice has a task of its own, and no task gets much more than the others") {
    assertEquals(sizes(Seq.fill(12)(100L), cores = 2), Seq.fill(12)(1))
    assertEquals(sizes(100L +: Seq.fill(40)(1L), cores = 2), Seq(1, 8, 8, 8, 8, 8))
  }

  test("every slice is in one lot") {
    val slices = (1 to 50).map(i => slice(i, i.toLong))
    assertEquals(SliceBatch.deal(slices, 3).flatMap(_.slices).sortBy(_.fileId), slices.sortBy(_.fileId))
  }
}

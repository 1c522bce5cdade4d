package io.hudilite.stats

import io.hudilite.filegroup.FileSlice
import io.hudilite.metadata.StatValue
import io.hudilite.schema.ColumnNames

/** Columns of slices, by what is known of them all without a look at each.
  *
  * @param sources
  *   of statistics, the cheapest first
  */
private[hudilite] final class KnownColumns(
    columns: Set[FilterColumn], sources: Seq[ColumnRanges], names: (String, Boolean) => Option[ColumnNames]) {

  private val questions = new SliceQuestions(columns, names)

  private def known(slices: Seq[FileSlice]): Seq[RangedSlice] =
    sources.foldLeft(slices.map(questions.opened))((found, source) => RangedSlice.narrowed(found, found, source))

  /** How far the values of a column tell the slices apart: the share of pairs of slices that are apart in it.
    *
    * A value of one slice leaves out all slices that it is apart from, whose values all are less or all are greater. So
    * this is the share of slices which one value leaves out on average, or less: 0 where rows come in no order of the
    * column, nearly 1 where they are sorted by it.
    *
    * @param mayTell
    *   of a slice, when nothing is known of it: then it is taken to be apart from all
    */
  def apart(slices: Seq[FileSlice], mayTell: FileSlice => Boolean): Map[FilterColumn, Double] = {
    val found = known(slices)
    columns.map(column => column -> apart(found, column, mayTell)).toMap
  }

  /** The range around all values of a column, for those of which it is known of every slice. Nulls are those of base files,
    * some of which a log file may have replaced.
    */
  def around(slices: Seq[FileSlice]): Map[FilterColumn, ColumnRange] = {
    val found = known(slices)
    (for (column <- columns.iterator; range <- around(found.flatMap(_.files), column)) yield column -> range).toMap
  }

  private def around(files: Seq[RangedFile], column: FilterColumn): Option[ColumnRange] = {
    val ranges = files.map(file =>
      file.ranges.get(column).map(range => if (file.file.isLog) range.copy(nulls = Some(0L)) else range))
    if (ranges.exists(_.isEmpty)) None else ranges.flatten.reduceOption((a, b) => a.or(b))
  }

  private def apart(slices: Seq[RangedSlice], column: FilterColumn, mayTell: FileSlice => Boolean): Double = {
    val ranges = slices.flatMap { slice =>
      val files = slice.files.map(_.ranges.get(column))
      if (files.forall(_.isDefined)) files.flatten.reduceOption((a, b) => a.or(b)).flatMap(_.values)
      else if (mayTell(slice.slice)) None
      else Some(ValueRange(None, None))
    }
    val all = pairs(slices.size)
    if (all == 0) 0.0 else (all - overlapping(ranges)).toDouble / all
  }

  private def overlapping(ranges: Seq[ValueRange]): Long = {
    val ends = ranges.flatMap(_.high).sortWith((a, b) => isLess(a, b)).toIndexedSeq
    pairs(ranges.size) - ranges.flatMap(_.low).map(ValueRange.firstNotBelow(ends, _).toLong).sum
  }

  private def isLess(a: StatValue, b: StatValue): Boolean = StatValue.compare(a, b).exists(_ < 0)

  private def pairs(of: Int): Long = of.toLong * (of - 1) / 2
}

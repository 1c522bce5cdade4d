package io.hudilite.stats

import io.hudilite.filegroup.FileSlice
import io.hudilite.metadata.StatValue
import io.hudilite.schema.ColumnNames

/** How far the values of columns tell the slices of a table apart.
  *
  * A value of one slice leaves out all slices that it is apart from, whose values all are less or all are greater. So the
  * share of pairs that are apart is the share of slices which one value leaves out on average, or less: 0 where rows come
  * in no order of the column, nearly 1 where they are sorted by it.
  *
  * @param sources
  *   of statistics, the cheapest first
  */
private[hudilite] final class ColumnSpread(
    columns: Set[FilterColumn], sources: Seq[ColumnRanges], names: (String, Boolean) => Option[ColumnNames]) {

  private val questions = new SliceQuestions(columns, names)

  /** The share of pairs of slices that are apart in a column.
    *
    * @param mayTell
    *   of a slice, when nothing is known of it: then it is taken to be apart from all
    */
  def of(slices: Seq[FileSlice], mayTell: FileSlice => Boolean): Map[FilterColumn, Double] = {
    val known = sources.foldLeft(slices.map(questions.opened))((found, source) =>
      RangedSlice.narrowed(found, found, source))
    columns.map(column => column -> apart(known, column, mayTell)).toMap
  }

  private def apart(slices: Seq[RangedSlice], column: FilterColumn, mayTell: FileSlice => Boolean): Double = {
    val ranges = slices.flatMap { slice =>
      val files = slice.files.map(_.ranges.get(column))
      if (files.forall(_.isDefined)) files.flatten.flatMap(_.values).reduceOption((a, b) => a.or(b))
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

package io.hudilite.stats

import io.hudilite.filegroup.FileSlice
import io.hudilite.schema.ColumnNames

/** Leaves out file slices that hold none of the first rows in the order of a column.
  *
  * Base files of which all rows pass the filters hold a known number of rows up to a known place. Where those are enough,
  * no row behind that place is among the first, and slices that only have such rows go. Rows at the place itself stay, so
  * that ties are the reader's to break. A slice with log files promises no rows: these may delete, move or add some.
  *
  * @param wanted
  *   how many rows are the first
  * @param filters
  *   all of which a row has to pass
  * @param sources
  *   of statistics, the cheapest first
  * @param names
  *   names of columns in a file by the time in its name; `None` where they are not certain
  */
private[hudilite] final class TopFiles(
    order: ValueOrder, wanted: Long, filters: Seq[ColumnFilter], sources: Seq[ColumnRanges],
    names: (String, Boolean) => Option[ColumnNames]) {

  import TopFiles._

  private val questions = new SliceQuestions(filters.flatMap(_.columns).toSet + order.column, names)

  /** The slices that may have some of the first rows.
    *
    * @param told
    *   ranges that count in place of those of the statistics
    * @param rows
    *   counts the rows of slices without log files; one that is missing is not counted
    */
  def kept(slices: Seq[FileSlice], told: FileSlice => Map[FilterColumn, ColumnRange],
      rows: Seq[FileSlice] => Map[FileSlice, Long]): Seq[FileSlice] = {
    val opened = slices.map { slice =>
      val asked = questions.opened(slice)
      asked.copy(files = asked.files.map(file => file.copy(ranges = file.ranges ++ told(slice))))
    }
    val known = sources.foldLeft(opened)((found, source) => RangedSlice.narrowed(found, found, source))
    val sure = known.filter(promises).map(s => Promise(s.slice, order.parts(rangeOf(s))))
      .sortWith((a, b) => order.compare(a.parts.head.place, b.parts.head.place) < 0)
    place(sure, rows).fold(slices)(last => known.filter(mayReach(_, last)).map(_.slice))
  }

  private def rangeOf(slice: RangedSlice): ColumnRange =
    slice.files.head.ranges.getOrElse(order.column, ColumnRange.Unknown)

  private def promises(slice: RangedSlice): Boolean = {
    def ranges(column: FilterColumn): Seq[ColumnRange] =
      slice.files.map(_.ranges.getOrElse(column, ColumnRange.Unknown))
    slice.slice.logs.isEmpty && slice.slice.base.isDefined && filters.map(_.outcomes(ranges)).forall(outcome =>
      !outcome.isFalse && !outcome.isNull) && order.parts(rangeOf(slice)).nonEmpty
  }

  private def mayReach(slice: RangedSlice, last: OrderPlace): Boolean = slice.files.exists(file =>
    order.first(file.ranges.getOrElse(order.column, ColumnRange.Unknown)).exists(order.compare(_, last) <= 0))

  /** The first place up to which enough rows are promised. Files are counted until no other can bring it forward. */
  private def place(sure: Seq[Promise], rows: Seq[FileSlice] => Map[FileSlice, Long]): Option[OrderPlace] = {
    var (left, counted, found) = (sure, Seq.empty[(OrderPlace, Long)], Option.empty[OrderPlace])
    def mayImprove: Boolean =
      left.headOption.exists(next => found.forall(order.compare(next.parts.head.place, _) < 0))
    var batch = FirstBatch
    while (mayImprove) {
      val (now, later) = left.splitAt(batch)
      val known = rows(now.map(_.slice))
      counted = (counted ++ now.flatMap(p => known.get(p.slice).toSeq.flatMap(p.rowsBy)))
        .sortWith((a, b) => order.compare(a._1, b._1) < 0)
      found = enough(counted)
      left = later
      batch *= 2
    }
    found
  }

  private def enough(counted: Seq[(OrderPlace, Long)]): Option[OrderPlace] = {
    val sums = counted.scanLeft(0L)(_ + _._2).tail
    counted.zip(sums).collectFirst { case ((place, _), sum) if sum >= wanted => place }
  }
}

private object TopFiles {

  val FirstBatch = 16

  /** Places up to which a slice holds rows, in their order; there is at least one. */
  final case class Promise(slice: FileSlice, parts: Seq[OrderPart]) {

    def rowsBy(all: Long): Seq[(OrderPlace, Long)] = parts.map(part => part.place -> math.max(part.rows(all), 0L))
  }
}

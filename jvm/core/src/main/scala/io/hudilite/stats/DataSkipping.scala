package io.hudilite.stats

import io.hudilite.filegroup.FileSlice
import io.hudilite.schema.ColumnNames

/** Leaves out file slices of which statistics show that no row passes the filters. A slice goes as a whole: which of its
  * versions of a row counts is not asked, so that its base file and each of its log files have to exclude every row.
  *
  * @param filters
  *   all of which a row has to pass
  * @param sources
  *   of statistics, the cheapest first; the next one is asked for what the others do not know of slices that are left
  * @param names
  *   names of columns in a file by the time in its name; `None` where they are not certain
  */
private[hudilite] final class DataSkipping(
    filters: Seq[ColumnFilter], sources: Seq[ColumnRanges], names: (String, Boolean) => Option[ColumnNames]) {

  private val columns: Set[FilterColumn] = filters.flatMap(_.columns).toSet

  private val questions = new SliceQuestions(columns, names)

  /** Statistics are worth asking for. That columns are not null is inferred of every join and comparison, and mostly true. */
  val tells: Boolean = columns.nonEmpty && !filters.forall {
    case ColumnFilter.Negation(ColumnFilter.IsNull(_)) | ColumnFilter.Other => true
    case _ => false
  }

  /** The slices that may have rows that pass. */
  def kept(slices: Seq[FileSlice]): Seq[FileSlice] =
    if (!tells) slices
    else sources.foldLeft(slices.map(questions.opened).filter(mayPass(_, _ => true)))(narrowed).map(_.slice)

  private def narrowed(slices: Seq[RangedSlice], source: ColumnRanges): Seq[RangedSlice] = {
    val open = slices.filterNot(mayPass(_, file => !source.knows(file.file)))
    RangedSlice.narrowed(slices, open, source).filter(mayPass(_, _ => true))
  }

  /** @param counts
    *   files of which all that is not known may be; of others only what is known
    */
  private def mayPass(slice: RangedSlice, counts: RangedFile => Boolean): Boolean = {
    def ranges(column: FilterColumn): Seq[ColumnRange] = slice.files.flatMap(file =>
      file.ranges.get(column).orElse(if (counts(file)) Some(ColumnRange.Unknown) else None))
    filters.forall(_.outcomes(ranges).isTrue)
  }
}

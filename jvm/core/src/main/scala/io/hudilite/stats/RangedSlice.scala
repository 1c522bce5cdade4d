package io.hudilite.stats

import io.hudilite.filegroup.FileSlice
import io.hudilite.schema.{ColumnNames, NamedColumn}

/** A file, and what is known of its columns so far. */
private[stats] final case class RangedFile(file: AskedFile, ranges: Map[FilterColumn, ColumnRange]) {

  /** The question that is left. */
  def open: AskedFile = file.copy(columns = file.columns -- ranges.keys)
}

private[stats] final case class RangedSlice(slice: FileSlice, files: Seq[RangedFile]) {

  def knowing(answers: Map[String, Map[FilterColumn, ColumnRange]]): RangedSlice =
    copy(files = files.map(f => f.copy(ranges = answers.getOrElse(f.file.relativePath, Map.empty) ++ f.ranges)))

  /** Facts of its files that a source may know, and that are not known yet. */
  def askedOf(source: ColumnRanges): Seq[AskedFile] =
    files.filter(file => source.knows(file.file)).map(_.open).filter(_.columns.nonEmpty)
}

private[stats] object RangedSlice {

  /** Slices with what one more source knows of those of them that are open. */
  def narrowed(slices: Seq[RangedSlice], open: Seq[RangedSlice], source: ColumnRanges): Seq[RangedSlice] = {
    val questions = open.flatMap(_.askedOf(source))
    if (questions.isEmpty) slices
    else {
      val answers = source.of(questions).map { case (file, ranges) => file.relativePath -> ranges }
      slices.map(_.knowing(answers))
    }
  }
}

/** Asks for columns of slices by the names that their files have for them.
  *
  * @param names
  *   names of columns in a file by the time in its name; `None` where they are not certain
  */
private[stats] final class SliceQuestions(
    columns: Set[FilterColumn], names: (String, Boolean) => Option[ColumnNames]) {

  import SliceQuestions._

  /** The slice, of which nothing is known but the columns that its files cannot have. */
  def opened(slice: FileSlice): RangedSlice = RangedSlice(slice,
    slice.base.toSeq.map(b => asked(b.partition, b.name, b.length, isLog = false, names(b.instant, false))) ++
      slice.logs.map(l => asked(l.partition, l.name, l.length, isLog = true, names(l.time, true))))

  private def asked(partition: String, name: String, length: Long, isLog: Boolean, in: Option[ColumnNames])
      : RangedFile = {
    val named = in.map(n => if (n == ColumnNames.Same) sameNames else namesIn(n))
    val there = named.fold(Map.empty[FilterColumn, String])(_.collect { case (column, Some(n)) => column -> n })
    val missing = named.fold(Set.empty[FilterColumn])(_.keySet -- there.keys)
    RangedFile(AskedFile(partition, name, length, isLog, there), missing.map(_ -> ColumnRange.OfNulls).toMap)
  }

  private lazy val sameNames: Map[FilterColumn, Option[String]] = namesIn(ColumnNames.Same)

  private def namesIn(names: ColumnNames): Map[FilterColumn, Option[String]] =
    columns.map(column => column -> nameIn(names, column.path)).toMap
}

private object SliceQuestions {

  /** The dotted name of a column in a file, if the file has it. */
  def nameIn(names: ColumnNames, path: Seq[String]): Option[String] =
    path.foldLeft(Option(List.empty[String] -> names)) {
      case (Some((above, inside)), asked) =>
        inside.of(asked).map { case NamedColumn(name, next) => (name :: above) -> next }
      case (None, _) => None
    }.map(_._1.reverse.mkString("."))
}

package io.hudilite.stats

import io.hudilite.filegroup.FileSlice
import io.hudilite.schema.{ColumnNames, NamedColumn}

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

  import DataSkipping._

  private val columns: Set[FilterColumn] = filters.flatMap(_.columns).toSet

  /** Statistics are worth asking for. That columns are not null is inferred of every join and comparison, and mostly true. */
  val tells: Boolean = columns.nonEmpty && !filters.forall {
    case ColumnFilter.Negation(ColumnFilter.IsNull(_)) | ColumnFilter.Other => true
    case _ => false
  }

  /** The slices that may have rows that pass. */
  def kept(slices: Seq[FileSlice]): Seq[FileSlice] =
    if (!tells) slices
    else sources.foldLeft(slices.map(opened).filter(mayPass(_, _ => true)))(narrowed).map(_.slice)

  private def opened(slice: FileSlice): KnownSlice = KnownSlice(slice,
    slice.base.toSeq.map(b => asked(b.partition, b.name, b.length, isLog = false, names(b.instant, false))) ++
      slice.logs.map(l => asked(l.partition, l.name, l.length, isLog = true, names(l.time, true))))

  private def asked(partition: String, name: String, length: Long, isLog: Boolean, in: Option[ColumnNames])
      : KnownFile = {
    val named = in.map(n => if (n == ColumnNames.Same) sameNames else namesIn(n))
    val there = named.fold(Map.empty[FilterColumn, String])(_.collect { case (column, Some(n)) => column -> n })
    val missing = named.fold(Set.empty[FilterColumn])(_.keySet -- there.keys)
    KnownFile(AskedFile(partition, name, length, isLog, there), missing.map(_ -> ColumnRange.OfNulls).toMap)
  }

  private lazy val sameNames: Map[FilterColumn, Option[String]] = namesIn(ColumnNames.Same)

  private def namesIn(names: ColumnNames): Map[FilterColumn, Option[String]] =
    columns.map(column => column -> nameIn(names, column.path)).toMap

  private def narrowed(slices: Seq[KnownSlice], source: ColumnRanges): Seq[KnownSlice] = {
    val open = slices.filterNot(mayPass(_, file => !source.knows(file.file)))
    val questions = open.flatMap(_.files).filter(file => source.knows(file.file)).map(_.open).filter(_.columns.nonEmpty)
    if (questions.isEmpty) slices
    else {
      val answers = source.of(questions).map { case (file, ranges) => file.relativePath -> ranges }
      slices.map(_.knowing(answers)).filter(mayPass(_, _ => true))
    }
  }

  /** @param counts
    *   files of which all that is not known may be; of others only what is known
    */
  private def mayPass(slice: KnownSlice, counts: KnownFile => Boolean): Boolean = {
    def ranges(column: FilterColumn): Seq[ColumnRange] = slice.files.flatMap(file =>
      file.ranges.get(column).orElse(if (counts(file)) Some(ColumnRange.Unknown) else None))
    filters.forall(_.outcomes(ranges).isTrue)
  }
}

private object DataSkipping {

  /** A file, and what is known of its columns so far. */
  final case class KnownFile(file: AskedFile, ranges: Map[FilterColumn, ColumnRange]) {

    /** The question that is left. */
    def open: AskedFile = file.copy(columns = file.columns -- ranges.keys)
  }

  final case class KnownSlice(slice: FileSlice, files: Seq[KnownFile]) {

    def knowing(answers: Map[String, Map[FilterColumn, ColumnRange]]): KnownSlice =
      copy(files = files.map(f => f.copy(ranges = answers.getOrElse(f.file.relativePath, Map.empty) ++ f.ranges)))
  }

  /** The dotted name of a column in a file, if the file has it. */
  def nameIn(names: ColumnNames, path: Seq[String]): Option[String] =
    path.foldLeft(Option(List.empty[String] -> names)) {
      case (Some((above, inside)), asked) =>
        inside.of(asked).map { case NamedColumn(name, next) => (name :: above) -> next }
      case (None, _) => None
    }.map(_._1.reverse.mkString("."))
}

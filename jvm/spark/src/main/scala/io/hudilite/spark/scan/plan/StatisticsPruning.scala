package io.hudilite.spark.scan.plan

import io.hudilite.filegroup.{BaseFile, FileSlice}
import io.hudilite.schema.ColumnNames
import io.hudilite.spark.basefile.read.ScanFilter
import io.hudilite.stats.{
  ColumnFilter,
  ColumnRange,
  DataSkipping,
  FilterColumn,
  FooterRanges,
  KeptFooterRanges,
  KnownColumns,
  RememberedRanges,
  TopFiles,
  ValueOrder
}

import org.apache.hadoop.conf.Configuration

/** Files that statistics of columns left.
  *
  * @param skipped
  *   slices that they left out; `None` where none were asked for
  */
private[scan] final case class StatisticsPruned(files: Seq[BaseFile], merged: Seq[FileSlice],
    skipped: Option[Seq[FileSlice]])

/** Prunes files by the statistics of their columns: those of the metadata table, where the read uses it, then those in
  * the footers of base files.
  */
private[scan] final class StatisticsPruning(state: TableState, conf: => Configuration) {

  private val filters = new StatisticsFilter(state.known)
  // Facts that a query is planned by are asked again when filters come up as it runs.
  private lazy val stored = state.table.storedRanges.map(new RememberedRanges(_)).toSeq
  private lazy val sources = stored :+ new FooterRanges(state.table.basePath, conf, KeyPruning.MaxFilesOnDriver)

  private lazy val ofExpressions = state.table.expressionRanges.map(new RememberedRanges(_)).toSeq

  /** @param asked
    *   filters on what files say, not folders
    * @param expressed
    *   filters on functions over columns
    */
  def prune(files: Seq[BaseFile], merged: Seq[FileSlice], asked: Seq[ScanFilter], expressed: Seq[ColumnFilter])
      : StatisticsPruned = {
    val steps =
      (new DataSkipping(asked.map(filters.of), sources, names) +:
        (if (expressed.isEmpty) Nil
         else Seq(new DataSkipping(expressed, ofExpressions, ofIndexes)))).filter(_.tells)
    if (steps.isEmpty || (files.isEmpty && merged.isEmpty)) StatisticsPruned(files, merged, None)
    else {
      def left(slices: Seq[FileSlice]): Seq[FileSlice] = steps.foldLeft(slices)((some, step) => keptOf(step, some))
      val kept = left(files.map(FileSlice.ofBase))
      // Of a range of instants what was there before is read along.
      val keptMerged = if (state.isOneMoment) left(merged) else merged
      val skipped = (files.map(FileSlice.ofBase) ++ merged).diff(kept ++ keptMerged)
      StatisticsPruned(kept.flatMap(_.base), keptMerged, Some(skipped))
    }
  }

  /** The order of the column's values is known. */
  def orders(path: Seq[String]): Boolean = filters.column(path).isDefined

  /** The files that may hold some of the first rows.
    *
    * @param partitions
    *   that tell the values of some columns
    * @param counts
    *   rows of files, where they are counted
    */
  def first(rows: TopRows, files: Seq[BaseFile], merged: Seq[FileSlice], partitions: PartitionPruning,
      counts: Seq[BaseFile] => Map[BaseFile, Long]): StatisticsPruned = filters.column(rows.column) match {
    case Some(column) if files.size + merged.size > 1 =>
      val conditions = rows.conditions.map(filters.of)
      val columns = conditions.flatMap(_.columns).toSet + column
      val slices = files.map(FileSlice.ofBase) ++ merged
      val kept =
        new TopFiles(ValueOrder(column, rows.ascending, rows.nullsFirst), rows.rows.toLong, conditions, sources,
          names).kept(slices, told(_, columns, partitions), counted(_, counts))
      StatisticsPruned(kept.filter(_.logs.isEmpty).flatMap(_.base), kept.filter(_.logs.nonEmpty),
        Some(slices.diff(kept)))
    case _ => StatisticsPruned(files, merged, None)
  }

  private def counted(slices: Seq[FileSlice], counts: Seq[BaseFile] => Map[BaseFile, Long]): Map[FileSlice, Long] = {
    val of = slices.flatMap(s => s.base.map(_ -> s)).toMap
    counts(slices.flatMap(_.base)).map { case (file, rows) => of(file) -> rows }
  }

  /** Values that folders tell in place of files, and those of skeletons, of which nothing is known. */
  private def told(slice: FileSlice, columns: Set[FilterColumn], partitions: PartitionPruning)
      : Map[FilterColumn, ColumnRange] =
    if (isSkeleton(slice)) columns.map(_ -> ColumnRange.Unknown).toMap
    else {
      val values = partitions.valuesOf(slice.partition)
      columns.filter(column => partitions.folderColumns(column.path.head)).map(column =>
        column -> values.get(column.path.head).filter(_ => column.path.size == 1)
          .fold(ColumnRange.Unknown)(filters.only(column, _))).toMap
    }

  /** Those of the columns by whose values slices can be left out, as far as it is known without a file being opened.
    *
    * @param mayTell
    *   footers that nobody has read yet are taken to tell slices apart, of as many as a filter may ask
    */
  def separating(paths: Set[Seq[String]], files: Seq[BaseFile], merged: Seq[FileSlice], mayTell: Boolean)
      : Set[Seq[String]] = {
    val columns = paths.flatMap(filters.column)
    val slices = (files.map(FileSlice.ofBase) ++ merged).filterNot(isSkeleton)
    if (columns.isEmpty || slices.size < 2 || (merged.nonEmpty && !state.isOneMoment)) Set.empty
    else {
      val asks = mayTell && slices.size <= KeyPruning.MaxFilesOnDriver
      new KnownColumns(columns, stored :+ new KeptFooterRanges(state.table.basePath), names).apart(slices,
        slice => asks && slice.logs.isEmpty)
        .collect { case (column, apart) if apart >= StatisticsPruning.LeastApart => column.path }.toSet
    }
  }

  /** Ranges around all values of those of these columns of which the metadata table knows them. */
  def around(paths: Set[Seq[String]], slices: Seq[FileSlice]): Map[Seq[String], ColumnRange] =
    if (stored.isEmpty || slices.isEmpty || slices.exists(isSkeleton)) Map.empty
    else new KnownColumns(paths.flatMap(filters.column), stored, names).around(slices).map { case (column, range) =>
      column.path -> range
    }

  /** Statistics of a skeleton say nothing of the columns in its source. */
  private def keptOf(skipping: DataSkipping, slices: Seq[FileSlice]): Seq[FileSlice] = {
    val (skeletons, whole) = slices.partition(isSkeleton)
    skipping.kept(whole) ++ skeletons
  }

  private def isSkeleton(slice: FileSlice): Boolean = slice.base.exists(_.source.isDefined)

  /** Files of columns by id may have had the name of an indexed column for another one. */
  private def ofIndexes(time: String, isLog: Boolean): Option[ColumnNames] =
    names(time, isLog).filter(in => indexed.forall(column => in.of(column).exists(_.name == column)))
      .map(_ => ColumnNames.Same)

  private lazy val indexed: Set[String] =
    state.table.expressionRanges.fold(Set.empty[String])(_.indexes.map(_.column).toSet)

  /** Blocks of log files of version 6 may be of later writes than the file's name says. */
  private def names(time: String, isLog: Boolean): Option[ColumnNames] = state.evolved match {
    case None => Some(ColumnNames.Same)
    case Some(_) if isLog && state.table.config.layout == 1 => None
    case Some(evolved) => Some(evolved.namesIn(time))
  }
}

private object StatisticsPruning {

  // A filter that leaves less out costs the planner more than it spares.
  val LeastApart = 0.1
}

package io.hudilite.spark.scan.plan

import io.hudilite.filegroup.{BaseFile, FileSlice}
import io.hudilite.schema.ColumnNames
import io.hudilite.spark.basefile.read.ScanFilter
import io.hudilite.stats.{DataSkipping, FooterRanges}

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
  private lazy val sources = state.table.storedRanges.toSeq :+
    new FooterRanges(state.table.basePath, conf, KeyPruning.MaxFilesOnDriver)

  /** @param asked
    *   filters on what files say, not folders
    */
  def prune(files: Seq[BaseFile], merged: Seq[FileSlice], asked: Seq[ScanFilter]): StatisticsPruned = {
    val skipping = new DataSkipping(asked.map(filters.of), sources, names)
    if (!skipping.tells || (files.isEmpty && merged.isEmpty)) StatisticsPruned(files, merged, None)
    else {
      val kept = keptOf(skipping, files.map(FileSlice.ofBase))
      // Of a range of instants what was there before is read along.
      val keptMerged = if (state.isOneMoment) keptOf(skipping, merged) else merged
      val skipped = (files.map(FileSlice.ofBase) ++ merged).diff(kept ++ keptMerged)
      StatisticsPruned(kept.flatMap(_.base), keptMerged, Some(skipped))
    }
  }

  /** Statistics of a skeleton say nothing of the columns in its source. */
  private def keptOf(skipping: DataSkipping, slices: Seq[FileSlice]): Seq[FileSlice] = {
    val (skeletons, whole) = slices.partition(_.base.exists(_.source.isDefined))
    skipping.kept(whole) ++ skeletons
  }

  /** Blocks of log files of version 6 may be of later writes than the file's name says. */
  private def names(time: String, isLog: Boolean): Option[ColumnNames] = state.evolved match {
    case None => Some(ColumnNames.Same)
    case Some(_) if isLog && state.table.config.layout == 1 => None
    case Some(evolved) => Some(evolved.namesIn(time))
  }
}

package io.hudilite.service.compact

import io.hudilite.filegroup.{FileSlice, SliceLogs}
import io.hudilite.log.{BlockInstants, BlockSelection, LogBlock, LogFiles}
import io.hudilite.storage.Parallel
import io.hudilite.table.Table
import io.hudilite.timeline.{Action, Instant, Timeline, WriteStat}

/** Slices that a log compaction takes, and its trigger (docs/format.md#log-compaction). */
object LogCompactionPlanner {

  /** Number of blocks that a log compaction would fold: those that readers merge, unless one instant wrote them all.
    *
    * Blocks of an earlier log compaction count as one, or else a slice with much data would be folded after each write.
    * Blocks of new keys, which a write has beside others, do not count, or else the slice would be folded sooner for
    * them.
    *
    * @param blocks
    *   blocks of all log files of one slice, in the order of the files
    */
  def foldable(blocks: Seq[LogBlock], instants: BlockInstants): Int = {
    val selected = BlockSelection.select(blocks, instants)
    val written = selected.groupBy(_.instant).values.toSeq
    if (written.size < 2) 0
    else written.map(of => if (of.exists(_.compactedInstants.nonEmpty)) 1 else of.count(!_.isOfNewKeys).max(1)).sum
  }

  /** True when so many delta commits with records were requested after the last compaction of either kind. */
  def isDue(timeline: Timeline, isLogCompaction: Instant => Boolean, threshold: Int): Boolean =
    timeline.writes.reverseIterator.filter(_.action != Action.ReplaceCommit)
      .takeWhile(i => i.action == Action.DeltaCommit && !isLogCompaction(i))
      .take(threshold).size == threshold

  /** True when the log files of the result come right behind those of the slice. Before version 8 a reader takes them
    * by their numbers, and any writer may take the next number. So between the folded blocks and the result there must
    * be no records that the result lacks.
    *
    * @param layout
    *   layout of the timeline; later ones order log files by instants
    */
  def isInOrder(slice: FileSlice, results: Seq[WriteStat], layout: Int): Boolean = layout > 1 || {
    val last = slice.logs.map(_.version).max
    val written = results.filter(s => s.partitionPath == slice.partition && s.fileId == slice.fileId).map(_.logVersion)
    written.sorted == (1 to written.size).map(last + _)
  }

  private[compact] def isDue(table: Table, threshold: Int): Boolean =
    isDue(table.timeline, table.store.readCommit(_).isLogCompaction, threshold)

  /** True for each slice with as many blocks as the threshold. Headers are read where the number of log files does not
    * decide, several slices at a time.
    *
    * @param known
    *   earlier answers, which hold for unchanged slices; from version 8 on each file is of one instant
    */
  private[compact] def qualifying(table: Table, slices: Seq[FileSlice], threshold: Int,
      known: Map[FileSlice, Boolean]): Map[FileSlice, Boolean] = {
    val instants = table.blockInstants()
    val (single, several) =
      slices.filterNot(known.contains).partition(slice => table.config.layout > 1 && slice.logs.size < 2)
    val looked = Parallel.map(several) { slice =>
      val blocks = SliceLogs.blocks(new LogFiles(table.storage, MaxReadAheadBytes), table.basePath, slice)
      slice -> (foldable(blocks, instants) >= threshold)
    }
    known ++ single.map(_ -> false) ++ looked
  }

  // Largest file that is read whole for its headers, since that is about as fast as to read them one after the other.
  private val MaxReadAheadBytes = 1L << 20
}

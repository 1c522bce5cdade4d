package io.hudilite.table

import io.hudilite.filegroup.{FileGroupId, FileSlice, ViewInstants}
import io.hudilite.timeline.{Action, CommitMetadata, Instant, Timeline, WriteStat}

/** The range of an incremental read, open at `begin` and closed at `end` (docs/format.md#incremental).
  *
  * Both are instants: requested times for timeline layout 1 (table version 6), completion times for layout 2 (version 8
  * and later). Anything before the first instant, such as `0`, `000` or `earliest`, means from the start.
  *
  * @param end
  *   `None` for everything up to the opened timeline's end
  */
final case class IncrementalRange(begin: String, end: Option[String] = None)

/** What an incremental read looks at: rows of `slices` whose commit time is one of `instants`.
  *
  * @param instants
  *   requested times of the selected writes
  * @param fullScan
  *   the files as of the range's end are not known or no longer there, so that all present files are read instead; row
  *   versions that were overwritten after the range are then missing
  */
final case class IncrementalFiles(instants: Set[String], slices: Map[String, Seq[FileSlice]], fullScan: Boolean)

/** Instants of an incremental range: pure. */
object IncrementalRange {

  private val Earliest = "earliest"
  private val First = "0"

  private[table] def begin(range: IncrementalRange): String = if (range.begin == Earliest) First else range.begin

  /** Completed writes of the active timeline inside the range. */
  def select(range: IncrementalRange, instants: Seq[Instant], layout: Int): Seq[Instant] =
    instants.filter(i => position(i, layout).exists(p => p > begin(range) && range.end.forall(p <= _)))

  /** Writes that the range can hold may have been archived. */
  def reachesBefore(range: IncrementalRange, timeline: Timeline, layout: Int): Boolean =
    timeline.writes.flatMap(position(_, layout)).sorted.headOption.forall(_ > begin(range))

  private[table] def position(instant: Instant, layout: Int): Option[String] =
    if (layout == 1) Some(instant.time) else instant.completionTime.orElse(Some(instant.time))
}

/** Finds the file slices that hold the changes of a range. */
private[table] final class IncrementalSelection(table: Table) {

  private val layout = table.config.layout
  private val timeline = table.timeline

  def select(range: IncrementalRange): IncrementalFiles = {
    // A log compaction repeats records of other writes, merged: what a write of the range logged is in the log files that
    // were folded, too, which stay.
    val active = table.store.readCommits(IncrementalRange.select(range, timeline.writes, layout))
      .filterNot { case (_, metadata) => metadata.isLogCompaction }
    val archived =
      if (IncrementalRange.reachesBefore(range, timeline, layout))
        IncrementalRange.select(range, archivedWrites, layout)
      else Nil
    val instants = (active.map(_._1) ++ archived).map(_.time).toSet
    if (instants.isEmpty) IncrementalFiles(instants, Map.empty, fullScan = false)
    else touched(range, active).filter(_ => archived.isEmpty).fold(everything(instants))(slices =>
      IncrementalFiles(instants, slices, fullScan = false))
  }

  private def archivedWrites: Seq[Instant] =
    table.store.archivedCompleted().filter(i => Action.Writes(i.action) && !timeline.isCompleted(i.time))

  private def everything(instants: Set[String]): IncrementalFiles =
    IncrementalFiles(instants, table.allSlices(), fullScan = true)

  /** Slices as of the range's end of the file groups that the writes touched; `None` when one was cleaned away. */
  private def touched(range: IncrementalRange, writes: Seq[(Instant, CommitMetadata)])
      : Option[Map[String, Seq[FileSlice]]] = {
    val view = viewAtEnd(range)
    val last = lastStats(writes).filterNot { case (group, _) => view.replaced(group) }
    val listing = table.listing(last.keys.map(_.partition).toList.distinct)
    val slices = table.slicesOf(view, listing).values.flatten.map(s => s.groupId -> s).toMap
    val intact = last.forall { case (group, (time, stat)) => slices.get(group).exists(holds(_, time, stat)) }
    if (intact) Some(slices.values.filter(s => last.contains(s.groupId)).toList.groupBy(_.partition)) else None
  }

  private def lastStats(commits: Seq[(Instant, CommitMetadata)]): Map[FileGroupId, (String, WriteStat)] =
    commits.sortBy(_._1.time).flatMap { case (instant, metadata) =>
      metadata.allStats.filter(_.path.nonEmpty).map(s => FileGroupId(s.partitionPath, s.fileId) -> (instant.time -> s))
    }.toMap

  private def holds(slice: FileSlice, time: String, stat: WriteStat): Boolean =
    slice.instant >= time || (stat.isLog && slice.logs.exists(_.name == stat.fileName))

  private def viewAtEnd(range: IncrementalRange): ViewInstants = range.end match {
    case None => table.everything
    case Some(end) =>
      def happened(time: String): Boolean = timeline.write(time).flatMap(IncrementalRange.position(_, layout)) match {
        case Some(position) => position <= end
        case None => time <= end
      }
      table.view(t => timeline.isCommitted(t) && happened(t), happened)
  }
}

package io.hudilite.table

import io.hudilite.filegroup.FileSlice
import io.hudilite.timeline.{Instant, Timeline}

/** The range of an incremental read, open at `begin` and closed at `end` (docs/format.md#incremental).
  *
  * Both are instants: requested times for timeline layout 1 (table version 6), completion times for layout 2 (version 8
  * and later). Anything before the first instant, such as `0`, `000` or `earliest`, means from the start.
  *
  * @param end
  *   `None` for everything up to the end of the opened timeline
  */
final case class IncrementalRange(begin: String, end: Option[String] = None)

/** Instants of an incremental range: pure. */
object IncrementalRange {

  private val Earliest = "earliest"
  private val First = "0"

  private[table] def begin(range: IncrementalRange): String = if (range.begin == Earliest) First else range.begin

  /** Completed writes of the active timeline inside the range. */
  def select(range: IncrementalRange, instants: Seq[Instant], layout: Int): Seq[Instant] =
    instants.filter(i => position(i, layout).exists(p => p > begin(range) && range.end.forall(p <= _)))

  /** True when writes of the range may have been archived, which leaves savepointed ones behind. */
  def reachesBefore(range: IncrementalRange, timeline: Timeline, layout: Int): Boolean =
    timeline.writes.filterNot(i => timeline.beforeStart(i.time)).flatMap(position(_, layout)).sorted.headOption
      .forall(_ > begin(range))

  private[table] def position(instant: Instant, layout: Int): Option[String] =
    if (layout == 1) Some(instant.time) else instant.completionTime.orElse(Some(instant.time))
}

/** Files and commit times of an incremental read: rows of `slices` whose commit time is one of `commitTimes`.
  *
  * @param instants
  *   requested times of the selected writes
  * @param fullScan
  *   true when all present files are read, because those as of the range's end are unknown or gone. Row versions that
  *   were overwritten after the range are missing then
  * @param folds
  *   log compactions that may have folded log blocks of these writes. Those of Apache Hudi give the rows their own
  *   instant, which they keep when they are compacted
  */
final case class IncrementalFiles(instants: Set[String], slices: Map[String, Seq[FileSlice]], fullScan: Boolean,
    folds: Set[String] = Set.empty) {

  /** Commit times that rows of the writes can have. */
  def commitTimes: Set[String] = instants ++ folds
}

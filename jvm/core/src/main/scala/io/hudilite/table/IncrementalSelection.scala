package io.hudilite.table

import io.hudilite.error.InvalidInput
import io.hudilite.filegroup.{FileGroupId, FileSlice, FileSystemView, ViewInstants}
import io.hudilite.storage.FileInfo
import io.hudilite.timeline.{Action, CommitMetadata, Instant}

/** Finds the file slices that hold the changes of a range.
  *
  * @param orWhatIsLeft
  *   true to read the rows that are left when versions of rows at the range's end were cleaned away; false makes that
  *   an error
  */
private[table] final class IncrementalSelection(table: Table, orWhatIsLeft: Boolean) {

  private val layout = table.config.layout
  private val timeline = table.timeline

  def select(range: IncrementalRange): IncrementalFiles = {
    val (folds, active) = table.store.readCommits(IncrementalRange.select(range, timeline.writes, layout))
      .partition { case (_, metadata) => metadata.isLogCompaction }
    val archived = if (reachesBefore(range)) IncrementalRange.select(range, archivedWrites, layout) else Nil
    val instants = (active.map(_._1) ++ archived).map(_.time).toSet
    val found = ofWrites(range, instants, active, archived)
    found.copy(folds = folds.map(_._1.time).filter(fold => instants.exists(_ < fold)).toSet)
  }

  private def ofWrites(range: IncrementalRange, instants: Set[String], active: Seq[(Instant, CommitMetadata)],
      archived: Seq[Instant]): IncrementalFiles =
    if (instants.isEmpty) IncrementalFiles(instants, Map.empty, fullScan = false)
    else if (archived.nonEmpty && isUpToNow(range)) IncrementalFiles(instants, table.allSlices(), fullScan = true)
    else recorded(archived) match {
      case Left(commit) => everything(range, instants, s"the archive does not say what the commit ${commit.time} wrote")
      case Right(metadata) => files(range, instants, active, withoutLogCompactions(metadata))
    }

  // A log compaction repeats records of other writes, merged. The records of a write of the range are also in the log
  // files that were folded, which stay.
  private def withoutLogCompactions(writes: Seq[(Instant, CommitMetadata)]): Seq[(Instant, CommitMetadata)] =
    writes.filterNot { case (_, metadata) => metadata.isLogCompaction }

  private def files(range: IncrementalRange, instants: Set[String], active: Seq[(Instant, CommitMetadata)],
      archived: Seq[(Instant, CommitMetadata)]): IncrementalFiles = touched(range, active, archived) match {
    case Right(slices) => IncrementalFiles(instants, slices, fullScan = false)
    case Left(lost) =>
      everything(range, instants,
        s"files of the file group ${lost.fileId} in '${lost.partition}' have been cleaned away")
  }

  private def reachesBefore(range: IncrementalRange): Boolean =
    IncrementalRange.reachesBefore(range, timeline, layout)

  private lazy val archivedWrites: Seq[Instant] =
    table.store.archivedWrites().filterNot(i => timeline.isCompleted(i.time))

  /** The files of archived writes, or a write whose files the archive does not know. */
  private def recorded(archived: Seq[Instant]): Either[Instant, Seq[(Instant, CommitMetadata)]] = {
    val found =
      if (archived.isEmpty) Map.empty[String, CommitMetadata]
      else table.store.archive.commits(archived.map(_.time).toSet)
    archived.find(i => !found.contains(i.time)).toLeft(archived.map(i => i -> found(i.time)))
  }

  private def isUpToNow(range: IncrementalRange): Boolean = range.end.forall(end =>
    timeline.writes.forall(IncrementalRange.position(_, layout).forall(_ <= end)))

  /** Up to now the present files hold everything that the range left behind; up to an earlier time they lack
    * overwritten rows.
    */
  private def everything(range: IncrementalRange, instants: Set[String], reason: => String): IncrementalFiles = {
    if (!isUpToNow(range) && !orWhatIsLeft) throw InvalidInput("RANGE_NOT_RETAINED", "path" -> table.basePath,
      "begin" -> range.begin, "end" -> range.end.getOrElse(""), "reason" -> reason)
    IncrementalFiles(instants, table.allSlices(), fullScan = true)
  }

  /** Slices as of the range's end of the file groups that the writes touched, or a group whose slice was cleaned away. */
  private def touched(range: IncrementalRange, active: Seq[(Instant, CommitMetadata)],
      archived: Seq[(Instant, CommitMetadata)]): Either[FileGroupId, Map[String, Seq[FileSlice]]] = {
    val view = viewAtEnd(range)
    // The view does not know any more which file groups an archived commit replaced.
    val last = LastWrites.of(archived ++ active).without(view.replaced).beforeReplacedBy(archived)
    val listing = table.listing(last.groups.map(_.partition).toList.distinct)
    val atEnd = withCompactions(view, range, listing)
    val found = table.withSources(table.committed.withoutBases(atEnd, listing))
    val slices = LastWrites.bySlice(found)
    val lost = last.lost(slices).orElse(
      table.committed.bases.missing(atEnd, listing, found).map(_.group).find(last.byGroup.contains))
    lost.foreach(group => table.slices(Seq(group.partition))) // raises where the newest state misses it, too
    lost.toLeft(slices.values.filter(s => last.byGroup.contains(s.groupId)).toList.groupBy(_.partition))
  }

  /** Compactions that were pending at the range's end and have completed since, when log files bear their instants:
    * those were written meanwhile, before Apache Hudi upgraded the table. The view does not know these compactions,
    * which are no longer pending.
    */
  private def withCompactions(view: ViewInstants, range: IncrementalRange, listing: Map[String, Seq[FileInfo]])
      : ViewInstants = range.end.filter(_ => layout > 1).fold(view) { end =>
    val named = FileSystemView.instantsOfLogs(listing)
    val late = timeline.writes.filter(i =>
      i.action == Action.Commit && named(i.time) && i.time <= end &&
        IncrementalRange.position(i, layout).exists(_ > end))
    val groups = table.store.readCommits(late).flatMap { case (compaction, metadata) =>
      metadata.allStats.map(s => FileGroupId(s.partitionPath, s.fileId) -> compaction.time)
    }
    view.copy(pendingCompactions = view.pendingCompactions ++ groups)
  }

  private def viewAtEnd(range: IncrementalRange): ViewInstants = range.end match {
    case None => table.everything
    case Some(end) =>
      val archived = if (reachesBefore(range)) archivedWrites else Nil
      val positions = (archived ++ timeline.writes).map(i => i.time -> IncrementalRange.position(i, layout)).toMap
      def happened(time: String): Boolean = positions.get(time).flatten.getOrElse(time) <= end
      table.view(t => timeline.isCommitted(t) && happened(t), happened)
  }
}

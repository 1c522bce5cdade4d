package io.hudilite.table

import io.hudilite.error.InvalidInput
import io.hudilite.filegroup.FileGroupId
import io.hudilite.timeline.{Action, CommitMetadata, Instant, WriteStat}

/** Decides if the state of a table at a past time can still be read (docs/format.md#time-travel).
  *
  * Cleaning deletes slices that newer ones replaced. A clean that goes by commits records the earliest state that stays
  * whole; of other cleans, the commits tell which files a state needs.
  */
private[table] final class Retention(table: Table) {

  private val timeline = table.timeline

  /** Raises `InvalidInput` unless every row as of `time`, by requested time and inclusive, is still there. */
  def check(time: String): Unit = if (timeline.writes.nonEmpty && !isSavepointed(time)) {
    val first = timeline.writes.head.time
    if (time < first) throw before(time, first)
    if (timeline.beforeStart(time)) throw gone(time, "the commits of that time are archived")
    val cleans = Cleans.of(table)
    cleans.earliestRetained.filter(time < _).foreach(earliest =>
      throw gone(time, s"cleaning keeps files from the instant $earliest on"))
    if (cleans.leaveItOpen) lost(time).foreach { group =>
      table.slices(Seq(group.partition)) // raises where the newest state misses files, too
      throw gone(time, s"files of the file group ${group.fileId} in '${group.partition}' have been cleaned away")
    }
  }

  /** True for the state of a savepoint, whose files nobody cleans. Writes after it may have been archived. */
  private def isSavepointed(time: String): Boolean =
    timeline.writes.reverseIterator.find(_.time <= time).exists(last =>
      timeline.savepoints.contains(last.time) &&
        (last.time == time || !timeline.beforeStart(time) || archived(last.time, time).isEmpty))

  private def archived(after: String, until: String): Option[String] =
    table.store.archivedWrites().map(_.time).find(t => after < t && t <= until)

  private def before(time: String, first: String): InvalidInput =
    table.store.archivedWrites().map(_.time).sorted.headOption match {
      case Some(archived) if archived <= time => gone(time, "the commits of that time are archived")
      case archived => InvalidInput("TIME_BEFORE_FIRST_COMMIT", "path" -> table.basePath, "instant" -> time,
          "first" -> archived.getOrElse(first))
    }

  private def gone(time: String, reason: String): InvalidInput = InvalidInput("STATE_NOT_RETAINED",
    "path" -> table.basePath, "instant" -> time, "reason" -> reason)

  /** A file group that a reader of that time saw and that lacks files of that time. */
  private def lost(time: String): Option[FileGroupId] = {
    val (until, since) = table.store.readCommits(timeline.writes).partition(_._1.time <= time)
    val view = table.upTo(time)
    val slices = LastWrites.bySlice(table.foundAsOf(time))
    LastWrites.of(until).without(view.replaced).lost(slices)
      .orElse(olderThan(since, time).find(group => !view.replaced(group) && !slices.contains(group)))
  }

  /** File groups that later commits continued or replaced, and that none of them began. */
  private def olderThan(since: Seq[(Instant, CommitMetadata)], time: String): Seq[FileGroupId] = {
    val stats = since.sortBy(_._1.time).flatMap { case (_, metadata) => metadata.allStats }
    val firsts = stats.reverseIterator.map(s => FileGroupId(s.partitionPath, s.fileId) -> s).toMap
    val continued = firsts.collect { case (group, stat) if isContinued(stat, time) => group }
    val replaced = since.flatMap { case (_, metadata) =>
      metadata.replaced.toSeq.flatMap { case (partition, ids) => ids.map(FileGroupId(partition, _)) }
    }
    continued.toSeq ++ replaced.filterNot(firsts.contains)
  }

  private def isContinued(stat: WriteStat, time: String): Boolean =
    stat.prevCommit != WriteStat.NoPreviousCommit && stat.prevCommit <= time
}

/** Past states as the cleans of the active timeline left them.
  *
  * @param earliestRetained
  *   first instant whose state they left whole
  * @param leaveItOpen
  *   true when some do not go by commits, are under way, or do not record what they did
  */
private[table] final case class Cleans(earliestRetained: Option[String], leaveItOpen: Boolean)

private[table] object Cleans {

  def of(table: Table): Cleans = {
    val (completed, pending) = table.timeline.instants.filter(_.action == Action.Clean).partition(_.isCompleted)
    val (blank, telling) = completed.partition(_.isBlank)
    val earliest = table.store.readCleans(telling).map(_.earliestCommitToRetain)
    Cleans(earliest.filter(_.nonEmpty).reduceOption((a, b) => if (a > b) a else b),
      pending.nonEmpty || blank.nonEmpty || earliest.exists(_.isEmpty))
  }
}

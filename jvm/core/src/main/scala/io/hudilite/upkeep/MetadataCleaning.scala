package io.hudilite.upkeep

import io.hudilite.filegroup.{FileSlice, FileSystemView, ViewInstants}
import io.hudilite.timeline.{Action, CleanMetadata, CleanPlan, CleanedPartition, Instant, Timeline}

/** Cleanings of a metadata table: slices that a compaction has replaced, once no reader is likely to be within one. The
  * caller holds the lock of the table.
  */
private[upkeep] final class MetadataCleaning(home: MetadataHome) {

  import MetadataCleaning._

  /** Runs what is planned, and then plans and runs another when there is anything to delete.
    *
    * @param view
    *   facts of the metadata table's timeline
    * @param partitions
    *   names of the partitions that the table lists
    */
  def runIfDue(view: => ViewInstants, partitions: Seq[String]): Seq[String] = {
    val own = OwnTimeline.of(home)
    val planned = own.timeline.pending.filter(_.action == Action.Clean)
    planned.foreach(clean => run(clean.time, home.store.readCleanPlan(clean), home.store.isBegun(clean)))
    val next = for {
      plan <- if (planned.isEmpty) MetadataCleaning.plan(own.timeline, slices(view, partitions)) else None
      instant <- own.serviceInstant(OwnTimeline.CleanSuffix)(home.store.newInstantTime)
    } yield {
      home.store.requestClean(instant, plan)
      run(instant, Some(plan), begun = false)
      instant
    }
    planned.map(_.time) ++ next
  }

  private def slices(view: ViewInstants, partitions: Seq[String]): Seq[Seq[FileSlice]] =
    FileSystemView.groups(view, partitions.map(name => name -> home.storage.list(s"${home.folder}/$name")).toMap)
      .values.flatten.toSeq

  private def run(instant: String, plan: Option[CleanPlan], begun: Boolean): Unit = {
    val started = System.nanoTime()
    if (!begun) home.store.toInflight(instant, Action.Clean)
    val files = plan.fold(Map.empty[String, Seq[String]])(_.files)
    files.values.flatten.foreach(path => home.storage.delete(s"${home.folder}/$path"))
    val cleaned = files.toSeq.map { case (partition, paths) =>
      CleanedPartition(partition, Policy, paths.map(path => path.substring(path.lastIndexOf('/') + 1)))
    }
    home.store.completeClean(instant,
      CleanMetadata(instant, (System.nanoTime() - started) / NanosOfMs,
        plan.flatMap(_.earliestToRetain).fold("")(_.time),
        plan.fold("")(_.lastCompletedCommit), cleaned))
    ()
  }
}

private[upkeep] object MetadataCleaning {

  private val Policy = "KEEP_LATEST_COMMITS"
  private val NanosOfMs = 1000000L

  /** Writes whose state stays: a fifth more than a cleaning of the table keeps by default. */
  private val Retained = 12

  /** Completed actions after a compaction before its input may go. */
  private val Pause = 3

  /** The cleaning that is due: pure.
    *
    * @param groups
    *   slices of each file group, the newest first
    */
  def plan(own: Timeline, groups: Seq[Seq[FileSlice]]): Option[CleanPlan] = for {
    compacted <- own.writes.filter(_.action == Action.Commit).lastOption
    if own.completed.count(i => end(i) > end(compacted)) >= Pause && own.writes.size > Retained
    earliest = own.writes.sortBy(_.time).takeRight(Retained).head
    // The newest slice from before that is the state at that time.
    old = groups.flatMap(slices => slices.dropWhile(_.instant > earliest.time).drop(1))
    if old.nonEmpty
  } yield CleanPlan(Policy, Some(earliest), own.writes.last.time,
    old.groupBy(_.partition).map { case (partition, slices) => partition -> slices.flatMap(_.paths) })

  private def end(i: Instant): String = i.completionTime.getOrElse(i.time)
}

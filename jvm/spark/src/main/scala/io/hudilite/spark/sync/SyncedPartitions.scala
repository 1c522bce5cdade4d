package io.hudilite.spark.sync

import io.hudilite.table.Table
import io.hudilite.timeline.Action

/** The last commit that an entry knows of, by Hudi's names among its properties. */
private[sync] final case class SyncedCommit(time: String, completion: String) {
  def properties: Map[String, String] =
    Map(SyncedCommit.Time -> time, SyncedCommit.Completion -> completion).filter(_._2.nonEmpty)
}

private[sync] object SyncedCommit {

  private val Time = "last_commit_time_sync"
  private val Completion = "last_commit_completion_time_sync"

  def in(properties: Map[String, String]): Option[SyncedCommit] = properties.get(Time).filter(_.nonEmpty).map(time =>
    SyncedCommit(time, properties.getOrElse(Completion, "")))

  def of(table: Table): Option[SyncedCommit] = table.lastInstant.map(last =>
    SyncedCommit(last.time, table.timeline.lastToComplete.flatMap(_.completionTime).getOrElse("")))
}

/** Partitions of a table that may have come or gone since a commit.
  *
  * @param written
  *   those that are there, since commits have put files into them and taken none away
  * @param looked
  *   those that have to be looked at; `None` = all
  */
private[sync] final case class SyncedPartitions(written: Set[String], looked: Option[Set[String]]) {

  /** Paths with rows' files, and paths without. */
  def found(table: Table, batch: Int): (Seq[String], Seq[String]) = {
    val candidates = looked.fold(table.partitions())(_.toSeq.sorted)
    val (there, gone) = candidates.grouped(batch).flatMap { some =>
      val slices = table.groups.slices(some)
      some.map(path => path -> slices.get(path).exists(_.nonEmpty))
    }.toSeq.partition(_._2)
    ((written.toSeq ++ there.map(_._1)).distinct.sorted, gone.map(_._1))
  }

  def areAll: Boolean = looked.isEmpty

  def areNone: Boolean = written.isEmpty && looked.exists(_.isEmpty)
}

private[sync] object SyncedPartitions {

  private val All = SyncedPartitions(Set.empty, None)

  /** By the commits since then; all of them where the timeline no longer tells, or a restore has taken commits away. */
  def since(table: Table, last: Option[SyncedCommit]): SyncedPartitions = last match {
    case Some(seen) if table.timeline.isCompleted(seen.time) && !isRestored(table, seen) =>
      val later = table.timeline.writes.filter(i =>
        i.time > seen.time || (seen.completion.nonEmpty && i.completionTime.exists(_ > seen.completion)))
      val commits = table.store.readCommits(later).map(_._2)
      val replaced = commits.flatMap(_.replaced.keys).toSet
      SyncedPartitions(commits.flatMap(_.stats.keys).toSet -- replaced, Some(replaced))
    case _ => All
  }

  private def isRestored(table: Table, seen: SyncedCommit): Boolean =
    table.timeline.completed.exists(i => i.action == Action.Restore && i.time > seen.time)
}

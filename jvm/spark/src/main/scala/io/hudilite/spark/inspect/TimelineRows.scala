package io.hudilite.spark.inspect

import io.hudilite.config.TableType
import io.hudilite.table.{StatedFacts, Table}
import io.hudilite.timeline.{Action, CommitMetadata, Instant, WriteStat}
import io.hudilite.timeline.plan.CompactionPlan

import java.util.Locale

import scala.collection.immutable.ListMap

import org.apache.spark.sql.Row

/** Rows of the active timeline, in the columns of [[Inspection]]. */
object TimelineRows {

  /** The completed writes with what they did, newest first.
    *
    * @param asked
    *   the commits of others are not read
    */
  def history(table: Table, asked: RowsAsked): Iterator[Row] = {
    val writes = table.timeline.writes.reverse.filter(mayBe(asked, _))
    table.store.readCommits(asked.limit.fold(writes)(writes.take)).iterator.map { case (instant, metadata) =>
      commit(instant, metadata)
    }
  }

  private def mayBe(asked: RowsAsked, write: Instant): Boolean = asked.mayHold("time" -> write.time,
    "completion_time" -> write.completionTime.orNull, "action" -> write.comparableAction)

  private def commit(instant: Instant, metadata: CommitMetadata): Row = {
    val stats = metadata.allStats
    def total(count: WriteStat => Long): Long = stats.map(count).sum
    // A clustering counts each row that it moves as an insert, and changes none.
    def changed(count: WriteStat => Long): Long = if (metadata.operation == CommitMetadata.Cluster) 0 else total(count)
    Row(instant.time, instant.completionTime.orNull, instant.comparableAction, metadata.operation, metadata.stats.size,
      stats.size, total(_.numWrites), changed(_.numInserts), changed(_.numUpdateWrites), changed(_.numDeletes),
      total(_.fileSizeInBytes), metadata.replaced.values.map(_.size).sum,
      ListMap(StatedFacts.ofPrograms(metadata.extra).toSeq.sorted: _*))
  }

  /** All instants of the active timeline, oldest first. */
  def timeline(table: Table): Iterator[Row] = rows(table.timeline.instants)

  /** Those of the archive, too. */
  def whole(table: Table): Iterator[Row] = {
    val active = table.timeline.instants
    val known = active.map(i => (i.time, i.comparableAction)).toSet
    rows(table.store.archivedCompleted().filterNot(i => known((i.time, i.comparableAction))) ++ active)
  }

  private def rows(instants: Seq[Instant]): Iterator[Row] =
    instants.sortBy(i => (i.time, i.comparableAction)).iterator.map { i =>
      Row(i.time, i.completionTime.orNull, i.comparableAction, i.state.name.toLowerCase(Locale.ROOT), i.fileName)
    }

  /** The compactions, oldest first; none of a copy-on-write table, where a completed `commit` is any write. */
  def compactions(table: Table, asked: RowsAsked): Iterator[Row] =
    if (table.config.tableType != TableType.MergeOnRead) Iterator.empty
    else {
      val pending = table.store.pendingCompactions(table.timeline) ++ table.store.pendingLogCompactions(table.timeline)
      (pending.map((planned _).tupled) ++ completed(table, asked).map((done _).tupled)).sortBy(_.getString(0)).iterator
    }

  // In a merge-on-read table only compactions complete as plain commits, and few delta commits are log compactions.
  private def completed(table: Table, asked: RowsAsked): Seq[(Instant, CommitMetadata)] = {
    val commits = table.timeline.writes.filter(i =>
      i.action != Action.ReplaceCommit &&
        asked.mayHold("time" -> i.time, "completion_time" -> i.completionTime.orNull))
    table.store.readCommits(commits).filter { case (instant, metadata) =>
      instant.action == Action.Commit || metadata.isLogCompaction
    }
  }

  private def planned(instant: Instant, plan: CompactionPlan): Row =
    Row(instant.time, null, instant.action, instant.state.name.toLowerCase(Locale.ROOT), plan.operations.size,
      plan.operations.map(_.logFiles.size.toLong).sum, null)

  private def done(instant: Instant, metadata: CommitMetadata): Row = {
    val stats = metadata.allStats
    val action = if (metadata.isLogCompaction) Action.LogCompaction else Action.Compaction
    Row(instant.time, instant.completionTime.orNull, action, instant.state.name.toLowerCase(Locale.ROOT),
      stats.map(s => s.partitionPath -> s.fileId).distinct.size, stats.map(_.logScan.files).sum,
      stats.map(_.fileSizeInBytes).sum)
  }
}

package io.hudilite.spark.inspect

import io.hudilite.config.TableType
import io.hudilite.table.Table
import io.hudilite.timeline.{Action, CommitMetadata, Instant}
import io.hudilite.timeline.plan.CompactionPlan

import java.util.Locale

import org.apache.spark.sql.Row

/** The compactions of a table, in the columns of [[Inspection.Compactions]]. */
private[inspect] object CompactionInspection {

  /** None for a copy-on-write table, where a completed `commit` is any write. */
  def of(table: Table, asked: RowsAsked): Iterator[Row] =
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

package io.hudilite.spark.inspect

import io.hudilite.table.Table
import io.hudilite.timeline.{CommitMetadata, Instant, WriteStat}

import java.util.Locale

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
    Row(instant.time, instant.completionTime.orNull, instant.comparableAction, metadata.operation, metadata.stats.size,
      stats.size, total(_.numWrites), total(_.numInserts), total(_.numUpdateWrites), total(_.numDeletes),
      total(_.fileSizeInBytes), metadata.replaced.values.map(_.size).sum)
  }

  /** All instants, oldest first. */
  def timeline(table: Table): Iterator[Row] =
    table.timeline.instants.sortBy(i => (i.time, i.comparableAction)).iterator.map { i =>
      Row(i.time, i.completionTime.orNull, i.comparableAction, i.state.name.toLowerCase(Locale.ROOT), i.fileName)
    }
}

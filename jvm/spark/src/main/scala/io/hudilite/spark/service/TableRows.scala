package io.hudilite.spark.service

import io.hudilite.spark.inspect.DriverInspection
import io.hudilite.timeline.{CommitMetadata, Instant, WriteStat}

import java.util.Collections

import org.apache.spark.sql.{Row, SparkSession}

/** Rows that tell something of a table at a path; all calls raise `TABLE_NOT_FOUND`. */
object TableRows {

  /** What the metadata table of that name shows. */
  def of(session: SparkSession, path: String, what: DriverInspection): Iterator[Row] =
    Compactions.onDriver(session, path, Collections.emptyMap())((table, _) => what.rows(table))

  /** The newest writes with Hudi's totals: bytes, files added and updated, partitions, records, updated records, errors. */
  def commits(session: SparkSession, path: String, limit: Int): Seq[Row] =
    Compactions.onDriver(session, path, Collections.emptyMap()) { (table, _) =>
      table.store.readCommits(table.timeline.writes.reverse.take(limit)).map { case (i, metadata) =>
        totals(i, metadata)
      }
    }

  private def totals(instant: Instant, metadata: CommitMetadata): Row = {
    val stats = metadata.allStats
    def total(count: WriteStat => Long): Long = stats.map(count).sum
    val (added, updated) = stats.partition(_.prevCommit == WriteStat.NoPreviousCommit)
    Row(instant.time, instant.completionTime.orNull, instant.comparableAction, total(_.totalWriteBytes),
      added.size.toLong, updated.size.toLong, metadata.stats.size.toLong, total(_.numWrites), total(_.numUpdateWrites),
      total(_.totalWriteErrors))
  }
}

package io.hudilite.service.advise

import io.hudilite.filegroup.FileGroupId
import io.hudilite.table.Table

/** The newest write of a table that looked its keys up.
  *
  * @param keys
  *   how many it brought, by partition
  * @param groups
  *   file groups that it wrote to
  */
final case class LastUpsert(instant: String, keys: Map[String, Long], groups: Set[FileGroupId])

object LastUpsert {

  private val Operations = Set("UPSERT", "UPSERT_PREPPED", "DELETE", "DELETE_PREPPED")

  /** Commits looked at, newest first. */
  private val Commits = 20

  /** `None` where none of the newest commits is one, or where such a one wrote nothing. */
  def of(table: Table): Option[LastUpsert] =
    table.timeline.writes.reverseIterator.take(Commits).map(i => i -> table.store.readCommit(i)).collectFirst {
      case (instant, commit) if Operations(commit.operation) && commit.allStats.nonEmpty =>
        LastUpsert(instant.time,
          commit.stats.map { case (partition, stats) =>
            partition -> stats.map(s => s.numInserts + s.numUpdateWrites + s.numDeletes).sum
          },
          commit.allStats.map(s => FileGroupId(s.partitionPath, s.fileId)).toSet)
    }
}

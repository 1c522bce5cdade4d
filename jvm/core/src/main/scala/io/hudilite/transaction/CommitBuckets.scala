package io.hudilite.transaction

import io.hudilite.error.CommitConflict
import io.hudilite.index.BucketIndex
import io.hudilite.table.{StatedBuckets, Table}
import io.hudilite.timeline.{CommitMetadata, Timeline}

/** Entries of a commit about the table's bucket index. No commit may lose what an earlier one has stated. */
private[transaction] object CommitBuckets {

  /** Entries of the extra metadata. Raises `CommitConflict` when the index has changed since the write was planned.
    *
    * @param table
    *   snapshot that the write was planned on
    * @param mine
    *   index by which the write has dealt its rows
    * @param now
    *   the timeline before the write completes
    */
  def entries(table: Table, instant: String, metadata: CommitMetadata, mine: Option[BucketIndex], now: Timeline)
      : Map[String, String] = {
    val stated = StatedBuckets.of(table.store, now)
    mine.filter(index => stated != table.statedBuckets && stated.exists(!index.isSame(_))).foreach(_ =>
      throw CommitConflict("COMMIT_CONFLICT", "instant" -> instant, "path" -> table.basePath,
        "reason" -> "another writer dealt the rows of the table to other buckets meanwhile"))
    // A pending clustering with an older instant may be about to state another number. A write with rows makes it fail;
    // any other write states nothing and leaves that to the clustering.
    val leaves = (mine.isEmpty || metadata.stats.isEmpty) &&
      now.pending.exists(i => i.time != instant && ConflictCheck.takesGroups(i))
    if (leaves) Map.empty
    else mine.orElse(stated).fold(Map.empty[String, String])(index =>
      StatedBuckets.entries(index,
        whole = (mine.isDefined && isAllThereIs(metadata, now)) ||
          StatedBuckets.ofAllRows(table.store, now).exists(_.isSame(index))))
  }

  /** No row of another write is left behind this one, which has dealt its own. */
  private def isAllThereIs(metadata: CommitMetadata, now: Timeline): Boolean =
    now.writes.isEmpty || metadata.operation == CommitMetadata.InsertOverwriteTable ||
      metadata.operation == CommitMetadata.Cluster
}

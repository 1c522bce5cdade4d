package io.hudilite.transaction

import io.hudilite.error.CommitConflict
import io.hudilite.index.BucketIndex
import io.hudilite.table.{StatedBuckets, Table}
import io.hudilite.timeline.{Action, CommitMetadata, Timeline}

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
    // A write of rows knows its index; what a service or a change of columns is to carry on is looked for.
    val newest = StatedBuckets.newest(table.store, now,
      mayHaveRings = mine.fold(!StatedBuckets.bringsRows(metadata))(_.isConsistent))
    val stated = newest.map(_.index)
    // Rows of a write that restates the number lie by it, also where the table had none when this write was planned.
    def isNew = if (takesAll(metadata)) stated != table.statedBuckets else newest != table.bucketStatement
    mine.filter(index => isNew && stated.exists(!index.isSame(_))).foreach(_ =>
      throw CommitConflict("COMMIT_CONFLICT", "instant" -> instant, "path" -> table.basePath,
        "reason" -> "another writer dealt the rows of the table to other buckets meanwhile"))
    val moved = mine.filter(index => metadata.operation == CommitMetadata.Cluster && !index.rule.isEmpty)
    moved.filter(_ => newest.exists(_.instant > instant)).foreach(_ =>
      throw CommitConflict("COMMIT_CONFLICT", "instant" -> instant, "path" -> table.basePath,
        "reason" -> "a later write dealt rows of other partitions by the former numbers of buckets"))
    // A pending clustering with an older instant may be about to state another number. A write with rows makes it fail;
    // any other write states nothing and leaves that to the clustering. A newer commit has stated the number of its own
    // time, which need not be that of this instant.
    val leaves = (mine.isEmpty || metadata.stats.isEmpty) &&
      (now.writes.exists(_.time > instant) ||
        now.pending.exists(i => i.time != instant && ConflictCheck.takesGroups(i)))
    if (leaves) Map.empty
    else mine.orElse(stated).fold(Map.empty[String, String])(index =>
      StatedBuckets.entries(index,
        whole = !isOutrun(table, instant, now) &&
          ((mine.isDefined && moved.isEmpty && isAllThereIs(metadata, now)) ||
            // Of the rows that a move leaves where they are the former statement holds.
            StatedBuckets.ofAllRows(table.store, now).exists(former =>
              former.isSame(index) || (moved.isDefined && stated.exists(former.isSame))))))
  }

  /** No row of another write is left behind this one, which has dealt its own. */
  private def isAllThereIs(metadata: CommitMetadata, now: Timeline): Boolean =
    now.writes.isEmpty || takesAll(metadata)

  private def takesAll(metadata: CommitMetadata): Boolean =
    metadata.operation == CommitMetadata.InsertOverwriteTable || metadata.operation == CommitMetadata.Cluster

  /** True when a write with an older instant may complete after this one, and no reader could tell: timelines of the
    * first layout have no completion times.
    */
  private def isOutrun(table: Table, instant: String, now: Timeline): Boolean = table.config.layout == 1 &&
    now.pendingWrites.exists(i => i.time < instant && i.action != Action.Compaction && i.action != Action.LogCompaction)
}

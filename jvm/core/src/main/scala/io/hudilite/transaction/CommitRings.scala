package io.hudilite.transaction

import io.hudilite.error.CommitConflict
import io.hudilite.filegroup.FileGroupId
import io.hudilite.index.{BucketIndex, HashRing}
import io.hudilite.table.{RingFiles, Table}
import io.hudilite.timeline.{CommitMetadata, Timeline}

/** The hash rings of the partitions that a commit brings rows to. */
private[transaction] object CommitRings {

  /** Writes rings of new partitions down, and holds those of the others against the ones by which the write has dealt its
    * rows. Raises `CommitConflict` where another writer has changed one since, or is about to.
    *
    * @param mine
    *   index by which the write has dealt its rows
    * @param now
    *   the timeline before the write completes
    */
  def complete(table: Table, instant: String, metadata: CommitMetadata, mine: BucketIndex, now: Timeline): Unit =
    mine.rings.foreach { rings =>
      def conflict(reason: String): CommitConflict =
        CommitConflict("COMMIT_CONFLICT", "instant" -> instant, "path" -> table.basePath, "reason" -> reason)
      val dealt = metadata.stats.collect {
        case (partition, stats) if stats.nonEmpty =>
          partition -> rings.in(partition, mine.count)
      }
      for ((partition, ring) <- dealt; stat <- metadata.stats(partition) if ring.bucketOfFile(stat.fileId).isEmpty)
        throw new IllegalStateException(s"the file group ${stat.fileId} is of no node of the ring of '$partition'")
      planned(table, now).find { case (group, _) => dealt.contains(group.partition) }.foreach {
        case (group, time) => throw conflict(s"$time is about to resize the buckets of '${group.partition}'")
      }
      def isFirst(timeline: Timeline): Boolean =
        timeline.writes.isEmpty && timeline.pendingWrites.forall(_.time == instant)
      // A write that died has left them, and no row lies by them.
      if (isFirst(now)) RingFiles.removeLeft(table.storage, table.basePath, dealt)(isFirst(table.store.load()))
      val files = RingFiles(table.refresh())
      val there = files.written(dealt.keys.toSeq)
      // One that another writer has begun meanwhile is as good where it is the same.
      val begun = dealt.filterNot { case (partition, _) => there.contains(partition) }.filterNot {
        case (partition, ring) => RingFiles.begin(table.storage, table.basePath, partition, ring)
      }
      val present: Map[String, HashRing] = (there ++ files.written(begun.keys.toSeq)).map { case (p, s) => p -> s.ring }
      dealt.find { case (partition, ring) => present.get(partition).exists(_ != ring) }.foreach { case (partition, _) =>
        throw conflict(s"another writer has changed the hash ring of '$partition'")
      }
    }

  /** File groups of clusterings that have been planned since the write was. */
  private def planned(table: Table, now: Timeline): Map[FileGroupId, String] = {
    val known = table.pendingClusterings.values.toSet
    table.copy(timeline = now).pendingClusterings.filterNot { case (_, time) => known(time) }
  }
}

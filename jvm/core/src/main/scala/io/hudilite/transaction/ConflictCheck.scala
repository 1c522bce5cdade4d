package io.hudilite.transaction

import io.hudilite.filegroup.FileGroupId
import io.hudilite.timeline.{Action, CommitMetadata, Instant}

/** What another action on the table writes, replaces or is about to.
  *
  * @param operation
  *   Hudi's upper-case name where known; `COMPACT` marks a compaction
  */
final case class Footprint(instant: Instant, groups: Set[FileGroupId], operation: Option[String] = None)

/** File groups that this write and another action both touch. */
final case class Overlap(other: Footprint, groups: Set[FileGroupId])

/** Optimistic concurrency control on file groups, as Hudi's writers do it (docs/format.md#concurrency): pure. */
object ConflictCheck {

  private val Compact = "COMPACT"

  /** The first action of `others` that excludes a write at `time` to the file groups `mine`.
    *
    * `others` are the writes that completed since the snapshot this write rests on, and the pending replacecommits and
    * clusterings. A compaction that was planned before this write only moves records that this write did not see as
    * absent, so it excludes nothing.
    */
  def firstOverlap(time: String, mine: Set[FileGroupId], others: Seq[Footprint]): Option[Overlap] =
    others.filterNot(_.instant.time == time).filterNot(isEarlierCompaction(time, _)).sortBy(_.instant.time)
      .map(other => Overlap(other, other.groups.intersect(mine)))
      .find(_.groups.nonEmpty)

  private def isEarlierCompaction(time: String, other: Footprint): Boolean =
    other.operation.contains(Compact) && other.instant.time < time

  /** Footprint of a completed write, or of a pending one that recorded its plan in the same form. */
  def footprint(instant: Instant, metadata: CommitMetadata): Footprint =
    Footprint(instant, groups(metadata), Some(if (metadata.compacted) Compact else metadata.operation))

  def groups(metadata: CommitMetadata): Set[FileGroupId] =
    metadata.touchedFileGroups.map { case (partition, fileId) => FileGroupId(partition, fileId) }

  /** Pending actions that will take file groups away when they complete. */
  def takesGroups(instant: Instant): Boolean =
    instant.isPending && (instant.action == Action.ReplaceCommit || instant.action == Action.Clustering)
}

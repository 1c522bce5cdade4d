package io.hudilite.transaction

import io.hudilite.filegroup.FileGroupId
import io.hudilite.index.BucketIndex
import io.hudilite.timeline.{Action, CommitMetadata, Instant, WriteStat}
import io.hudilite.timeline.CommitMetadata.{Compact, LogCompact}
import io.hudilite.timeline.plan.CompactionPlan

/** File groups that another action on the table writes or replaces, or is about to.
  *
  * @param operation
  *   Hudi's upper-case name where known; `COMPACT` marks a compaction
  */
final case class Footprint(instant: Instant, groups: Set[FileGroupId], operation: Option[String] = None)

/** File groups that both this write and another action touch. */
final case class Overlap(other: Footprint, groups: Set[FileGroupId])

/** Changes of file groups by a write.
  *
  * @param rewritten
  *   groups that get a base file
  * @param appended
  *   groups that get nothing but log files
  * @param replaced
  *   groups that are taken out of the table
  */
final case class Changes(
    rewritten: Set[FileGroupId] = Set.empty, appended: Set[FileGroupId] = Set.empty,
    replaced: Set[FileGroupId] = Set.empty) {

  def all: Set[FileGroupId] = rewritten ++ appended ++ replaced
}

/** Facts of the snapshot that a write was planned on.
  *
  * @param version
  *   table version
  * @param compactions
  *   instants of the compactions that were pending then
  */
final case class Basis(version: Int, compactions: Set[String] = Set.empty)

/** Optimistic concurrency control on file groups, as Hudi's writers do it (docs/format.md#concurrency): pure. */
object ConflictCheck {

  private val LogsJoinByCompletion = 8

  // `BUCKET_RESCALE` is Hudi's own name.
  private val MoveOperations = Set(CommitMetadata.Cluster, "BUCKET_RESCALE")

  /** The first action of `others` that excludes a write at `time` with these changes.
    *
    * `others` are the writes that completed since the snapshot this write rests on, the pending replacecommits and
    * clusterings, and the compactions planned since.
    */
  def firstOverlap(time: String, mine: Changes, others: Seq[Footprint], basis: Basis): Option[Overlap] =
    others.filterNot(_.instant.time == time).sortBy(_.instant.time)
      .map(other => Overlap(other, other.groups.map(inBucket).intersect(contested(mine, other, basis).map(inBucket))))
      .find(_.groups.nonEmpty)

  /** One file group for all of a bucket, so that two writes that begin one for the same bucket exclude each other. */
  private def inBucket(group: FileGroupId): FileGroupId =
    BucketIndex.bucketOfFile(group.fileId).fold(group)(bucket => group.copy(fileId = BucketIndex.prefix(bucket)))

  /** File groups over which both actions conflict. A compaction only moves records. So it has no conflict with a
    * replacement of its groups, nor with log files that belong to the slice that it makes: from version 8 on by their
    * completion times, before that only when their names bear the compaction's instant, i.e. when the writer knew of
    * it. A log compaction only repeats records of its slice, so it conflicts with nothing but a new slice.
    */
  private def contested(mine: Changes, other: Footprint, basis: Basis): Set[FileGroupId] =
    if (other.operation.contains(LogCompact)) mine.rewritten
    else if (!other.operation.contains(Compact)) mine.all
    else if (basis.version >= LogsJoinByCompletion || basis.compactions(other.instant.time)) mine.rewritten
    else mine.rewritten ++ mine.appended

  /** True when the write dealt all rows to another number of buckets. Other clusterings leave buckets alone. */
  def movesBuckets(metadata: CommitMetadata): Boolean = MoveOperations(metadata.operation) && {
    val replaced = metadata.replaced.values.flatten
    replaced.nonEmpty && replaced.forall(BucketIndex.bucketOfFile(_).isDefined)
  }

  /** True when the write leaves files in buckets. */
  def writesBuckets(metadata: CommitMetadata): Boolean =
    metadata.allStats.exists(stat => BucketIndex.bucketOfFile(stat.fileId).isDefined)

  /** Footprint of a completed write, or of a pending one that recorded its plan in the same form. */
  def footprint(instant: Instant, metadata: CommitMetadata): Footprint =
    Footprint(instant, changes(metadata).all, Some(if (metadata.compacted) Compact else metadata.operation))

  /** Footprint as a log compaction sees it: log files of other writes lie behind its own, and so do not count. */
  def footprintUnderLogs(instant: Instant, metadata: CommitMetadata): Footprint = {
    val found = footprint(instant, metadata)
    if (metadata.isLogCompaction) found else found.copy(groups = found.groups -- changes(metadata).appended)
  }

  /** Footprint of a pending compaction. */
  def footprint(instant: Instant, plan: CompactionPlan): Footprint =
    Footprint(instant, plan.operations.map(o => FileGroupId(o.partition, o.fileId)).toSet, Some(Compact))

  def changes(metadata: CommitMetadata): Changes = {
    def groups(stats: Seq[WriteStat]): Set[FileGroupId] =
      stats.filter(_.fileId.nonEmpty).map(s => FileGroupId(s.partitionPath, s.fileId)).toSet
    val (logs, bases) = metadata.stats.toSeq.flatMap { case (partition, files) =>
      files.map(_.copy(partitionPath = partition))
    }.partition(_.isLog)
    val rewritten = groups(bases)
    val replaced = for ((partition, ids) <- metadata.replaced.toSeq; id <- ids) yield FileGroupId(partition, id)
    Changes(rewritten, groups(logs) -- rewritten, replaced.toSet)
  }

  /** True for pending actions that take file groups out of the table when they complete. */
  def takesGroups(instant: Instant): Boolean =
    instant.isPending && (instant.action == Action.ReplaceCommit || instant.action == Action.Clustering)
}

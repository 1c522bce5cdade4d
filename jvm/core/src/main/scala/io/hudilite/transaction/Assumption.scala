package io.hudilite.transaction

import io.hudilite.timeline.{CommitMetadata, WriteStat}

/** An assumption of a write about rows that it did not touch, as of its snapshot. Commits since then must not have made
  * it untrue (docs/format.md#concurrency).
  */
sealed trait Assumption {

  /** The first partition in which `other`, completed since, made it untrue for a write with the metadata `mine`. */
  private[transaction] def brokenBy(other: CommitMetadata, mine: CommitMetadata): Option[String]

  /** Text of an error that says what follows from that, given the partition's name. */
  private[transaction] def consequence: String
}

object Assumption {

  /** No assumption. `insert` and `bulk_insert` add rows whatever else there is. For rows added to buckets, the overlap
    * of file groups is enough of a check.
    */
  case object Nothing extends Assumption {
    private[transaction] override def brokenBy(other: CommitMetadata, mine: CommitMetadata): Option[String] = None
    private[transaction] override def consequence: String = ""
  }

  /** Keys of the rows that the write adds had no row, either in the partitions where it adds them or in the whole
    * table.
    *
    * @param anywhere
    *   true when a key has one row in the table, false when it has one in each partition
    */
  final case class KeysAbsent(anywhere: Boolean) extends Assumption {
    private[transaction] override def brokenBy(other: CommitMetadata, mine: CommitMetadata): Option[String] = {
      val (theirs, ours) = (partitionsWithNewRows(other), partitionsWithNewRows(mine))
      if (!anywhere) theirs.find(ours.toSet) else if (ours.isEmpty) None else theirs.headOption
    }
    private[transaction] override def consequence: String = "the keys that this one adds may be among them"
  }

  /** The write takes out all rows of some partitions.
    *
    * @param partitions
    *   true for the paths of these partitions
    */
  final case class Replaces(partitions: String => Boolean) extends Assumption {
    private[transaction] override def brokenBy(other: CommitMetadata, mine: CommitMetadata): Option[String] =
      partitionsWithNewRows(other).find(partitions)
    private[transaction] override def consequence: String = "this one would not replace them"
  }

  /** The table has no rows. */
  case object NoRows extends Assumption {
    private[transaction] override def brokenBy(other: CommitMetadata, mine: CommitMetadata): Option[String] =
      partitionsWithNewRows(other).headOption
    private[transaction] override def consequence: String = "they have no value for the column that this one adds"
  }

  /** Strictest assumption, for a write that states none. */
  val Default: Assumption = KeysAbsent(anywhere = true)

  private val MoveRows = Set(CommitMetadata.Compact, CommitMetadata.LogCompact, CommitMetadata.Cluster)

  /** Partitions, sorted, to which a write added rows that were not there before, in new file groups or in old ones. */
  private[transaction] def partitionsWithNewRows(metadata: CommitMetadata): Seq[String] =
    if (metadata.compacted || MoveRows(metadata.operation)) Nil
    else metadata.stats.collect { case (partition, stats) if stats.exists(adds) => partition }.toSeq.sorted

  private def adds(stat: WriteStat): Boolean =
    stat.numInserts > 0 || (stat.numWrites > 0 && stat.prevCommit == WriteStat.NoPreviousCommit)
}

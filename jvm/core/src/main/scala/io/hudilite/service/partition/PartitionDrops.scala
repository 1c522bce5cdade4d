package io.hudilite.service.partition

import io.hudilite.error.{CommitConflict, InvalidInput, Listed}
import io.hudilite.filegroup.{FileGroupId, FileSlice}
import io.hudilite.table.Table
import io.hudilite.timeline.{Action, Instant}
import io.hudilite.transaction.{Assumption, Transaction, TransactionOptions}

/** Dropped partitions.
  *
  * @param instant
  *   instant of the write that dropped them; empty for a preview, and when there was nothing to do
  * @param fileGroups
  *   number of dropped file groups, by partition
  */
final case class DroppedPartitions(instant: String, fileGroups: Map[String, Int])

/** Drops of partitions: one replace commit takes all their rows out. Their files stay for earlier states until they are
  * cleaned, and the folders go with the last file.
  */
object PartitionDrops {

  private val Operation = "DELETE_PARTITION"

  /** Partitions that [[run]] would drop. Raises the errors of that. */
  def preview(table: Table, partitions: Seq[String]): DroppedPartitions =
    DroppedPartitions("", checked(table, partitions).map { case (partition, slices) => partition -> slices.size })

  /** Drops partitions, which are named by their paths below the table.
    *
    * Raises `PARTITION_NOT_FOUND`, `PARTITION_IN_SERVICE` while a compaction or clustering of it is pending, and
    * `COMMIT_CONFLICT` when another write has added rows to one of them meanwhile.
    */
  def run(table: Table, partitions: Seq[String], options: TransactionOptions = TransactionOptions())
      : DroppedPartitions = {
    val dropped = checked(table, partitions)
    if (dropped.isEmpty) DroppedPartitions("", Map.empty)
    else {
      val write = Transaction.begin(table, Action.ReplaceCommit, Operation, options)
      try {
        write.commit(Nil, dropped.map { case (partition, slices) => partition -> slices.map(_.fileId) },
          assumption = Assumption.Replaces(dropped.keySet))
        DroppedPartitions(write.instant, dropped.map { case (partition, slices) => partition -> slices.size })
      } finally write.rollback() // does nothing after a commit
    }
  }

  /** Completed drops of the active timeline, oldest first. */
  def completed(table: Table): Seq[Instant] =
    table.store.readCommits(table.timeline.writes.filter(_.action == Action.ReplaceCommit))
      .collect { case (instant, metadata) if metadata.operation == Operation => instant }

  private def checked(table: Table, partitions: Seq[String]): Map[String, Seq[FileSlice]] = {
    // The empty path is the one partition of a table without partition columns, which is the table itself.
    val slices = table.groups.slices(partitions.filter(_.nonEmpty).distinct)
    partitions.find(slices.getOrElse(_, Nil).isEmpty).foreach(partition =>
      throw InvalidInput("PARTITION_NOT_FOUND", "path" -> table.basePath, "partition" -> partition,
        "partitions" -> some(table)))
    val services = Seq("compaction" -> table.pendingCompactions, "log compaction" -> table.pendingLogCompactions,
      "clustering" -> table.pendingClusterings)
    for ((service, groups) <- services; (FileGroupId(partition, _), instant) <- groups if slices.contains(partition))
      throw CommitConflict("PARTITION_IN_SERVICE", "path" -> table.basePath, "partition" -> partition,
        "service" -> service, "instant" -> instant)
    slices
  }

  private def some(table: Table): String = {
    val found = table.partitions().filter(_.nonEmpty)
    val slices = table.groups.slices(found)
    Listed.of(found.filter(slices.getOrElse(_, Nil).nonEmpty), Named)
  }

  private val Named = 10
}

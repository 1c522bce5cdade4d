package io.hudilite.timeline.plan

/** What a rollback is to remove from one partition.
  *
  * @param files
  *   the files to delete, relative to the table's base path
  * @param logBlocks
  *   layout 1: name of a log file to its length, where a rollback block takes the blocks of the instant back
  */
final case class RollbackRequest(
    partition: String,
    files: Seq[String],
    fileId: String = "",
    latestBaseInstant: String = "",
    logBlocks: Map[String, Long] = Map.empty)

/** Content of `rollback.requested`. */
final case class RollbackPlan(target: InstantName, requests: Seq[RollbackRequest])

/** What a rollback did in one partition; paths are relative to the table's base path, log files told by their names. */
final case class RolledBackPartition(
    partition: String,
    deleted: Seq[String],
    failed: Seq[String] = Nil,
    rollbackLogFiles: Map[String, Long] = Map.empty)

/** Content of a completed rollback. */
final case class RollbackMetadata(
    startTime: String,
    timeTakenMs: Long,
    targets: Seq[InstantName],
    partitions: Seq[RolledBackPartition])

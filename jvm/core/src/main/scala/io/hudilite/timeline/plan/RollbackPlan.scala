package io.hudilite.timeline.plan

/** Files of one partition that a rollback is to remove.
  *
  * @param files
  *   the files to delete, relative to the table's base path
  * @param logBlocks
  *   layout 1: length of a log file by name, where a rollback block takes the blocks of the instant back
  */
final case class RollbackRequest(
    partition: String,
    files: Seq[String],
    fileId: String = "",
    latestBaseInstant: String = "",
    logBlocks: Map[String, Long] = Map.empty)

/** Content of `rollback.requested`. */
final case class RollbackPlan(target: InstantName, requests: Seq[RollbackRequest])

/** Result of a rollback in one partition. Paths are relative to the table's base path; log files are given by name. */
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

/** An instant named inside a plan. */
final case class InstantName(time: String, action: String)

/** Content of `restore.requested`.
  *
  * @param targets
  *   instants that are taken back, newest first
  * @param to
  *   instant whose state comes back
  */
final case class RestorePlan(targets: Seq[InstantName], to: String)

/** Content of a completed restore: the rollback of each instant, in the order in which they went. */
final case class RestoreMetadata(startTime: String, timeTakenMs: Long, rollbacks: Seq[RollbackMetadata])

/** Content of a completed savepoint: partition to the file names that it protects. */
final case class SavepointMetadata(by: String, atEpochMs: Long, comments: String, files: Map[String, Seq[String]])

package io.hudilite.timeline

/** An instant named inside a plan. */
final case class InstantName(time: String, action: String)

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

/** Content of `restore.requested`.
  *
  * @param targets
  *   the instants that go, newest first
  * @param to
  *   the instant whose state comes back
  */
final case class RestorePlan(targets: Seq[InstantName], to: String)

/** Content of a completed restore: the rollback of each instant, in the order in which they went. */
final case class RestoreMetadata(startTime: String, timeTakenMs: Long, rollbacks: Seq[RollbackMetadata])

/** One file slice that a compaction rewrites. File names carry no folder. */
final case class CompactionOperation(
    partition: String,
    fileId: String,
    baseInstant: String,
    baseFile: Option[String],
    logFiles: Seq[String],
    metrics: Map[String, Double] = Map.empty)

/** Content of `compaction.requested`. */
final case class CompactionPlan(operations: Seq[CompactionOperation])

/** One file slice that a clustering reads; file names carry no folder. */
final case class ClusteringInput(partition: String, fileId: String, baseFile: Option[String], logFiles: Seq[String])

/** What a clustering plan says of one of its groups besides the files.
  *
  * @param outputs
  *   file groups that are to come of it
  */
final case class ClusteringGroupFacts(outputs: Int = 1, metrics: Map[String, Double] = Map.empty)

/** Content of a clustering's requested file.
  *
  * @param strategy
  *   Hudi's class that is to run it, with its parameters: options by their names
  * @param facts
  *   of each group, in their order
  */
final case class ClusteringPlan(groups: Seq[Seq[ClusteringInput]], strategy: String = "",
    params: Map[String, String] = Map.empty, facts: Seq[ClusteringGroupFacts] = Nil)

/** What a clean did in one partition; names carry no folder. */
final case class CleanedPartition(
    partition: String,
    policy: String,
    deleted: Seq[String],
    failed: Seq[String] = Nil,
    partitionDeleted: Boolean = false)

/** Content of a completed clean; files of instants before `earliestCommitToRetain` may be gone.
  *
  * @param savepoints
  *   instants of the savepoints that there were when it was planned
  */
final case class CleanMetadata(
    startTime: String,
    timeTakenMs: Long,
    earliestCommitToRetain: String,
    lastCompletedCommit: String,
    partitions: Seq[CleanedPartition],
    savepoints: Seq[String] = Nil)

/** Content of `clean.requested`: paths relative to the table's base path, by partition.
  *
  * @param earliestToRetain
  *   first instant whose slices stay; `None` when the policy does not go by commits
  * @param savepoints
  *   instants of the savepoints that there are: the files of one that is gone later are looked for again
  */
final case class CleanPlan(
    policy: String,
    earliestToRetain: Option[Instant],
    lastCompletedCommit: String,
    files: Map[String, Seq[String]],
    partitionsToDelete: Seq[String] = Nil,
    savepoints: Seq[String] = Nil)

/** Content of a completed savepoint: partition to the file names that it protects. */
final case class SavepointMetadata(by: String, atEpochMs: Long, comments: String, files: Map[String, Seq[String]])

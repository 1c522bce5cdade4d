package io.hudilite.timeline

/** Result of a clean in one partition; names carry no folder. */
final case class CleanedPartition(
    partition: String,
    policy: String,
    deleted: Seq[String],
    failed: Seq[String] = Nil,
    partitionDeleted: Boolean = false)

/** Content of a completed clean; files of instants before `earliestCommitToRetain` may be gone.
  *
  * @param savepoints
  *   instants of the savepoints that existed when the clean was planned
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
  *   instants of the present savepoints; once one of them is gone, its files are looked at again
  */
final case class CleanPlan(
    policy: String,
    earliestToRetain: Option[Instant],
    lastCompletedCommit: String,
    files: Map[String, Seq[String]],
    partitionsToDelete: Seq[String] = Nil,
    savepoints: Seq[String] = Nil)

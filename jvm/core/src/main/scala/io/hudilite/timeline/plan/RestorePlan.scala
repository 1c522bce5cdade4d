package io.hudilite.timeline.plan

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

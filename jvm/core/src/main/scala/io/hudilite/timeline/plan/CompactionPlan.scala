package io.hudilite.timeline.plan

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

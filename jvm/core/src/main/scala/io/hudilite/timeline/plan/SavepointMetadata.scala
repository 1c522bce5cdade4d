package io.hudilite.timeline.plan

/** Content of a completed savepoint: partition to the file names that it protects. */
final case class SavepointMetadata(by: String, atEpochMs: Long, comments: String, files: Map[String, Seq[String]])

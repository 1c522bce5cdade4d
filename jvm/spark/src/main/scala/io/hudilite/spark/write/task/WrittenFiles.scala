package io.hudilite.spark.write.task

import io.hudilite.timeline.WriteStat

import org.apache.spark.sql.connector.write.WriterCommitMessage

/** The files of one task.
  *
  * @param partitions
  *   partition paths that its rows named, whether or not anything was written to them
  */
final case class WrittenFiles(stats: Seq[WriteStat], partitions: Seq[String] = Nil) extends WriterCommitMessage

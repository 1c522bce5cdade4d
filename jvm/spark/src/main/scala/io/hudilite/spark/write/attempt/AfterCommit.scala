package io.hudilite.spark.write.attempt

import io.hudilite.spark.write.table.WriteTarget
import io.hudilite.table.Table
import io.hudilite.timeline.Instant

import org.apache.spark.sql.SparkSession

/** A write that readers see.
  *
  * @param table
  *   the table that was written to, as it was before
  * @param instant
  *   instant of the write
  */
final case class CommittedWrite(target: WriteTarget, table: Table, instant: Instant)

/** The work of a table for itself after a write. */
trait AfterCommit {

  /** Raises `InvalidInput`, before the write, where its options ask for work that the table cannot have. */
  def check(session: SparkSession, target: WriteTarget): Unit

  /** Runs on the driver. The write is visible, so that it throws only what the write's options ask for. */
  def apply(session: SparkSession, write: CommittedWrite): Unit
}

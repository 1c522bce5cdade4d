package io.hudilite.spark.plan

import io.hudilite.spark.write._

/** What hudilite's planner rule decided about a write. */
sealed trait PreparedWrite {
  def target: WriteTarget
  def isAppend: Boolean
}

object PreparedWrite {
  final case class Append(write: AppendWrite) extends PreparedWrite {
    override def target: WriteTarget = write.target
    override def isAppend: Boolean = true
  }
  final case class Delta(target: WriteTarget, operation: WriteOperation) extends PreparedWrite {
    override def isAppend: Boolean = false
  }
}

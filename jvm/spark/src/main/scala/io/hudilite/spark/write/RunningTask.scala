package io.hudilite.spark.write

import org.apache.spark.TaskContext

/** The task attempt that this thread runs. */
private[write] object RunningTask {
  def attempt(partitionId: Int, attemptId: Long): TaskAttempt =
    TaskAttempt(partitionId, Option(TaskContext.get()).map(_.stageId()).getOrElse(0), attemptId)
}

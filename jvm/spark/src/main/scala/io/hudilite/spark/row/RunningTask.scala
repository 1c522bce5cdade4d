package io.hudilite.spark.row

import io.hudilite.filegroup.FileNames

import org.apache.spark.{TaskContext, TaskKilledException}

/** The task attempt that this thread runs. */
private[spark] object RunningTask {

  /** Of a thread that surely runs one. */
  def attempt: TaskAttempt = attempt(TaskContext.get().partitionId(), TaskContext.get().taskAttemptId())

  def attempt(partitionId: Int, attemptId: Long): TaskAttempt =
    TaskAttempt(partitionId, Option(TaskContext.get()).map(_.stageId()).getOrElse(0), attemptId)

  /** Number of tasks of its stage. */
  def tasks: Int = Option(TaskContext.get()).fold(1)(_.numPartitions())

  /** Ends a task that Spark has killed. A loop without Spark's iterators does not notice it otherwise. */
  def stopIfKilled(): Unit =
    if (Option(TaskContext.get()).exists(_.isInterrupted())) throw new TaskKilledException()

  /** Spark interrupts the threads of tasks that it kills, and clients of remote file systems refuse their calls. */
  def uninterrupted(body: => Unit): Unit = {
    val interrupted = Thread.interrupted()
    try body
    finally if (interrupted) Thread.currentThread().interrupt()
  }
}

/** The running attempt of a task. It makes file names and sequence numbers unique. */
final case class TaskAttempt(partitionId: Int, stageId: Int, attemptId: Long) {
  def writeToken: String = FileNames.writeToken(partitionId, stageId, attemptId)
}

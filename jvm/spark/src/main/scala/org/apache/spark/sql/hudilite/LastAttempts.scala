package org.apache.spark.sql.hudilite

import org.apache.spark.{TaskContext, TaskOutputFileAlreadyExistException}

/** Failures of tasks that would fail again. */
object LastAttempts {

  /** The error for a task to raise in place of `error`, so that Spark gives its job up and runs no other attempt. Spark
    * knows the class by name, as that of rows that cannot be written. The driver gets only the text of the error.
    * Outside of tasks it is `error`.
    *
    * Each part of Spark that hears of the failure logs it. The text names the rule that a row broke, and the place in
    * the code helps nobody, so no traces are logged.
    */
  def failure(error: Throwable): Throwable =
    if (TaskContext.get() == null) error
    else withoutTrace(new TaskOutputFileAlreadyExistException(withoutTrace(error)))

  private def withoutTrace(error: Throwable): Throwable = {
    error.setStackTrace(Array.empty)
    error
  }
}

package org.apache.spark.sql.hudilite

import org.apache.spark.{TaskContext, TaskOutputFileAlreadyExistException}

/** Failures of tasks that would fail again. */
object LastAttempts {

  /** What a task raises for `error`, so that Spark gives its job up and runs no other attempt: it knows the class by its
    * name, as that of what cannot be written. Of the error the driver gets the text alone. Outside of tasks it is `error`.
    *
    * Each part of Spark that hears of the failure logs it, and where in the code a row was found to break a rule tells
    * nobody anything: the text says which rule that is, so that no traces are logged.
    */
  def failure(error: Throwable): Throwable =
    if (TaskContext.get() == null) error
    else withoutTrace(new TaskOutputFileAlreadyExistException(withoutTrace(error)))

  private def withoutTrace(error: Throwable): Throwable = {
    error.setStackTrace(Array.empty)
    error
  }
}

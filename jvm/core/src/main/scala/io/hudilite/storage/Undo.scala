package io.hudilite.storage

import scala.util.control.NonFatal

/** Steps that take back what a failure left half done. */
private[hudilite] object Undo {

  /** Runs `steps`, also in a thread that was interrupted; the answer is the failure, which tells of theirs. */
  def after(failure: Throwable)(steps: => Any): Throwable = {
    try Interrupts.after(failure)(steps)
    catch { case NonFatal(onUndo) => failure.addSuppressed(onUndo) }
    failure
  }
}

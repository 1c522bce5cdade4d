package io.hudilite.storage

import java.io.InterruptedIOException
import java.nio.channels.ClosedByInterruptException

/** Storage calls that must be made although the thread was interrupted. */
private[hudilite] object Interrupts {

  /** Runs `body` with the thread's interrupt held back; who waits for it gets it afterwards. */
  def heldBack[T](body: => T): T = {
    val interrupted = Thread.interrupted()
    try body
    finally if (interrupted) Thread.currentThread().interrupt()
  }

  /** As [[heldBack]] after a failure that may itself have been an interrupt, which then is still due. */
  def after[T](failure: Throwable)(body: => T): T = {
    if (isInterrupt(failure)) Thread.currentThread().interrupt()
    heldBack(body)
  }

  /** A failure, or what it comes from, is an interrupt of who waits for storage. */
  def isDue(failure: Throwable): Boolean =
    Iterator.iterate(failure)(_.getCause).takeWhile(_ != null).take(MostCauses).exists(isInterrupt)

  private val MostCauses = 16

  // A socket that timed out is an InterruptedIOException as well, of a class of its own.
  private def isInterrupt(failure: Throwable): Boolean = failure match {
    case _: InterruptedException | _: ClosedByInterruptException => true
    case other => other.getClass == classOf[InterruptedIOException]
  }
}

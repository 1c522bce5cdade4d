package io.hudilite.spark.service

import java.util.UUID
import java.util.concurrent.{CountDownLatch, TimeUnit}

import org.apache.spark.SparkContext
import org.apache.spark.util.LongAccumulator

import scala.util.{Failure, Try}

/** A table service on its way, in a thread of its own.
  *
  * @param name
  *   what it does, in one word
  * @param counter
  *   counts what is done
  * @param total
  *   what there is to do, in the same unit, as far as known at its start
  * @param body
  *   given whether it was cancelled, which it asks where no tasks of it are to be stopped
  */
final class RunningService[+T] private[spark] (
    context: SparkContext, val name: String, counter: LongAccumulator, val total: Int,
    body: (() => Boolean) => T) {

  private val group = s"hudilite-$name-${UUID.randomUUID()}"

  @volatile private[this] var outcome: Try[T] = Failure(new IllegalStateException("it has not ended"))
  private val ended = new CountDownLatch(1)
  @volatile private[this] var cancelled = false

  private val thread = new Thread(
    () =>
      try {
        context.setJobGroup(group, s"hudilite $name", interruptOnCancel = true)
        outcome = Try(body(() => cancelled))
      } catch { case e: Throwable => outcome = Failure(e) } // also what Try lets through
      finally ended.countDown(),
    s"hudilite-$name")
  thread.setDaemon(true)
  thread.start()

  /** File slices or files that are done so far. */
  def done: Long = counter.value

  /** Waits at most so long; true when it has ended, well or not. */
  def waitFor(millis: Long): Boolean = ended.await(millis, TimeUnit.MILLISECONDS)

  /** Stops its tasks, or what has none at its next step; it ends with an error then, and its plan stays. */
  def cancel(): Unit = if (!cancelled) {
    cancelled = true
    context.cancelJobGroup(group)
    // Spark stops the jobs that there are, and one may just be about to begin.
    val again = new Thread(() => while (!waitFor(RunningService.CancelMillis)) context.cancelJobGroup(group),
      s"hudilite-$name-cancel")
    again.setDaemon(true)
    again.start()
  }

  /** Waits for its end and says what it did; raises what it raised. */
  def result(): T = {
    ended.await()
    outcome.get
  }
}

private object RunningService {
  private val CancelMillis = 200L
}

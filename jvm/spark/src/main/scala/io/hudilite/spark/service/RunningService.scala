package io.hudilite.spark.service

import java.util.UUID
import java.util.concurrent.{ExecutionException, FutureTask, TimeUnit, TimeoutException}
import java.util.concurrent.atomic.AtomicBoolean

import org.apache.spark.SparkContext
import org.apache.spark.util.LongAccumulator

/** A table service on its way, in a thread of its own.
  *
  * @param name
  *   name of the service, in one word
  * @param counter
  *   counts what is done
  * @param total
  *   amount of work, in the unit of the counter, as far as known at its start
  * @param body
  *   given whether it was cancelled, which it asks where no tasks of it are to be stopped
  */
final class RunningService[+T] private[spark] (
    context: SparkContext, val name: String, counter: LongAccumulator, val total: Int,
    body: (() => Boolean) => T) {

  private val group = s"hudilite-$name-${UUID.randomUUID()}"

  private val cancelled = new AtomicBoolean()

  private[this] val outcome: FutureTask[T] = new FutureTask[T](() => {
    context.setJobGroup(group, s"hudilite $name", interruptOnCancel = true)
    body(() => cancelled.get())
  })

  begin(outcome, s"hudilite-$name")

  private def begin(work: Runnable, thread: String): Unit = {
    val begun = new Thread(work, thread)
    begun.setDaemon(true)
    begun.start()
  }

  /** File slices or files that are done so far. */
  def done: Long = counter.value

  /** Waits at most so long; true when it has ended, well or not. */
  def waitFor(millis: Long): Boolean =
    try {
      outcome.get(millis, TimeUnit.MILLISECONDS)
      true
    } catch {
      case _: TimeoutException => false
      case _: ExecutionException => true
    }

  /** Stops its tasks, or what has none at its next step; it ends with an error then, and its plan stays. */
  def cancel(): Unit = if (cancelled.compareAndSet(false, true)) {
    context.cancelJobGroup(group)
    // Spark stops the jobs that there are, and one may just be about to begin.
    begin(() => while (!waitFor(RunningService.CancelMillis)) context.cancelJobGroup(group), s"hudilite-$name-cancel")
  }

  /** Waits for its end and says what it did; raises what it raised. */
  def result(): T =
    try outcome.get()
    catch { case e: ExecutionException => throw e.getCause }
}

private object RunningService {
  private val CancelMillis = 200L
}

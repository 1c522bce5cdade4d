package io.hudilite.spark.service

import java.util.UUID
import java.util.concurrent.{
  CancellationException,
  ConcurrentHashMap,
  ExecutionException,
  FutureTask,
  TimeUnit,
  TimeoutException
}
import java.util.concurrent.atomic.AtomicBoolean

import org.apache.spark.SparkContext
import org.apache.spark.util.LongAccumulator

import scala.collection.JavaConverters._

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

/** The services of this application that somebody waits for, by the name that was given to the run: another session, or
  * another thread, asks by it how far it is.
  */
object RunningServices {

  private val running = new ConcurrentHashMap[String, RunningService[Any]]()

  /** Waits for what a service did, which is known by the name meanwhile; it is stopped when the waiting is. */
  def finished[T](name: Option[String], service: RunningService[T]): T = {
    name.foreach(running.put(_, service))
    try service.result()
    catch {
      case e: InterruptedException =>
        service.cancel()
        throw e
    } finally name.foreach(running.remove(_, service))
  }

  /** By their names. */
  def all: Seq[(String, RunningService[Any])] = running.asScala.toSeq.sortBy(_._1)

  /** Stops the tasks of one; false when none of that name runs. */
  def cancel(name: String): Boolean = {
    val found = Option(running.get(name))
    found.foreach(_.cancel())
    found.isDefined
  }
}

/** A wish that a service stops, asked where it has no tasks that could be stopped. */
private[spark] final class Stop(isAsked: () => Boolean) {

  /** Raises `CancellationException` when the service is to stop.
    *
    * @param what
    *   would come next; nothing of it has begun
    */
  def check(what: => String): Unit = if (isAsked()) throw new CancellationException(s"$what was stopped")
}

private[spark] object Stop {
  val Never: Stop = new Stop(() => false)
}

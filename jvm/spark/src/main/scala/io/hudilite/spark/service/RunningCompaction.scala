package io.hudilite.spark.service

import java.util.UUID
import java.util.concurrent.{CountDownLatch, TimeUnit}

import org.apache.spark.SparkContext
import org.apache.spark.util.LongAccumulator

import scala.util.{Failure, Success, Try}

/** A compaction on its way, in a thread of its own.
  *
  * @param total
  *   file slices that it will compact, as far as known at its start
  */
final class RunningCompaction private[service] (
    context: SparkContext, done: LongAccumulator, val total: Int, body: () => Seq[FinishedCompaction]) {

  private val group = s"hudilite-compaction-${UUID.randomUUID()}"

  @volatile private var outcome: Try[Seq[FinishedCompaction]] = Success(Nil)
  private val ended = new CountDownLatch(1)

  private val thread = new Thread(
    () =>
      try {
        context.setJobGroup(group, "hudilite compaction", interruptOnCancel = true)
        outcome = Success(body())
      } catch { case e: Throwable => outcome = Failure(e) }
      finally ended.countDown(),
    "hudilite-compaction")
  thread.setDaemon(true)
  thread.start()

  /** File slices that are compacted so far. */
  def compacted: Long = done.value

  /** Waits at most so long; true when it has ended, well or not. */
  def waitFor(millis: Long): Boolean = ended.await(millis, TimeUnit.MILLISECONDS)

  /** Stops its tasks; it ends with an error then, and its plan stays. */
  def cancel(): Unit = context.cancelJobGroup(group)

  /** Waits for its end and says what it did; raises what it raised. */
  def result(): Seq[FinishedCompaction] = {
    ended.await()
    outcome.get
  }
}

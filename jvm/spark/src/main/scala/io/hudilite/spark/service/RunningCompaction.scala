package io.hudilite.spark.service

import java.util.concurrent.{CountDownLatch, TimeUnit}

import org.apache.spark.util.LongAccumulator

import scala.util.{Failure, Success, Try}

/** A compaction on its way, in a thread of its own.
  *
  * @param total
  *   file slices that it will compact, as far as known at its start
  */
final class RunningCompaction private[service] (
    done: LongAccumulator, val total: Int, body: () => Seq[FinishedCompaction]) {

  @volatile private var outcome: Try[Seq[FinishedCompaction]] = Success(Nil)
  private val ended = new CountDownLatch(1)

  private val thread = new Thread(
    () =>
      try outcome = Success(body())
      catch { case e: Throwable => outcome = Failure(e) }
      finally ended.countDown(),
    "hudilite-compaction")
  thread.setDaemon(true)
  thread.start()

  /** File slices that are compacted so far. */
  def compacted: Long = done.value

  /** Waits at most so long; true when it has ended, well or not. */
  def waitFor(millis: Long): Boolean = ended.await(millis, TimeUnit.MILLISECONDS)

  /** Waits for its end and says what it did; raises what it raised. */
  def result(): Seq[FinishedCompaction] = {
    ended.await()
    outcome.get
  }
}

package io.hudilite.spark.service.inline

import java.util.concurrent.{ExecutorService, Executors, TimeUnit}

import scala.collection.mutable

/** Rounds of work beside the callers, one at a time for each name. A caller of a name whose round is under way asks
  * for one more after it, however many ask: the last to ask says what that one does.
  *
  * @param threads
  *   names that are worked on at once
  */
private[service] final class BackgroundRounds(threads: Int) {

  private val pool: ExecutorService = Executors.newFixedThreadPool(threads,
    (body: Runnable) => {
      // Else it would keep the settings and the job group of the write that asked first, which others cancel.
      val thread = new Thread(null, body, "hudilite-services", 0L, false)
      thread.setContextClassLoader(Thread.currentThread.getContextClassLoader)
      thread.setDaemon(true)
      thread
    })

  // Names that are worked on, and what comes after.
  private val next = mutable.Map.empty[String, Option[Runnable]]

  private var isEnded = false

  /** False when there are no rounds any more.
    *
    * @param round
    *   sees to its own errors
    */
  def ask(name: String, round: Runnable): Boolean = synchronized {
    if (next.contains(name)) next(name) = Some(round)
    else if (!isEnded) {
      next(name) = None
      pool.execute(() => work(name, round))
    }
    !isEnded
  }

  /** No round begins any more. One that is under way goes on, and the threads end with the last. */
  def end(): Unit = synchronized {
    isEnded = true
    next.keys.toSeq.foreach(next(_) = None)
    pool.shutdown()
  }

  /** Waits until the last thread has ended, which it does after [[end]]; false when that takes longer. */
  def ended(millis: Long): Boolean = pool.awaitTermination(millis, TimeUnit.MILLISECONDS)

  private def mayBegin: Boolean = synchronized(!isEnded)

  /** Waits until nothing is asked for under the name any more; false when that takes longer than so many milliseconds. */
  def await(name: String, millis: Long): Boolean = synchronized {
    val end = System.nanoTime() + millis * 1000000L
    def left: Long = (end - System.nanoTime()) / 1000000L
    while (next.contains(name) && left > 0) wait(left)
    !next.contains(name)
  }

  private def work(name: String, round: Runnable): Unit =
    try if (mayBegin) round.run()
    finally after(name).foreach(more => pool.execute(() => work(name, more)))

  private def after(name: String): Option[Runnable] = synchronized {
    val more = next(name)
    if (more.isDefined) next(name) = None
    else {
      next -= name
      notifyAll()
    }
    more
  }
}

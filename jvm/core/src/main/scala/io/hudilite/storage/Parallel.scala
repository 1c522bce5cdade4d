package io.hudilite.storage

import java.util.concurrent.{Callable, ExecutionException, ExecutorService, Executors}

import scala.collection.JavaConverters._

/** Requests that mostly wait for a file system, a bounded number at a time in the process. */
private[hudilite] object Parallel {

  private val Threads = 16

  private val Name = "hudilite-storage"

  private lazy val pool: ExecutorService = Executors.newFixedThreadPool(Threads, new DaemonThreads(Name))

  // A thread of the pool would wait for others that wait for it.
  private def isInside: Boolean = Thread.currentThread.getName.startsWith(Name)

  /** The answers in the order of the items; raises what `work` raised. Where `work` comes here again its items are done one
    * after the other.
    */
  def map[A, B](items: Seq[A])(work: A => B): Seq[B] =
    if (items.size < 2 || isInside) items.map(work)
    else {
      val tasks = items.map(item => new Callable[B] { override def call(): B = work(item) })
      try pool.invokeAll(tasks.asJava).asScala.map(_.get()).toList
      catch { case e: ExecutionException => throw e.getCause }
    }
}

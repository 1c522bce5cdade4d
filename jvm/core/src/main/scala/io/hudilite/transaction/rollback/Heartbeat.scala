package io.hudilite.transaction.rollback

import io.hudilite.storage.Storage

import java.util.concurrent.{Executors, ScheduledExecutorService, ScheduledFuture, ThreadFactory, TimeUnit}

import org.slf4j.LoggerFactory

import scala.util.control.NonFatal

/** Hudi's sign of life of a pending instant: a file whose age tells (docs/format.md#failed-writes). */
final class Heartbeat private (path: String, storage: Storage, task: ScheduledFuture[_]) {

  /** Ends the heartbeat and removes its file. */
  def stop(): Unit = {
    task.cancel(false)
    storage.delete(path)
    ()
  }

  /** Ends the heartbeat and leaves the file to expire. */
  def abandon(): Unit = {
    task.cancel(false)
    ()
  }
}

object Heartbeat {

  /** Hudi's defaults: one beat a minute, dead after two missing ones. */
  val IntervalMs: Long = 60000L
  val ExpiryMs: Long = 2 * IntervalMs

  private val log = LoggerFactory.getLogger("io.hudilite.transaction.Heartbeat")

  private lazy val timer: ScheduledExecutorService = Executors.newSingleThreadScheduledExecutor(new ThreadFactory {
    override def newThread(work: Runnable): Thread = {
      val thread = new Thread(work, "hudilite-heartbeat")
      thread.setDaemon(true)
      thread
    }
  })

  def start(storage: Storage, basePath: String, instant: String): Heartbeat = {
    val path = file(basePath, instant)
    storage.replace(path, Array.emptyByteArray)
    val beat: Runnable = () =>
      try storage.replace(path, Array.emptyByteArray)
      catch { case NonFatal(e) => log.warn(s"The heartbeat $path could not be renewed.", e) }
    new Heartbeat(path, storage, timer.scheduleWithFixedDelay(beat, IntervalMs, IntervalMs, TimeUnit.MILLISECONDS))
  }

  /** True when the instant's heartbeat is absent or was not renewed for [[ExpiryMs]]. */
  def isExpired(storage: Storage, basePath: String, instant: String, nowMs: Long): Boolean =
    age(storage, basePath, instant, nowMs).forall(_ > ExpiryMs)

  /** Milliseconds since the instant's last beat; `None` when it has no heartbeat. */
  def age(storage: Storage, basePath: String, instant: String, nowMs: Long): Option[Long] =
    storage.list(folder(basePath)).find(_.name == instant).map(nowMs - _.modifiedMs)

  def delete(storage: Storage, basePath: String, instant: String): Unit = {
    storage.delete(file(basePath, instant))
    ()
  }

  private def folder(basePath: String): String = s"${basePath.stripSuffix("/")}/.hoodie/.heartbeat"
  private def file(basePath: String, instant: String): String = s"${folder(basePath)}/$instant"
}

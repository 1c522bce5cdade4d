package io.hudilite.transaction.rollback

import io.hudilite.storage.{DaemonThreads, Storage}
import io.hudilite.timeline.WriteFolders

import java.util.concurrent.{Executors, ScheduledExecutorService, ScheduledFuture, TimeUnit}

import org.slf4j.LoggerFactory

import scala.util.control.NonFatal

/** Hudi's sign of life of a pending instant: a file that must not grow old (docs/format.md#failed-writes). */
final class Heartbeat private (path: String, content: Array[Byte], storage: Storage) {

  import Heartbeat.log

  private var ended = false
  private var task: Option[ScheduledFuture[_]] = None

  private def start(timer: ScheduledExecutorService): Heartbeat = {
    task = Some(timer.scheduleWithFixedDelay(() => beat(), Heartbeat.IntervalMs, Heartbeat.IntervalMs,
        TimeUnit.MILLISECONDS))
    this
  }

  // A beat that is under way when the heartbeat ends must not bring its file back.
  private[rollback] def beat(): Unit = synchronized {
    if (!ended)
      try storage.replace(path, content)
      catch { case NonFatal(e) => log.warn(s"The heartbeat $path could not be renewed.", e) }
  }

  /** Ends the heartbeat and removes its file. */
  def stop(): Unit = {
    abandon()
    storage.delete(path)
    ()
  }

  /** Ends the heartbeat and leaves the file to expire. */
  def abandon(): Unit = synchronized {
    ended = true
    task.foreach(_.cancel(false))
  }
}

object Heartbeat {

  /** Hudi's defaults: one beat a minute, and dead after two missing ones. */
  val IntervalMs: Long = 60000L
  val ExpiryMs: Long = 2 * IntervalMs

  // Several threads, so that a store that hangs does not stop the heartbeats of writes to other stores.
  private val Threads = 8

  private val log = LoggerFactory.getLogger("io.hudilite.transaction.Heartbeat")

  private lazy val timer: ScheduledExecutorService = Executors.newScheduledThreadPool(Threads,
    new DaemonThreads("hudilite-heartbeat"))

  def start(storage: Storage, basePath: String, instant: String): Heartbeat =
    start(storage, file(basePath, instant), Array.emptyByteArray)

  /** A heartbeat with a file of its own, such as that of a claim. */
  private[rollback] def start(storage: Storage, path: String, content: Array[Byte]): Heartbeat = {
    storage.replace(path, content)
    new Heartbeat(path, content, storage).start(timer)
  }

  /** Time of the instant's last heartbeat, in epoch milliseconds of the storage; `None` when there is none. */
  def lastBeat(storage: Storage, basePath: String, instant: String): Option[Long] =
    storage.list(WriteFolders.heartbeats(basePath)).find(_.name == instant).map(_.modifiedMs)

  def delete(storage: Storage, basePath: String, instant: String): Unit = {
    storage.delete(file(basePath, instant))
    ()
  }

  private def file(basePath: String, instant: String): String = s"${WriteFolders.heartbeats(basePath)}/$instant"
}

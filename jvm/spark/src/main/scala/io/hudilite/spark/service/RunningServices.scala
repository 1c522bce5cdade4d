package io.hudilite.spark.service

import java.util.concurrent.ConcurrentHashMap

import scala.collection.JavaConverters._

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

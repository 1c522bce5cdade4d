package io.hudilite.spark.service

import io.hudilite.table.Table
import io.hudilite.timeline.{Instant, State}

import java.util.concurrent.ConcurrentHashMap

/** How it stands with one service of a table.
  *
  * @param service
  *   name of the service
  * @param byItself
  *   it follows writes with these options
  * @param planned
  *   instants that are planned and that nobody runs, as far as the timeline tells
  * @param running
  *   instants that somebody has begun
  * @param last
  *   its last instant; archiving has none
  * @param lastError
  *   text of what has kept it from running after a write of this process, when it has not run since
  * @param isDue
  *   the next write sets it off
  * @param next
  *   trigger of the service, and the distance to it
  */
final case class ServiceState(service: String, byItself: Boolean, planned: Seq[String], running: Seq[String],
    last: Option[String], lastError: Option[String], isDue: Boolean, next: String)

private[service] object ServiceState {

  private val errors = new ConcurrentHashMap[(String, String), String]()

  /** Remembers how a service ended that nobody waits for. */
  def ended(table: Table, service: String, failure: Option[Throwable]): Unit = {
    val key = table.place.key -> service
    failure match {
      case Some(e) => errors.put(key, e.toString)
      case None => errors.remove(key)
    }
    ()
  }

  def of(table: Table, service: String, byItself: Boolean, pending: Seq[Instant], last: Option[Instant],
      isDue: Boolean, next: String): ServiceState = {
    val (planned, running) = pending.partition(_.state == State.Requested)
    ServiceState(service, byItself, planned.map(_.time), running.map(_.time), last.map(_.time),
      Option(errors.get(table.place.key -> service)), isDue, next)
  }
}

package io.hudilite.spark.service

import io.hudilite.config.WriteConf
import io.hudilite.config.service.ServiceConf
import io.hudilite.spark.write.table.WriteTarget
import io.hudilite.table.Table
import io.hudilite.timeline.{Instant, State}

import java.util.concurrent.ConcurrentHashMap

import org.apache.spark.sql.SparkSession

/** A service that a table may do for itself after a write.
  *
  * @param name
  *   in one or two words, as users read it
  */
private[service] abstract class InlineService(val name: String) {

  /** Raises `InvalidInput`, before the write, when its options ask for a service that the table cannot have, that they
    * forbid, or that makes no sense.
    */
  def check(session: SparkSession, target: WriteTarget): Unit = ()

  /** Says whether it is worth a look after a write, by the options and the timeline as the write found it: most writes ask
    * storage for nothing.
    */
  def mayBeDue(before: Table, conf: ServiceConf): Boolean

  /** Does what is due. */
  def run(session: SparkSession, now: LatestTable, conf: WriteConf): Unit

  /** How it stands with it; `None` for a table that has no use for it. */
  def state(table: Table, conf: ServiceConf): Option[ServiceState]
}

/** The table after a write, opened when a service first needs it and anew behind each that may have changed its files.
  *
  * @param before
  *   the table as the write found it
  */
private[service] final class LatestTable(val before: Table) {

  private var known: Option[Table] = None

  def table: Table = known.getOrElse {
    val opened = before.refresh()
    known = Some(opened)
    opened
  }

  def changing(service: Table => Any): Unit =
    try {
      service(table)
      ()
    } finally known = None
}

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

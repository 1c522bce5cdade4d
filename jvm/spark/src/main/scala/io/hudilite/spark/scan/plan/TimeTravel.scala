package io.hudilite.spark.scan.plan

import io.hudilite.config.NamedState
import io.hudilite.error.InvalidInput
import io.hudilite.table.Table
import io.hudilite.timeline.InstantTime

import java.time.temporal.ChronoUnit
import java.time.{Instant, ZoneId}

import org.apache.spark.sql.catalyst.util.DateTimeUtils
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.unsafe.types.UTF8String
import org.slf4j.LoggerFactory

/** The state of a table that a read names, under one of three names. */
object TimeTravel {

  /** The instant that the options of a read name; raises `InvalidInput` when they name one under two names.
    *
    * @param zone
    *   of the table's timeline
    */
  def instant(states: Seq[NamedState], zone: ZoneId): Option[String] = {
    val instants = states.map { case NamedState(option, bySession) =>
      option -> InstantTime.parseUserInput(if (bySession) ofSession(option.text) else option.text, zone)
    }
    for ((first, _) <- instants.headOption; (option, _) <- instants.tail.headOption)
      throw InvalidInput("INVALID_OPTION_VALUE", "option" -> option.name, "value" -> option.text,
        "reason" -> s"${first.name} names the state of the table already")
    instants.headOption.map(_._2)
  }

  /** Says that a table is read as of a time that has not come: it has the newest rows, and they may change until then. */
  def tellOfFuture(table: Table, asOf: String): Unit = {
    val clock = table.storage.clock
    if (asOf > InstantTime.fromEpochMillis(clock.millis(), table.config.zone(clock)))
      log.warn(s"The table at ${table.basePath} is read as of $asOf, a time that has not come: its newest instant is " +
        s"${table.lastInstant.fold("none")(_.time)}.")
  }

  private val log = LoggerFactory.getLogger("io.hudilite.spark.scan.plan.TimeTravel")

  /** A time as `TIMESTAMP AS OF` hands it on, in microseconds since 1970 UTC. */
  def ofMicros(micros: Long): String = Instant.EPOCH.plus(micros, ChronoUnit.MICROS).toString

  /** A time in the words of Spark, which stands for one of the session's time zone where it names none. */
  private def ofSession(text: String): String = {
    val zone = DateTimeUtils.getZoneId(SQLConf.get.sessionLocalTimeZone)
    if (InstantTime.isValid(text.trim)) text.trim
    else DateTimeUtils.stringToTimestamp(UTF8String.fromString(text.trim), zone).map(ofMicros)
      .getOrElse(throw InvalidInput("INVALID_INSTANT", "text" -> text))
  }
}

package io.hudilite.spark.read

import io.hudilite.config.ReadOptions
import io.hudilite.error.InvalidInput
import io.hudilite.timeline.InstantTime

import java.time.temporal.ChronoUnit
import java.time.{Instant, ZoneId}

import org.apache.spark.sql.catalyst.util.DateTimeUtils
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.unsafe.types.UTF8String

/** The state of a table that a read names, under one of three names. */
object TimeTravel {

  /** The names and texts among the options. */
  def named(options: Map[String, String]): Seq[(String, String)] = ReadOptions.TimeTravel.flatMap(_.raw(options))

  /** The options of the session as far as those of one read leave them standing: a read that names a state itself takes
    * none from the session.
    */
  def inherited(session: Map[String, String], own: Map[String, String]): Map[String, String] =
    if (named(own).isEmpty) session
    else session.filterNot { case (key, _) => ReadOptions.TimeTravel.exists(_.name.equalsIgnoreCase(key)) }

  /** The instant that the options name; raises `InvalidInput` when they name two.
    *
    * @param zone
    *   of the table's timeline
    */
  def instant(options: Map[String, String], zone: ZoneId): Option[String] = {
    val instants = for (key <- ReadOptions.TimeTravel; (name, text) <- key.raw(options)) yield {
      val asked = if (key == ReadOptions.TimestampAsOf) ofSession(text) else text
      (name, text, InstantTime.parseUserInput(asked, zone))
    }
    for ((first, _, one) <- instants.headOption; (name, text, other) <- instants if other != one)
      throw InvalidInput("INVALID_OPTION_VALUE", "option" -> name, "value" -> text,
        "reason" -> s"$first names another state of the table")
    instants.headOption.map(_._3)
  }

  /** A time as `TIMESTAMP AS OF` hands it on, in microseconds since 1970 UTC. */
  def ofMicros(micros: Long): String = Instant.EPOCH.plus(micros, ChronoUnit.MICROS).toString

  /** A time in the words of Spark, which stands for one of the session's time zone where it names none. */
  private def ofSession(text: String): String = {
    val zone = DateTimeUtils.getZoneId(SQLConf.get.sessionLocalTimeZone)
    DateTimeUtils.stringToTimestamp(UTF8String.fromString(text.trim), zone).map(ofMicros)
      .getOrElse(throw InvalidInput("INVALID_INSTANT", "text" -> text))
  }
}

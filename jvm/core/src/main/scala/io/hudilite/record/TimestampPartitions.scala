package io.hudilite.record

import io.hudilite.config.TableOptions
import io.hudilite.config.key.ConfigKey
import io.hudilite.error.InvalidInput

import java.time.{Instant, LocalDate, LocalDateTime, ZoneId, ZoneOffset}
import java.time.format.{DateTimeFormatter, DateTimeParseException}
import java.time.temporal.{ChronoField, TemporalAccessor, TemporalQueries}
import java.util.Locale
import java.util.TimeZone
import java.util.concurrent.TimeUnit

/** Turns the value of a partition column into the name of its directory, by the settings of a time-based key generator.
  *
  * Behaviour of Apache Hudi 1.2.0, seen by running it: a missing value counts as 1 in the column's unit; without an
  * output zone numbers are written in the JVM's zone and date strings in the zone that they were read in.
  *
  * @param unit
  *   unit of numbers; `None` for date strings
  * @param inputFormats
  *   patterns of date strings; the first that fits is used
  */
final case class TimestampPartitions(
    unit: Option[TimeUnit],
    inputFormats: Seq[String],
    outputFormat: String,
    inputZone: Option[String],
    outputZone: Option[String]) {

  @transient private lazy val parsers: Seq[DateTimeFormatter] = inputFormats.map(JodaPattern.parser)
  @transient private lazy val printer: DateTimeFormatter = JodaPattern.printer(outputFormat)
  @transient private lazy val inZone: Option[ZoneId] = inputZone.map(TimestampPartitions.zone)
  @transient private lazy val outZone: Option[ZoneId] = outputZone.map(TimestampPartitions.zone)

  /** The directory name, not yet escaped. `value` is a number, a string, a `LocalDate` (days), an `Instant`
    * (microseconds) or null; one that does not fit raises `INVALID_PARTITION_VALUE`.
    */
  def format(value: Any): String = value match {
    case null => if (unit.isEmpty) formatText(missingText) else formatNumber(1L)
    case date: LocalDate => formatNumber(date.toEpochDay)
    case instant: Instant =>
      if (!unit.contains(TimeUnit.MICROSECONDS)) throw invalid(value, "a timestamp column needs EPOCHMICROSECONDS")
      formatMillis(instant.toEpochMilli, outZone.getOrElse(ZoneId.systemDefault()))
    case number: java.lang.Number => formatNumber(number.longValue)
    case text => formatText(text.toString)
  }

  private def formatNumber(number: Long): String = {
    val millis = TimeUnit.MILLISECONDS.convert(number, unit.getOrElse(throw invalid(number, "it is not a date string")))
    formatMillis(millis, outZone.getOrElse(ZoneId.systemDefault()))
  }

  private def formatMillis(millis: Long, zone: ZoneId): String =
    printer.format(Instant.ofEpochMilli(millis).atZone(zone))

  private def formatText(text: String): String = {
    if (inputFormats.isEmpty) throw invalid(text, s"${TableOptions.InputDateFormat.name} is not set")
    val parsed = parse(text)
    val ownZone = Option(parsed.query(TemporalQueries.zone()))
    val readZone = inZone.getOrElse(ownZone.getOrElse(ZoneId.systemDefault()))
    val instant =
      if (parsed.isSupported(ChronoField.INSTANT_SECONDS)) Instant.from(parsed)
      else LocalDateTime.from(parsed).atZone(readZone).toInstant
    formatMillis(instant.toEpochMilli, outZone.getOrElse(readZone))
  }

  private def parse(text: String): TemporalAccessor = {
    def attempt(parser: DateTimeFormatter): Option[TemporalAccessor] =
      try Some(parser.parse(text))
      catch { case _: DateTimeParseException => None }
    parsers.iterator.map(attempt).collectFirst { case Some(parsed) => parsed }
      .getOrElse(throw invalid(text, s"it does not fit ${inputFormats.mkString(" or ")}"))
  }

  private def missingText: String =
    JodaPattern.printer(inputFormats.headOption.getOrElse("yyyy"))
      .format(Instant.ofEpochMilli(1L).atZone(inZone.orElse(outZone).getOrElse(ZoneOffset.UTC)))

  private def invalid(value: Any, reason: String): InvalidInput =
    InvalidInput("INVALID_PARTITION_VALUE", "value" -> String.valueOf(value), "reason" -> reason)
}

object TimestampPartitions {

  /** Reads the `hoodie.keygen.timebased.*` settings of a table or of a write's options. */
  def of(settings: Map[String, String]): TimestampPartitions = {
    val partitions = TimestampPartitions(
      unit = unitOf(settings),
      inputFormats = setting(TableOptions.InputDateFormat, settings).toList.flatMap(_.split(',')).map(_.trim).filter(
        _.nonEmpty),
      outputFormat = required(TableOptions.OutputDateFormat, settings),
      inputZone = setting(TableOptions.TimeZone, settings).orElse(setting(TableOptions.InputTimeZone, settings)),
      outputZone = setting(TableOptions.TimeZone, settings).orElse(setting(TableOptions.OutputTimeZone, settings)))
    checkPattern(TableOptions.OutputDateFormat.name, partitions.outputFormat)
    partitions.inputFormats.foreach(checkPattern(TableOptions.InputDateFormat.name, _))
    if (partitions.unit.isEmpty) required(TableOptions.InputDateFormat, settings)
    partitions
  }

  private def unitOf(settings: Map[String, String]): Option[TimeUnit] =
    required(TableOptions.TimestampType, settings) match {
      case "UNIX_TIMESTAMP" => Some(TimeUnit.SECONDS)
      case "EPOCHMILLISECONDS" => Some(TimeUnit.MILLISECONDS)
      case "EPOCHMICROSECONDS" => Some(TimeUnit.MICROSECONDS)
      case "SCALAR" =>
        val name = TableOptions.TimestampUnit(settings).toUpperCase(Locale.ROOT)
        Some(TimeUnit.values.find(_.name == name).getOrElse(throw InvalidInput("INVALID_OPTION_VALUE",
              "option" -> TableOptions.TimestampUnit.name, "value" -> name,
              "reason" -> s"it must be one of ${TimeUnit.values.map(_.name).reverse.mkString(", ")}")))
      case _ => None
    }

  private def setting(key: ConfigKey[String], settings: Map[String, String]): Option[String] =
    key.get(settings).map(_.trim).filter(_.nonEmpty)

  private def required(key: ConfigKey[String], settings: Map[String, String]): String =
    setting(key, settings).getOrElse(throw InvalidInput("MISSING_OPTION", "option" -> key.name,
        "reason" -> "a time-based partition path needs it"))

  private def checkPattern(option: String, pattern: String): Unit =
    try {
      JodaPattern.printer(pattern)
      JodaPattern.parser(pattern)
    } catch {
      case e: IllegalArgumentException => throw InvalidInput.because(e, "INVALID_OPTION_VALUE", "option" -> option,
          "value" -> pattern, "reason" -> e.getMessage)
    }

  // Like Java's old time zones, which Hudi uses: an unknown name means GMT.
  private def zone(name: String): ZoneId = TimeZone.getTimeZone(name).toZoneId
}

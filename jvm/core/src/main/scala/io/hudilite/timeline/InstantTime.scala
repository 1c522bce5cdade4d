package io.hudilite.timeline

import io.hudilite.error.InvalidInput

import java.time.format.{DateTimeFormatter, DateTimeFormatterBuilder, DateTimeParseException}
import java.time.temporal.ChronoField
import java.time.{Clock, Instant => EpochInstant, LocalDate, LocalDateTime, OffsetDateTime, ZoneId}

/** Instant times: `yyyyMMddHHmmssSSS` in the table's zone, compared as text.
  *
  * Very old tables have 14 digits, without the milliseconds.
  */
object InstantTime {

  val Pattern: String = "yyyyMMddHHmmssSSS"
  val Digits: Int = Pattern.length

  /** Instant of the files without data columns that a bootstrap of metadata leaves. */
  val OfSkeletons = "00000000000001"

  /** The name of a base file is one of those. */
  private[hudilite] def isOfSkeleton(name: String): Boolean = name.contains(s"_$OfSkeletons.")

  private val SecondsDigits = 14

  // Not made from the pattern text: JDK 8 parses "yyyyMMddHHmmssSSS" wrongly, and a builder says the widths outright.
  private val Format: DateTimeFormatter = new DateTimeFormatterBuilder()
    .appendValue(ChronoField.YEAR, 4).appendValue(ChronoField.MONTH_OF_YEAR, 2).appendValue(ChronoField.DAY_OF_MONTH, 2)
    .appendValue(ChronoField.HOUR_OF_DAY, 2).appendValue(ChronoField.MINUTE_OF_HOUR, 2)
    .appendValue(ChronoField.SECOND_OF_MINUTE, 2).appendValue(ChronoField.MILLI_OF_SECOND, 3).toFormatter

  /** The present time on the clock's wall, but greater than `floor`. A timeline goes on increasing when another
    * machine's clock runs ahead of ours, when ours steps back, and when a zone's change to winter time repeats an hour.
    *
    * A floor that no time can follow raises `DateTimeException`.
    */
  def after(floor: String, clock: Clock): String = {
    val wanted = Format.format(LocalDateTime.now(clock))
    // A service of a metadata table may bear digits behind the time.
    if (wanted > floor) wanted else increment(floor.take(Digits))
  }

  private def increment(time: String): String = Format.format(toLocal(time).plusNanos(1000000L))

  def fromEpochMillis(millis: Long, zone: ZoneId): String =
    Format.format(LocalDateTime.ofInstant(EpochInstant.ofEpochMilli(millis), zone))

  /** Epoch milliseconds; a time of 14 digits means the last millisecond of its second, one before all times 1970. */
  def toEpochMillis(time: String, zone: ZoneId): Long =
    if (isBeforeAll(time)) 0L else toLocal(time).atZone(zone).toInstant.toEpochMilli

  /** One of those that Hudi places before all times, such as `00000000000001` of a bootstrap. */
  private def isBeforeAll(time: String): Boolean = isValid(time) && time.startsWith("0000")

  private def toLocal(time: String): LocalDateTime =
    LocalDateTime.parse(if (time.length == SecondsDigits) time + "999" else time, Format)

  def isValid(text: String): Boolean =
    (text.length == Digits || text.length == SecondsDigits) && text.forall(c => c >= '0' && c <= '9')

  /** True when an instant of a timeline can have this time: one of the calendar, or one before all times. */
  def isOfTimeline(text: String): Boolean = isValid(text) &&
    (isBeforeAll(text) || isPlain(text) ||
      (try { toLocal(text); true }
      catch { case _: DateTimeParseException => false }))

  // Each file name of a timeline is asked; to parse it costs more than all else that is done with it.
  private def isPlain(digits: String): Boolean = {
    def two(at: Int): Int = (digits.charAt(at) - '0') * 10 + (digits.charAt(at + 1) - '0')
    val (month, day) = (two(4), two(6))
    month >= 1 && month <= 12 && day >= 1 && day <= DaysOfEachMonth && two(8) < 24 && two(10) < 60 && two(12) < 60
  }

  private val DaysOfEachMonth = 28

  /** The instant that a user's text names: 17 or 14 digits, `yyyy-MM-dd` or `yyyy-MM-dd HH:mm:ss[.SSS]`, all on the
    * table's wall clock as in Hudi, or an ISO time with an offset, which is moved to `zone`.
    */
  def parseUserInput(text: String, zone: ZoneId): String = {
    val trimmed = text.trim
    try {
      if (isOfTimeline(trimmed)) trimmed
      else if (isValid(trimmed)) { toLocal(trimmed); trimmed }
      else Format.format(parseDate(trimmed, zone))
    } catch {
      case e: DateTimeParseException => throw InvalidInput.because(e, "INVALID_INSTANT", "text" -> text)
    }
  }

  private def parseDate(text: String, zone: ZoneId): LocalDateTime =
    if (text.length == 10) LocalDate.parse(text).atStartOfDay()
    else {
      val iso = text.replace(' ', 'T')
      if (HasOffset.pattern.matcher(iso).matches()) OffsetDateTime.parse(iso).atZoneSameInstant(zone).toLocalDateTime
      else LocalDateTime.parse(iso)
    }

  /** True when an instant of the timeline of a metadata table can have this time. Before version 8 that is one of its
    * table's timeline, for services with three digits more.
    */
  def isOfMetadata(text: String): Boolean = isOfTimeline(text) ||
    (text.length > SuffixDigits && text.forall(c => c >= '0' && c <= '9') && isOfTimeline(text.dropRight(SuffixDigits)))

  /** The time of the table that such an instant begins with, where it has digits behind it. One before all times has 14
    * digits itself.
    */
  def beforeSuffix(text: String): Option[String] =
    Some(text.dropRight(SuffixDigits)).filter(_ =>
      text.length > Digits || (text.length == SecondsDigits + SuffixDigits && isBeforeAll(text)))

  /** Digits behind a time of the table in the timeline of its metadata table. */
  val SuffixDigits: Int = 3

  private val HasOffset = ".*T.*(Z|[+-]\\d\\d:\\d\\d)".r
}

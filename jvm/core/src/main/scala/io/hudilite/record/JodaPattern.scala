package io.hudilite.record

import java.time.format.{DateTimeFormatter, DateTimeFormatterBuilder, SignStyle, TextStyle}
import java.time.temporal.{ChronoField, IsoFields, TemporalField}
import java.util.Locale

/** Date patterns of time-based key generators. Hudi reads them by the rules of Joda-Time, where letters have other
  * meanings than in `java.time`: `y` and `Y` are both the year of the era, `Z` is an offset or the letter Z, `x` the
  * week year.
  */
private[record] object JodaPattern {

  private sealed trait Part
  private final case class Letters(letter: Char, count: Int) extends Part
  private final case class Literal(text: String) extends Part

  /** A formatter that writes as Joda-Time would. */
  def printer(pattern: String): DateTimeFormatter = {
    val builder = new DateTimeFormatterBuilder
    parts(pattern).foreach {
      case Literal(text) => builder.appendLiteral(text)
      case Letters(letter, count) => print(builder, pattern, letter, count)
    }
    builder.toFormatter(Locale.ENGLISH)
  }

  /** A formatter that reads as Joda-Time would; fields that the pattern lacks are those of 1970-01-01T00:00. */
  def parser(pattern: String): DateTimeFormatter = {
    val all = parts(pattern)
    val builder = (new DateTimeFormatterBuilder).parseCaseInsensitive().parseLenient()
    all.indices.foreach(i =>
      all(i) match {
        case Literal(text) => builder.appendLiteral(text)
        case Letters(letter, count) => parse(builder, pattern, letter, count, fixed = hasDigitNeighbour(all, i))
      })
    missing(all.collect { case Letters(letter, _) => letter }.toSet)
      .foreach { case (field, value) => builder.parseDefaulting(field, value) }
    builder.toFormatter(Locale.ENGLISH)
  }

  private def parts(pattern: String): Vector[Part] =
    if (pattern.isEmpty) Vector.empty
    else if (pattern.head == '\'') quoted(pattern)
    else {
      val head = pattern.head
      val run = if (head.isLetter) pattern.takeWhile(_ == head) else pattern.takeWhile(c => !c.isLetter && c != '\'')
      val part = if (head.isLetter) Letters(head, run.length) else Literal(run)
      part +: parts(pattern.drop(run.length))
    }

  private def quoted(pattern: String): Vector[Part] =
    if (pattern.startsWith("''")) Literal("'") +: parts(pattern.drop(2))
    else {
      // A quoted text runs to the next quote that does not stand twice.
      val text = QuotedText.findPrefixOf(pattern)
        .getOrElse(throw new IllegalArgumentException(s"the date pattern $pattern has an open quote"))
      Literal(text.substring(1, text.length - 1).replace("''", "'")) +: parts(pattern.drop(text.length))
    }

  private val QuotedText = "'([^']|'')+'(?!')".r

  private val Fields: Map[Char, TemporalField] = Map('y' -> ChronoField.YEAR_OF_ERA, 'Y' -> ChronoField.YEAR_OF_ERA,
    'x' -> IsoFields.WEEK_BASED_YEAR, 'w' -> IsoFields.WEEK_OF_WEEK_BASED_YEAR, 'e' -> ChronoField.DAY_OF_WEEK,
    'D' -> ChronoField.DAY_OF_YEAR, 'M' -> ChronoField.MONTH_OF_YEAR, 'd' -> ChronoField.DAY_OF_MONTH,
    'K' -> ChronoField.HOUR_OF_AMPM, 'h' -> ChronoField.CLOCK_HOUR_OF_AMPM, 'H' -> ChronoField.HOUR_OF_DAY,
    'k' -> ChronoField.CLOCK_HOUR_OF_DAY, 'm' -> ChronoField.MINUTE_OF_HOUR, 's' -> ChronoField.SECOND_OF_MINUTE,
    'E' -> ChronoField.DAY_OF_WEEK, 'a' -> ChronoField.AMPM_OF_DAY)

  private val Years = Set('y', 'Y', 'x')

  private def isText(letter: Char, count: Int): Boolean = letter match {
    case 'E' | 'a' => true
    case 'M' => count > 2
    case _ => false
  }

  private def isNumber(part: Part): Boolean = part match {
    case Letters('S', _) => true
    case Letters(letter, count) => Fields.contains(letter) && !isText(letter, count)
    case Literal(_) => false
  }

  private def hasDigitNeighbour(all: Vector[Part], i: Int): Boolean =
    Seq(i - 1, i + 1).exists(n => all.isDefinedAt(n) && isNumber(all(n)))

  private def field(pattern: String, letter: Char): TemporalField = Fields.getOrElse(letter,
    throw new IllegalArgumentException(s"the letter $letter of the date pattern $pattern is not supported"))

  private def style(count: Int): TextStyle = if (count > 3) TextStyle.FULL else TextStyle.SHORT

  private def print(builder: DateTimeFormatterBuilder, pattern: String, letter: Char, count: Int): Unit = letter match {
    case 'S' => builder.appendFraction(ChronoField.NANO_OF_SECOND, count, count, false)
    case 'Z' if count == 1 => builder.appendOffset("+HHMM", "+0000")
    case 'Z' if count == 2 => builder.appendOffset("+HH:MM", "+00:00")
    case 'Z' => builder.appendZoneId()
    case 'z' => builder.appendZoneText(style(count))
    case _ if isText(letter, count) => builder.appendText(field(pattern, letter), style(count))
    case _ if Years(letter) && count == 2 => builder.appendValueReduced(field(pattern, letter), 2, 2, 2000)
    case _ => builder.appendValue(field(pattern, letter), count, 19, SignStyle.NORMAL)
  }

  // Numbers may have fewer digits than letters, unless another number follows or precedes without a gap.
  private def parse(builder: DateTimeFormatterBuilder, pattern: String, letter: Char, count: Int, fixed: Boolean)
      : Unit =
    letter match {
      case 'S' =>
        builder.appendFraction(ChronoField.NANO_OF_SECOND, if (fixed) count else 1, if (fixed) count else 9, false)
      case 'Z' if count < 3 => builder.appendOffset("+HH:mm", "Z")
      case 'Z' => builder.appendZoneId()
      case 'z' => builder.appendZoneText(style(count))
      case _ if isText(letter, count) => builder.appendText(field(pattern, letter), style(count))
      case _ if Years(letter) && count == 2 => builder.appendValueReduced(field(pattern, letter), 2, 2, 2000)
      case _ if fixed => builder.appendValue(field(pattern, letter), count)
      case _ => builder.appendValue(field(pattern, letter), 1, if (Years(letter)) 9 else 3, SignStyle.NOT_NEGATIVE)
    }

  private def missing(letters: Set[Char]): Seq[(TemporalField, Long)] = {
    def without(any: String)(fields: (TemporalField, Long)*): Seq[(TemporalField, Long)] =
      if (any.exists(letters)) Nil else fields
    without("yYx")(ChronoField.YEAR_OF_ERA -> 1970L) ++
      without("MDw")(ChronoField.MONTH_OF_YEAR -> 1L) ++
      without("dDwEe")(ChronoField.DAY_OF_MONTH -> 1L) ++
      without("HkKh")(ChronoField.HOUR_OF_DAY -> 0L) ++
      without("m")(ChronoField.MINUTE_OF_HOUR -> 0L) ++
      without("s")(ChronoField.SECOND_OF_MINUTE -> 0L) ++
      without("S")(ChronoField.NANO_OF_SECOND -> 0L)
  }
}

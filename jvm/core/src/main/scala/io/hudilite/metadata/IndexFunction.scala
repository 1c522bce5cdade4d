package io.hudilite.metadata

import io.hudilite.metadata.StatValue.{Day, Int32, Text}

import java.time.LocalDate
import java.util.Locale

/** A function of which an index knows the values, as Spark evaluates it: pure. Those are here whose value follows from the
  * column alone, and not from a time zone or another setting of a session.
  */
sealed abstract class IndexFunction extends Product with Serializable {

  /** Statistics' number of the type of its column, and of its values. */
  def takes: Int
  def gives: Int

  /** The value; `None` where it is not certain. */
  def apply(value: StatValue): Option[StatValue]

  /** A bound that holds however a version of Spark evaluates the function. */
  def isSure(bound: StatValue): Boolean = true
}

object IndexFunction {

  sealed abstract class OfTexts(of: String => String) extends IndexFunction {
    override def takes: Int = StatType.Text
    override def gives: Int = StatType.Text
    override def apply(value: StatValue): Option[StatValue] = readable(value).map(text => Text(of(text)))
  }

  /** Letters that are not of ASCII change as the version of Java or Spark says; a bound without any sorts before them all. */
  sealed abstract class OfLetters(of: String => String) extends OfTexts(of) {
    override def isSure(bound: StatValue): Boolean = bound match {
      case Text(text) => lettersStay && text.forall(_ < FirstOther)
      case _ => true
    }
  }

  // Spark goes by the locale of its process, where a letter of ASCII may become another.
  private def lettersStay: Boolean = !OtherLetters(Locale.getDefault.getLanguage)
  private val OtherLetters = Set("tr", "az", "lt")

  /** The text as it is. */
  case object Identity extends OfTexts(identity)

  case object Lower extends OfLetters(_.toLowerCase(Locale.ROOT))
  case object Upper extends OfLetters(_.toUpperCase(Locale.ROOT))
  case object Trim extends OfTexts(text => withoutLast(withoutFirst(text)))
  case object TrimLeft extends OfTexts(withoutFirst)
  case object TrimRight extends OfTexts(withoutLast)

  /** @param position
    *   of the first letter, from 1 on, or below 0 from behind
    */
  final case class Part(position: Int, length: Int) extends OfTexts(Part.of(_, position, length))

  object Part {
    private[IndexFunction] def of(text: String, position: Int, length: Int): String = {
      val letters = text.codePoints.toArray
      val from = if (position > 0) position - 1L else if (position < 0) letters.length + position.toLong else 0L
      val until = math.min(math.max(from + length, 0L), letters.length.toLong).toInt
      val first = math.min(math.max(from, 0L), letters.length.toLong).toInt
      if (until <= first) "" else new String(letters, first, until - first)
    }
  }

  case object Length extends IndexFunction {
    override def takes: Int = StatType.Text
    override def gives: Int = StatType.Int
    override def apply(value: StatValue): Option[StatValue] =
      readable(value).map(text => Int32(text.codePointCount(0, text.length)))
  }

  sealed abstract class OfDays(of: LocalDate => Int) extends IndexFunction {
    override def takes: Int = StatType.Date
    override def gives: Int = StatType.Int
    override def apply(value: StatValue): Option[StatValue] = value match {
      case Day(days) if days >= FirstCertainDay => Some(Int32(of(LocalDate.ofEpochDay(days.toLong))))
      case _ => None
    }
  }

  case object Year extends OfDays(_.getYear) {
    override def isSure(bound: StatValue): Boolean = bound match {
      case Int32(year) => year >= FirstCertainYear
      case _ => true
    }
  }
  case object Month extends OfDays(_.getMonthValue)
  case object DayOfMonth extends OfDays(_.getDayOfMonth)

  /** The function of a definition, by Apache Hudi's names of it and its words; or the reason why it is none of these.
    *
    * @param ofValues
    *   the values may be those of the column
    */
  def of(name: String, words: Map[String, String], ofValues: Boolean = false): Either[String, IndexFunction] = {
    val more = words.keySet - "expr"
    (name, Plain.get(name)) match {
      case ("substring", _) if more == Set("pos", "len") =>
        (for (position <- number(words("pos"));
          length <- number(words("len"))) yield Part(position, length)).toRight("pos and len are numbers")
      case ("substring", _) => Left("it takes pos and len")
      case ("identity", _) if ofValues && more.isEmpty => Right(Identity)
      case (_, Some(_)) if more.nonEmpty => Left(s"$name is not known with ${more.toSeq.sorted.mkString(", ")}")
      case (_, Some(function)) => Right(function)
      case (other, _) if OfTimes(other) =>
        Left(s"$other is of timestamps, by the time zone of the session that evaluates it, which no file tells")
      case (other, _) => Left(s"values of $other depend on more than the column, or are not known here")
    }
  }

  private val OfTimes = Set("hour", "minute", "second")

  private lazy val Plain: Map[String, IndexFunction] = Map("lower" -> Lower, "upper" -> Upper, "trim" -> Trim,
    "ltrim" -> TrimLeft, "rtrim" -> TrimRight, "length" -> Length, "year" -> Year, "month" -> Month,
    "day" -> DayOfMonth)

  private def number(text: String): Option[Int] =
    try Some(text.trim.toInt)
    catch { case _: NumberFormatException => None }

  // Bytes that are no text are read as this letter.
  private val Unreadable = '\ufffd'
  private val FirstOther = '\u0080'

  // From 1582-10-15 on the calendar of a file makes no difference.
  private val FirstCertainDay = -141427
  private val FirstCertainYear = 1583

  private def readable(value: StatValue): Option[String] = value match {
    case Text(text) if text.indexOf(Unreadable.toInt) < 0 => Some(text)
    case _ => None
  }

  private def withoutFirst(text: String): String = text.dropWhile(_ == ' ')
  private def withoutLast(text: String): String = text.reverse.dropWhile(_ == ' ').reverse
}

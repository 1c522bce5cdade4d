package io.hudilite.metadata

/** A value of a column and the record key of a row that has it: the key of a record of a secondary index
  * (docs/format.md#secondary-indexes).
  *
  * @param value
  *   text of the value; `None` for null
  */
final case class SecondaryKey(value: Option[String], recordKey: String) {

  /** The key as files have it. */
  def text: String = SecondaryKey.prefix(value) + SecondaryKey.escaped(recordKey)
}

object SecondaryKey {

  private val Separator = '$'
  private val Escape = '\\'
  private val Nul = '\u0000'

  /** Begin of the keys of all rows with this value, and of no others. */
  def prefix(value: Option[String]): String = value.fold(Nul.toString)(escaped) + Separator

  /** The part of a key that is of its value, with the separator. Other texts end in an `IllegalArgumentException`. */
  def prefixOf(text: String): String = text.substring(0, separator(text) + 1)

  /** The parts of a key. Other texts end in an `IllegalArgumentException`. */
  def parse(text: String): SecondaryKey = {
    val at = separator(text)
    val value = text.substring(0, at)
    // A text of this character alone is escaped.
    SecondaryKey(if (value == Nul.toString) None else Some(unescaped(value)), unescaped(text.substring(at + 1)))
  }

  private def separator(text: String): Int = {
    var at = 0 // hot path
    while (at < text.length && text.charAt(at) != Separator) at += (if (text.charAt(at) == Escape) 2 else 1)
    if (at >= text.length) throw new IllegalArgumentException(s"'$text' is no key of a secondary index")
    at
  }

  private def isEscaped(c: Char): Boolean = c == Escape || c == Separator || c == Nul

  private def escaped(text: String): String =
    if (!text.exists(isEscaped)) text
    else text.flatMap(c => if (isEscaped(c)) s"$Escape$c" else c.toString)

  private def unescaped(text: String): String =
    if (text.indexOf(Escape.toInt) < 0) text
    else {
      val out = new java.lang.StringBuilder(text.length)
      var at = 0 // hot path
      while (at < text.length) {
        if (text.charAt(at) == Escape && at + 1 < text.length) at += 1
        out.append(text.charAt(at))
        at += 1
      }
      out.toString
    }
}

package io.hudilite.spark.dialect

import io.hudilite.spark.procedure.SqlTexts

import java.util.Locale

import scala.util.matching.Regex

/** A statement without the spaces and comments around it. */
private[dialect] final class StatementText private (val text: String) {

  lazy val firstWord: String = text.takeWhile(_.isLetter).toUpperCase(Locale.ROOT)
}

private[dialect] object StatementText {

  private val Before = """(?s)\A(?:\s++|--[^\r\n]*+|/\*.*?\*/)*+""".r
  private val After = """[\s;]*\z""".r

  def apply(statement: String): StatementText =
    new StatementText(After.replaceFirstIn(Before.replaceFirstIn(statement, ""), ""))

  private val Part = "(?:`[^`]*+(?:``[^`]*+)*+`|\\w++)"

  /** The name of a table, or its path in quotes. */
  val Name: String = s"""('(?:[^'\\\\]|\\\\.)*+'|"(?:[^"\\\\]|\\\\.)*+"|$Part(?:\\s*+\\.\\s*+$Part)*+)"""

  /** A pattern for whole statements: words stand for themselves in any case, `NAME` for the name of a table, and a
    * space for one or more.
    */
  def pattern(words: String): Regex = ("(?is)" + words.replace(" ", "\\s++").replace("NAME", Name)).r

  /** The table as an argument of a procedure names it. */
  def tableOf(name: String): String =
    if (name.startsWith("'") || name.startsWith("\"")) SqlTexts.of(name) else spaceless(name)

  private val AroundDots = """\s*\.\s*(?=(?:[^`]*`[^`]*`)*[^`]*\z)""".r

  private def spaceless(name: String): String = AroundDots.replaceAllIn(name, ".")
}

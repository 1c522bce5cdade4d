package io.hudilite.spark.procedure

import java.nio.charset.StandardCharsets.UTF_8

import org.apache.spark.sql.catalyst.expressions.Literal
import org.apache.spark.sql.catalyst.parser.CatalystSqlParser
import org.apache.spark.sql.internal.SQLConf

/** Texts in SQL, as the session reads them (`spark.sql.parser.escapedStringLiterals`). */
object SqlTexts {

  /** A literal of the text. Where each backslash stands for itself, none makes a quote part of a text. */
  def literal(text: String): String =
    if (!SQLConf.get.escapedStringLiterals) "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"
    else if (!text.contains('\'')) s"'$text'"
    else if (!text.contains('"') && !SQLConf.get.doubleQuotedIdentifiers) "\"" + text + "\""
    else text.getBytes(UTF_8).map(byte => f"$byte%02X").mkString("CAST(X'", "", "' AS STRING)")

  /** Text of a literal, with its quotes. */
  def of(quoted: String): String = CatalystSqlParser.parseExpression(quoted) match {
    case Literal(text, _) => text.toString
    case _ => quoted.substring(1, quoted.length - 1) // a name in double quotes
  }
}
